package portcullis.limits_test

import data.portcullis.limits

table := {
	"A": {
		"calls": {"tools": {"pay": true}, "roles": {"CLERK": true}, "lanes": {"L": true}},
		"per": ["role", "lane", "tool", "scope.who.is"],
		"max_calls": 3,
		"max_sum": {"of": "args.cents", "at_most": 100},
	},
	"B": {"calls": {"tools": {"publish": true}}, "per": ["session"], "only_after": {
		"tools": {"review": true, "check": true},
		"within_ms": 1000,
	}},
	"C": {"calls": {"tools": {"mail": true}}, "per": ["session"], "never_after": {"tools": {"fetch": true}}},
	"D": {"calls": {"tools": {"note": true}}, "per": [], "only_after": {"tools": {"check": true}}},
	"E": {"calls": {"tools": {"bill": true}}, "per": [], "max_sum": {"of": "scope.units", "at_most": 5}},
	# 2026-03-29T01:00Z is the change to summer time in Berlin.
	"F": {"calls": {"tools": {"call": true}}, "per": [], "only_during": {
		"days": {"mon": true, "fri": true},
		"from": 540,
		"to": 1050,
		"since_ms": 1735689600000,
		"offsets": [[1774746000000, 3600000], [1792890000000, 7200000]],
	}},
	"G": {"calls": {"tools": {"watch": true}}, "per": [], "only_during": {
		"days": {"sun": true},
		"from": 1320,
		"to": 360,
		"since_ms": 1735689600000,
		"offsets": [[2524608000000, 0]],
	}},
}

tools := {
	"pay": ["A"],
	"publish": ["B"],
	"review": ["B"],
	"check": ["B", "D"],
	"mail": ["C"],
	"fetch": ["C"],
	"note": ["D"],
	"bill": ["E"],
	"call": ["F"],
	"watch": ["G"],
	"all": ["A", "B"],
}

denial(request) := found if {
	found := limits.denial with input as object.union({"role": "CLERK", "lane": "L"}, request)
		with data.portcullis.policy.limits as table
		with data.portcullis.policy.tools as {tool: {"limits": ids} | some tool, ids in tools}
}

reason(request) := denial(request).reason

kept(request) if not denial(request)

pay := {
	"role": "CLERK",
	"lane": "L",
	"tool": "pay",
	"scope": {"who.is": "x"},
	"args": {"cents": 40},
	"facts": {"now": 1000, "history": {"A": {"calls": 2, "sum": 60}}},
}

with_pay(path, value) := json.patch(pay, [{"op": "add", "path": path, "value": value}])

test_calls_within_every_limit if kept(pay)

test_tools_without_limits if kept({"tool": "ls"})

test_calls_that_a_limit_is_not_about if {
	kept({"role": "CHIEF", "lane": "L", "tool": "pay"})
	kept({"role": "CLERK", "lane": "M", "tool": "pay"})
	kept({"role": "CLERK", "lane": "L", "tool": "all", "facts": {}})
}

test_keys_are_texts_that_are_not_empty if {
	every value in [null, "", 7, true, ["x"], {"x": "x"}] {
		denial(with_pay("/scope/who.is", value)) == {
			"allowed": false,
			"gate": "LIMITS",
			"reason": "limit_key_missing",
			"limit": "A",
		}
	}
	reason(object.remove(pay, ["scope"])) == "limit_key_missing"
	kept(with_pay("/scope/who.is", " "))
}

test_addends_are_whole_numbers if {
	every value in [null, "4", -1, 0.5, 9007199254740992, [], {}] {
		reason(with_pay("/args/cents", value)) == "limit_key_missing"
	}
	reason(object.remove(pay, ["args"])) == "limit_key_missing"
	every value in [0, 4.0, 40] {
		kept(with_pay("/args/cents", value))
	}
	reason(with_pay("/args/cents", 9007199254740991)) == "limit_sum"
}

test_the_host_says_the_time if {
	every value in [null, "1000", -1, 0.5, 9007199254740992] {
		reason(with_pay("/facts/now", value)) == "history_missing"
	}
	reason(object.remove(pay, ["facts"])) == "history_missing"
}

test_the_host_says_calls_and_sum if {
	every member in ["calls", "sum"] {
		path := concat("/", ["/facts/history/A", member])
		every value in [null, "0", -1, 0.5, 9007199254740992, [], {}] {
			denial(with_pay(path, value)) == {
				"allowed": false,
				"gate": "LIMITS",
				"reason": "history_missing",
				"limit": "A",
			}
		}
		reason(json.remove(pay, [path])) == "history_missing"
	}

	# It reads no times.
	kept(with_pay("/facts/history/A/last_ms", null))
}

test_so_many_calls if {
	kept(with_pay("/facts/history/A/calls", 0))
	denial(with_pay("/facts/history/A/calls", 3)) == {
		"allowed": false,
		"gate": "LIMITS",
		"reason": "limit_calls",
		"limit": "A",
	}
	reason(with_pay("/facts/history/A/calls", 9007199254740991)) == "limit_calls"
}

test_no_more_than_a_sum if {
	denial(with_pay("/facts/history/A/sum", 61)) == {
		"allowed": false,
		"gate": "LIMITS",
		"reason": "limit_sum",
		"limit": "A",
	}
	reason(with_pay("/facts/history/A/sum", 9007199254740991)) == "limit_sum"
	bill := {"tool": "bill", "scope": {"units": 3}, "facts": {"now": 0, "history": {"E": {"sum": 2}}}}
	kept(bill)
	reason(json.patch(bill, [{"op": "add", "path": "/scope/units", "value": 4}])) == "limit_sum"
}

test_when_there_is_room_again if {
	full := with_pay("/facts/history/A/calls", 3)
	again := json.patch(full, [{"op": "add", "path": "/facts/history/A/free_at_ms", "value": 1500}])
	denial(again).retry_after_ms == 500
	before := json.patch(again, [{"op": "add", "path": "/facts/history/A/free_at_ms", "value": 500}])
	denial(before).retry_after_ms == 0
	spent := json.patch(again, [{"op": "add", "path": "/facts/history/A/calls", "value": 0}])
	denial(json.patch(spent, [{"op": "add", "path": "/facts/history/A/sum", "value": 61}])) == {
		"allowed": false,
		"gate": "LIMITS",
		"reason": "limit_sum",
		"limit": "A",
		"retry_after_ms": 500,
	}
	every value in [null, "1500", -1, 0.5] {
		denied := denial(json.patch(again, [{"op": "add", "path": "/facts/history/A/free_at_ms", "value": value}]))
		not "retry_after_ms" in object.keys(denied)
	}
}

publish(last) := {
	"tool": "publish",
	"facts": {"session": "s", "now": 5000, "history": {"B": {"last_ms": last}}},
}

test_only_after_one_of_some_tools if {
	kept(publish({"review": 4000}))
	kept(publish({"check": 5000, "review": 1}))
	every last in [{}, {"review": 3999}, {"review": 5001}, {"publish": 5000}] {
		reason(publish(last)) == "limit_order"
	}
	note := {"tool": "note", "facts": {"now": 5000, "history": {"D": {"last_ms": {"check": 0}}}}}
	kept(note)
	later := json.patch(note, [{"op": "add", "path": "/facts/history/D/last_ms/check", "value": 5001}])
	reason(later) == "limit_order"
}

test_times_of_all_tools_are_whole_numbers if {
	every last in [null, [], "x", {"review": 5000, "x": null}, {"review": 5000, "x": 0.5}, {"review": -1}] {
		reason(publish(last)) == "history_missing"
	}
}

test_never_after_any_of_some_tools if {
	mail := {"tool": "mail", "facts": {"session": "s", "now": 5000, "history": {"C": {"last_ms": {"mail": 1}}}}}
	kept(mail)
	every time in [0, 5000, 6000] {
		denied := denial(json.patch(mail, [{"op": "add", "path": "/facts/history/C/last_ms/fetch", "value": time}]))
		denied == {"allowed": false, "gate": "LIMITS", "reason": "limit_order", "limit": "C"}
	}
	reason(json.patch(mail, [{"op": "remove", "path": "/facts/history/C/last_ms"}])) == "history_missing"
}

test_calls_that_an_order_remembers_need_its_key if {
	kept({"tool": "review", "facts": {"session": "s"}})
	reason({"tool": "review"}) == "limit_key_missing"
	kept({"tool": "fetch", "lane": "M", "facts": {"session": "s", "history": {"C": {}}}})
	reason({"tool": "fetch"}) == "limit_key_missing"
	denial({"tool": "check", "facts": {"session": ""}}).limit == "B"
	kept({"tool": "check", "facts": {"session": "s"}})
}

test_calls_that_spoil_later_ones_need_a_host_that_remembers if {
	every history in [null, [], {}, {"B": {}}, {"C": null}, {"C": []}, {"C": "x"}] {
		denied := denial({"tool": "fetch", "facts": {"session": "s", "history": history}})
		denied == {"allowed": false, "gate": "LIMITS", "reason": "history_missing", "limit": "C"}
	}
	reason({"tool": "fetch", "facts": {"session": "s"}}) == "history_missing"
}

call(now) := {"tool": "call", "facts": {"now": now}}

test_hours_of_a_zone if {
	# Friday, 27 March 2026, 09:00 to 17:30, in winter.
	kept(call(1774598400000))
	reason(call(1774598399999)) == "limit_hours"
	kept(call(1774628999999))
	reason(call(1774629000000)) == "limit_hours"

	# Saturday, and Monday in summer.
	reason(call(1774684800000)) == "limit_hours"
	kept(call(1774854000000))
	reason(call(1774853999999)) == "limit_hours"
	reason({"tool": "call"}) == "history_missing"
}

test_times_that_the_policy_knows_nothing_of if {
	# Monday, 30 December 2024, 12:00, and after the last offset, a Monday as well.
	reason(call(1735556400000)) == "limit_hours"
	kept(call(1735901999999))
	reason(call(1793012400000)) == "limit_hours"
}

watch(now) := {"tool": "watch", "facts": {"now": now}}

test_hours_that_span_midnight if {
	# Sunday, 22:00, to Monday, 06:00.
	kept(watch(1774821600000))
	reason(watch(1774821599999)) == "limit_hours"
	kept(watch(1774850399999))
	reason(watch(1774850400000)) == "limit_hours"

	# Sunday, 05:00, and Monday, 22:00.
	reason(watch(1774760400000)) == "limit_hours"
	reason(watch(1774908000000)) == "limit_hours"
}

test_a_call_that_is_only_remembered_adds_nothing if {
	limit := {
		"calls": {"tools": {"mail": true}},
		"per": [],
		"max_sum": {"of": "args.n", "at_most": 1},
		"never_after": {"tools": {"fetch": true}},
	}
	remembering := {"limits": {"X": limit}, "tools": {"fetch": {"limits": ["X"]}}}
	not limits.denial with input as {"role": "R", "lane": "L", "tool": "fetch", "facts": {"history": {"X": {}}}}
		with data.portcullis.policy as remembering
}

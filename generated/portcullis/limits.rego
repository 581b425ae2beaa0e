# METADATA
# title: Limits
# description: |
#   How often, how much, in which order, and when, as limits.yaml says it. What happened before is a fact that the host hands in:
#   for each limit the calls and the sum of its window, and when each tool was last called. Limits are looked at in the order of
#   code points of their ids, and the first that is not kept decides.
package portcullis.limits

import data.portcullis.policy

# METADATA
# description: The denial of the first limit that the call does not keep; undefined where it keeps all.
denial := denials[0]

# A tool names the limits that count or remember its calls, in their order: other limits cost its calls nothing.
denials := [broken(id, policy.limits[id]) | some id in policy.tools[input.tool].limits]

# What is wrong with a call by one limit; undefined where nothing is, or where the limit is not about it.
broken(id, limit) := {"allowed": false, "gate": "LIMITS", "reason": "limit_key_missing", "limit": id} if {
	recorded(limit)
	not keyed(limit)
} else := {"allowed": false, "gate": "LIMITS", "reason": "history_missing", "limit": id} if {
	not noted(id, limit)
} else := fault if {
	subject(limit)
	fault := exceeded(id, limit)
}

# A call of a tool that an order names is remembered, too, whatever its role and lane.
recorded(limit) if subject(limit)

recorded(limit) if limit.only_after.tools[input.tool]

recorded(limit) if limit.never_after.tools[input.tool]

# What was never to come before has to be remembered: a host that hands in no history of the limit would forget it.
noted(_, limit) if not limit.never_after.tools[input.tool]

noted(id, _) if is_object(input.facts.history[id])

subject(limit) if {
	listed(limit.calls, "tools", input.tool)
	listed(limit.calls, "roles", input.role)
	listed(limit.calls, "lanes", input.lane)
}

# Without a list, any.
listed(calls, name, _) if not calls[name]

listed(calls, name, id) if calls[name][id]

# METADATA
# custom:
#   gate: LIMITS
#   rule: the limits on how often, how much, in which order and when are kept
#   depends: facts
#   judges: history
#   says:
#     limit_key_missing: the call does not say what limit {limit} counts by
keyed(limit) if {
	every name in limit.per {
		written(key(name))
	}
	counted(limit)
}

key("role") := input.role

key("lane") := input.lane

key("tool") := input.tool

key("session") := input.facts.session

key(name) := input.scope[substring(name, 6, -1)] if startswith(name, "scope.")

written(value) if {
	is_string(value)
	value != ""
}

# What is added up has to be there in calls that are.
counted(limit) if not limit.max_sum

counted(limit) if not subject(limit)

counted(limit) if whole(amount(limit.max_sum.of))

amount(of) := input.args[substring(of, 5, -1)] if startswith(of, "args.")

amount(of) := input.scope[substring(of, 6, -1)] if startswith(of, "scope.")

# The whole numbers that every engine and every store tells apart.
whole(number) if {
	is_number(number)
	number >= 0
	number <= 9007199254740991
	floor(number) == number
}

# METADATA
# custom:
#   gate: LIMITS
#   depends: facts
#   says:
#     history_missing: the host does not say what limit {limit} has to know of earlier calls
#     limit_calls: limit {limit} allows no more calls for now
#     limit_sum: limit {limit} does not allow that much more for now
#     limit_order: limit {limit} does not allow the call after what was called before
#     limit_hours: limit {limit} does not allow the call at this time
exceeded(id, limit) := {"allowed": false, "gate": "LIMITS", "reason": "history_missing", "limit": id} if {
	not recalled(id, limit)
} else := refused(id, "limit_calls") if {
	not few(id, limit)
} else := refused(id, "limit_sum") if {
	not little(id, limit)
} else := {"allowed": false, "gate": "LIMITS", "reason": "limit_order", "limit": id} if {
	not ordered(id, limit)
} else := {"allowed": false, "gate": "LIMITS", "reason": "limit_hours", "limit": id} if {
	not timely(limit)
}

# A store may say when there is room again.
refused(id, reason) := {
	"allowed": false,
	"gate": "LIMITS",
	"reason": reason,
	"limit": id,
	"retry_after_ms": max([0, input.facts.history[id].free_at_ms - input.facts.now]),
} if {
	whole(input.facts.history[id].free_at_ms)
} else := {"allowed": false, "gate": "LIMITS", "reason": reason, "limit": id}

recalled(id, limit) if {
	whole(input.facts.now)
	told(limit, "max_calls", id, "calls")
	told(limit, "max_sum", id, "sum")
	remembered(limit, "only_after", id)
	remembered(limit, "never_after", id)
}

# A limit reads what its rules need.
told(limit, rule, _, _) if not limit[rule]

told(_, _, id, member) if whole(input.facts.history[id][member])

remembered(limit, rule, _) if not limit[rule]

remembered(_, _, id) if {
	times := input.facts.history[id].last_ms
	is_object(times)
	every time in times {
		whole(time)
	}
}

few(_, limit) if not limit.max_calls

few(id, limit) if input.facts.history[id].calls + 1 <= limit.max_calls

little(_, limit) if not limit.max_sum

little(id, limit) if input.facts.history[id].sum + amount(limit.max_sum.of) <= limit.max_sum.at_most

ordered(id, limit) if {
	preceded(id, limit)
	not spoilt(id, limit)
}

preceded(_, limit) if not limit.only_after

preceded(id, limit) if {
	some tool, _ in limit.only_after.tools
	past := input.facts.now - input.facts.history[id].last_ms[tool]
	past >= 0
	recent(limit.only_after, past)
}

recent(rule, _) if not rule.within_ms

recent(rule, past) if past <= rule.within_ms

spoilt(id, limit) if {
	some tool, _ in limit.never_after.tools
	input.facts.history[id].last_ms[tool] >= 0
}

timely(limit) if not limit.only_during

# Hours that span midnight are of the day on which they begin.
timely(limit) if {
	hours := limit.only_during
	input.facts.now >= hours.since_ms

	# Later than the policy knows the zone, no offset is there.
	local := floor(input.facts.now) + [offset | some [until, offset] in hours.offsets; input.facts.now < until][0]
	time := local % 86400000
	day := (local - time) / 86400000
	open(hours, time / 60000, day)
}

# `time`: minutes since midnight.
open(hours, time, day) if {
	hours.from <= time
	time < hours.to
	hours.days[weekdays[(day + 3) % 7]]
}

open(hours, time, day) if {
	hours.to < hours.from
	hours.from <= time
	hours.days[weekdays[(day + 3) % 7]]
}

open(hours, time, day) if {
	hours.to < hours.from
	time < hours.to
	hours.days[weekdays[(day + 2) % 7]]
}

# 1970 began on a Thursday.
weekdays := ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

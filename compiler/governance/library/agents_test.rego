package portcullis.agents_test

import data.portcullis.agents

# A part of the table that lowering writes.
folds := object.union(
	{c: upper(c) | some c in split("acdefgkmpqtwxz", "")},
	{
		"b": "B6",
		"h": "HnNvV\u03bd\u039d",
		"i": "IlL1|\u0406\u0131",
		"j": "J3",
		"o": "O0",
		"r": "RuUyY",
		"s": "S5",
		"ss": "\u00df",
		"w": "W\uff37",
		"fi": "\ufb01",
	},
)

policy := {
	"roles": {"WRITER": {}},
	"agents": {"NEWS_DESK": {}},
	"manifests": {"rights_desk": {}, "a-b": {}, "boss": {}, "ma\u00df": {}},
	"handoff": {"agents": {"lead": "master"}},
	"names": {
		"folds": folds,
		"others": `[^a-z0-9\x{4e00}-\x{9fff}]+`,
		"apart": `[\x{17f}\x{1100}-\x{11ff}]`,
		"second": {"\u00df": "b"},
	},
}

test_agents_are_no_persons if {
	every name in [
		"WRITER", "writer", "wRiTer", " WRITER.", "WR\u0406TER", "wr\u0131ter", "\uff37riter", "W R I T E R", "WR1TER", "WRlTER",
		"WRITER\u200b", "WRI\u00adTER", "writer\u2800", "\"writer\"",
		"NEWS_DESK", "NEWS-DESK", "News-desk", "AGENT_NEWS_DESK", "agent-news-desk.md", "news desk",
		"rights_desk", "RIGHTS-DESK", "a-b", "A_B", "ab",
		"lead", "LEAD", "AGENT_WRITER", "agent:writer", "agent rights desk", "AGENT_LEAD.md",
		"\u039dEWS DESK", "\u03bdews desk", "hews desk", "news de5k", "w\u0072iter", "WYITER",
		"\u00dfoss", "bo\u00df", "6O55", "MASS", "maB",
	] {
		agents.named(name) with data.portcullis.policy as policy
		not agents.person(name) with data.portcullis.policy as policy
	}
}

test_persons if {
	every name in ["WRIT", "WRITERS", "agent_", "agent agent writer", "master", "m.ortiz", "\u674e\u660e", "\u674ewriter", "\ufb01", "wei\u00df"] {
		agents.person(name) with data.portcullis.policy as policy
	}
}

# A long s, and Hangul that is not composed.
test_names_apart if {
	every name in ["m.ortiz\u017f", "\u1100\u1161", "\u017f"] {
		not agents.person(name) with data.portcullis.policy as policy
	}
}

test_without_a_part_of_the_table_nobody_is_a_person if {
	every part in ["folds", "others", "apart", "second"] {
		names := object.remove(policy.names, [part])
		not agents.person("\u00e9") with data.portcullis.policy as object.union(object.remove(policy, ["names"]), {"names": names})
	}
}

test_names_of_which_nothing_is_left if {
	every name in ["", " ", "\u200b", "\u2800", "._-", 7, null, {}] {
		not agents.named(name) with data.portcullis.policy as policy
		not agents.person(name) with data.portcullis.policy as policy
	}
}

test_without_the_table_nobody_is_a_person if {
	not agents.person("m.ortiz") with data.portcullis.policy as object.remove(policy, ["names"])
	not agents.named("m.ortiz") with data.portcullis.policy as object.remove(policy, ["names"])
}

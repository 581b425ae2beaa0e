package portcullis.agents_test

import data.portcullis.agents

policy := {
	"roles": {"WRITER": {}},
	"agents": {"NEWS_DESK": {}},
	"manifests": {"rights_desk": {}, "a-b": {}},
	"handoff": {"agents": {"lead": "master"}},
}

test_known if {
	every name in [
		"WRITER", "writer", "wRiTer",
		"NEWS_DESK", "NEWS-DESK", "News-desk", "AGENT_NEWS_DESK", "agent-news-desk.md",
		"rights_desk", "RIGHTS-DESK", "a-b", "A_B",
		"lead", "LEAD",
	] {
		agents.known(name) with data.portcullis.policy as policy
	}
}

test_unknown if {
	every name in [
		"", "WRITER ", "WRIT", "WRITERS", "WR\u0406TER", "AGENT_WRITER", "agent_", "NEWS_DESK.md", "news desk", "ab", "master",
		"m.ortiz",
	] {
		not agents.known(name) with data.portcullis.policy as policy
	}
}

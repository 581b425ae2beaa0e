package portcullis.agents_test

import data.portcullis.agents

policy := {"roles": {"WRITER": {}}, "agents": {"NEWS_DESK": {}}, "manifests": {"news_desk": {}, "a-b": {}}}

test_known if {
	every name in ["WRITER", "NEWS_DESK", "NEWS-DESK", "news_desk", "a-b"] {
		agents.known(name) with data.portcullis.policy as policy
	}
}

test_unknown if {
	every name in ["", "writer", "WRITER ", "WRIT", "WRITERS", "WR\u0406TER", "News_Desk", "news-desk", "a_b", "m.ortiz"] {
		not agents.known(name) with data.portcullis.policy as policy
	}
}

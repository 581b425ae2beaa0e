package portcullis.arguments_test

import data.portcullis.arguments

tools := {
	"shell": {"other_arguments": "deny", "arguments": {
		"command": {
			"type": "string",
			"required": true,
			"alone": {"commands": {"git": [
				{"words": ["git", "status"]},
				{"words": ["git", "diff"], "rest": "words"},
				{"words": ["git", {"any": "word"}, "--short"]},
				{"words": ["git", "log", {"any": "option"}]},
				{"words": ["git", "show"], "rest": "any"},
			]}},
			"approved": {"commands": {"git": [{"words": ["git", "push"], "rest": "words"}]}},
			"asks": {"commands": {"git": [{"words": ["git", "push"], "rest": "words"}]}},
		},
		"why": {"type": "string", "required": false, "alone": {}},
	}},
	"write": {"other_arguments": "allow", "arguments": {
		"path": {"type": "string", "required": true, "alone": {"paths": {
			"below": ["src/", "a.md/"],
			"except": ["src/keys/"],
			"resolve": "host",
		}}},
		"note": {"type": "string", "required": false, "alone": {"paths": {"below": [""], "resolve": "text"}}},
		"all": {
			"type": "list",
			"required": false,
			"alone": {"max_length": 2},
			"each": {"type": "string", "alone": {"paths": {"below": ["src/"], "resolve": "host"}}},
		},
	}},
	"fetch": {"other_arguments": "deny", "arguments": {"url": {
		"type": "string",
		"required": true,
		"alone": {
			"hosts": {
				"literal": {"api.example.com": {"": true}, "build.example.com": {"8443": true}, "10.0.0.7": {"": true}},
				"below": {".example.org": {"": true}},
			},
			"schemes": {"https": true, "ftp": true},
		},
	}}},
	"pay": {"other_arguments": "deny", "arguments": {
		"cents": {"type": "integer", "required": true, "alone": {
			"min": {"roles": {}, "default": 1},
			"max": {"roles": {"CHIEF": 5000}, "default": 100},
		}},
		"rate": {"type": "number", "required": false, "alone": {"max": {"roles": {"CHIEF": 0.5}}}},
		"memo": {"type": "string", "required": false, "alone": {"pattern": `^(?:[a-z ]*)$`}},
		"mode": {"type": "any", "required": false, "alone": {"one_of": ["a", 1, null]}},
		"on": {"type": "boolean", "required": false, "alone": {}},
		"box": {"type": "object", "required": false, "alone": {}},
		"to": {
			"type": "list",
			"required": false,
			"alone": {},
			"each": {"type": "string", "alone": {}, "asks": {"pattern": `^(?:x.*)$`}},
		},
		"sign": {"type": "string", "required": false, "approved": {"one_of": ["yes"]}, "asks": {"one_of": ["yes"]}},
	}},
	"free": {},
}

policy := {"arguments": true, "tools": tools, "path_folds": {"K": "k", "\u0301": ""}}

denial(tool, args) := denial_of({"tool": tool, "role": "CLERK", "args": args})

denial_of(request) := answer if {
	answer := arguments.denial with input as request with data.portcullis.policy as policy
} else := "none"

said(tool, args) := [answer.reason, object.get(answer, "argument", ""), object.get(answer, "rule", "")] if {
	answer := denial(tool, args)
	is_object(answer)
} else := "none"

test_a_tool_that_does_not_say_takes_anything if {
	every args in [{}, {"x": 1}, [], "text", null] {
		denial("free", args) == "none"
	}
	denial_of({"tool": "free"}) == "none"
	silent := object.remove(policy, ["arguments"])
	not arguments.denial with input as {"tool": "shell"} with data.portcullis.policy as silent
}

test_arguments_are_an_object if {
	every args in [[], "text", 7, false] {
		denial("shell", args) == {"allowed": false, "gate": "ARGUMENTS", "reason": "arguments_malformed"}
	}
}

test_absent_arguments_are_none if {
	missing := {"allowed": false, "gate": "ARGUMENTS", "reason": "argument_missing", "argument": "command"}
	denial_of({"tool": "shell"}) == missing
	denial("shell", null) == missing
	denial("shell", {"command": null}) == missing
}

test_names_are_known if {
	denial("shell", {"a": 1, "command": "git status"}) == {"allowed": false, "gate": "ARGUMENTS", "reason": "argument_unknown", "argument": "a"}
	said("shell", {"constructor": 1}) == ["argument_missing", "command", ""]
	denial_of({"tool": "write", "args": {"path": "x", "more": 1}, "facts": {"paths": {"path": "src/x"}}}) == "none"
}

test_types if {
	said("pay", {"cents": "1"}) == ["argument_type", "cents", ""]
	said("pay", {"cents": 1.5}) == ["argument_type", "cents", ""]
	said("pay", {"cents": 1.0}) == "none"
	said("pay", {"cents": 1, "rate": "1"}) == ["argument_type", "rate", ""]
	said("pay", {"cents": 1, "memo": 1}) == ["argument_type", "memo", ""]
	said("pay", {"cents": 1, "on": "true"}) == ["argument_type", "on", ""]
	said("pay", {"cents": 1, "on": true}) == "none"
	said("pay", {"cents": 1, "box": []}) == ["argument_type", "box", ""]
	said("pay", {"cents": 1, "box": {}}) == "none"
	said("pay", {"cents": 1, "to": {}}) == ["argument_type", "to", ""]
}

test_values if {
	said("pay", {"cents": 1, "mode": 1.0}) == "none"
	said("pay", {"cents": 1, "mode": "1"}) == ["argument_not_allowed", "mode", "one_of"]
	said("pay", {"cents": 1, "memo": "a b"}) == "none"
	said("pay", {"cents": 1, "memo": "a B"}) == ["argument_not_allowed", "memo", "pattern"]
}

test_limits_by_role if {
	said("pay", {"cents": 0}) == ["argument_not_allowed", "cents", "min"]
	said("pay", {"cents": 100}) == "none"
	said("pay", {"cents": 101}) == ["argument_not_allowed", "cents", "max"]
	denial_of({"tool": "pay", "role": "CHIEF", "args": {"cents": 5000, "rate": 0.5}}) == "none"
	said("pay", {"cents": 1, "rate": 0.5}) == ["argument_not_allowed", "rate", "max"]
}

located(place) := denial_of({"tool": "write", "args": {"path": "x"}, "facts": {"paths": {"path": place}}})

unresolved := {"allowed": false, "gate": "ARGUMENTS", "reason": "path_unresolved", "argument": "path"}

outside := {"allowed": false, "gate": "ARGUMENTS", "reason": "argument_not_allowed", "argument": "path", "rule": "paths"}

test_paths if {
	every place in ["src", "src/x", "a.md", "src/keysx", "src/~x"] {
		located(place) == "none"
	}
	every place in ["srcx", "a.mdx", "src/keys", "src/Keys/x", "src/ke\u0301ys", "docs"] {
		located(place) == outside
	}
	every place in [null, 7, "", "/src", "src/", "src//x", "src/.", "src/../x", "src/x.", "src/x ", "src/a:b", `src\x`, "src/\u0085", "src/X~1"] {
		located(place) == unresolved
	}
	denial("write", {"path": "src/x"}) == unresolved
}

test_paths_by_their_text if {
	places := {"paths": {"path": "src/x"}}
	every note in ["a", "docs/b"] {
		denial_of({"tool": "write", "args": {"path": "x", "note": note}, "facts": places}) == "none"
	}
	denial_of({"tool": "write", "args": {"path": "x", "note": "../a"}, "facts": places}) == {"allowed": false, "gate": "ARGUMENTS", "reason": "path_unresolved", "argument": "note"}
}

listed(all, places) := denial_of({"tool": "write", "args": {"path": "x", "all": all}, "facts": {"paths": {"path": "src/x", "all": places}}})

test_elements if {
	listed([], []) == "none"
	listed(["a", "b"], ["src/a", "src/b"]) == "none"
	listed(["a", null], ["src/a", "src/b"]) == {"allowed": false, "gate": "ARGUMENTS", "reason": "argument_type", "argument": "all", "index": 1}
	listed(["a", "b"], ["src/a", "b"]) == {"allowed": false, "gate": "ARGUMENTS", "reason": "argument_not_allowed", "argument": "all", "rule": "paths", "index": 1}
	every places in [["src/a"], ["src/a", "src/b", "src/c"], {"0": "src/a"}, "src/a", null] {
		listed(["a", "b"], places) == {"allowed": false, "gate": "ARGUMENTS", "reason": "path_unresolved", "argument": "all", "index": 0}
	}
	listed(["a", "b", "c"], ["src/a", "src/b", "src/c"]) == {"allowed": false, "gate": "ARGUMENTS", "reason": "argument_not_allowed", "argument": "all", "rule": "max_length"}
}

test_hosts if {
	every url in ["https://api.example.com", "https://api.example.com:443/x", "https://build.example.com:8443?x", "https://a.b.example.org#x", "https://10.0.0.7/", "ftp://api.example.com/"] {
		said("fetch", {"url": url}) == "none"
	}
	every url in ["https://example.org/", "https://api.example.com:8443/", "https://build.example.com/", "https://u@api.example.com/", `https://api.example.com\@x`, "https://API.example.com", "https://xn--a.example.org/", "https://api.example.com:0443/", "//api.example.com", "https://api.example.com./", "https://api.example.com/\u00e9", "ftp://api.example.com:21/"] {
		said("fetch", {"url": url}) == ["argument_not_allowed", "url", "hosts"]
	}
	said("fetch", {"url": "http://api.example.com/"}) == ["argument_not_allowed", "url", "schemes"]
}

test_commands if {
	every command in ["git status", "'git' status", "git diff", `git diff a "b c"`, "git diff ''", "git x --short", "git log -p", "git show -p @x +y", "git push a"] {
		said("shell", {"command": command}) == "none"
	}
	every command in ["git", "git status x", "git diff -p", "git diff '-p'", "git diff +x", "git diff @x", "git -x --short", "git log p", "git log -p x", "GIT status", "rm x", "git push -f"] {
		said("shell", {"command": command}) == ["argument_not_allowed", "command", "commands"]
	}
	every command in ["", " git status", "git  status", "git status; rm x", "git diff $(x)", "git diff `x`", "git diff a\nb", "A=1 git status", "'A=1' git", "git diff =x", `git "diff`, `git di"ff"`, "git diff '\u00e9'", "git diff '!x'", "git diff *"] {
		said("shell", {"command": command}) == ["command_not_plain", "command", ""]
	}
}

asked(tool, args) if {
	arguments.person_needed with input as {"tool": tool, "args": args} with data.portcullis.policy as policy
}

test_a_person_is_asked_for_what_approval_matches if {
	asked("shell", {"command": "git push a"})
	not asked("shell", {"command": "git status"})
	asked("pay", {"cents": 1, "sign": "yes"})
	not asked("pay", {"cents": 1})
	not asked("pay", {"cents": 1, "sign": null})
	asked("pay", {"cents": 1, "to": ["a", "x"]})
	not asked("pay", {"cents": 1, "to": ["a", "b"]})
	not asked("free", {"x": 1})
}

test_what_approval_names_alone_is_all_that_is_allowed if {
	said("pay", {"cents": 1, "sign": "yes"}) == "none"
	said("pay", {"cents": 1, "sign": "no"}) == ["argument_not_allowed", "sign", "one_of"]
}

# METADATA
# title: Arguments
# description: |
#   What a tool's arguments may be, as `arguments` of tool_registry.yaml says it. Names are looked at in the order of code points,
#   and the first that is wrong decides; the members of each are asked in one order. A value of another type than the tool says is
#   wrong, and so is a path that the host did not resolve. A tool may also allow values that need the approval of a person.
package portcullis.arguments

import data.portcullis.path as paths
import data.portcullis.policy

# METADATA
# description: The denial of the call's arguments; undefined where they are what the tool says, or where it says nothing.
denial := {"allowed": false, "gate": "ARGUMENTS", "reason": "arguments_malformed"} if {
	declared
	not given
} else := denials[0]

# METADATA
# description: An argument has a value that needs a person's approval. Asked of arguments that are not denied.
person_needed if {
	some name, rule in declared
	asks(rule.asks, given[name], name, null)
}

person_needed if {
	some name, rule in declared
	members := rule.each.asks
	some i, value in given[name]
	asks(members, value, name, i)
}

# METADATA
# description: |
#   An argument has a value that needs a person's approval of this very call: one that asks for it says that it is bound. A tool
#   without such an argument says so once.
bound_person_needed if {
	policy.tools[input.tool].bound_arguments
	some name, rule in declared
	rule.bound
	asks(rule.asks, given[name], name, null)
}

bound_person_needed if {
	policy.tools[input.tool].bound_arguments
	some name, rule in declared
	rule.each.bound
	some i, value in given[name]
	asks(rule.each.asks, value, name, i)
}

# A policy whose tools all say nothing says so once, and the rest of this module costs it nothing.
declared := policy.tools[input.tool].arguments if policy.arguments

# METADATA
# custom:
#   gate: ARGUMENTS
#   rule: the arguments are what the tool says they may be
#   depends: facts
#   says:
#     arguments_malformed: the arguments of the call are no object
given := input.args if {
	is_object(input.args)
} else := {} if {
	not args_given
}

args_given if input.args != null

denials := [wrong(name, object.get(declared, name, null), object.get(given, name, null)) |
	some name in (object.keys(declared) | object.keys(given))
]

# What is wrong with the argument of a name, of which the tool says a rule or nothing; undefined where nothing is.
wrong(name, rule, value) := {"allowed": false, "gate": "ARGUMENTS", "reason": "argument_unknown", "argument": name} if {
	not known(rule)
} else := {"allowed": false, "gate": "ARGUMENTS", "reason": "argument_missing", "argument": name} if {
	rule.required
	not there(value)
} else := {"allowed": false, "gate": "ARGUMENTS", "reason": "argument_type", "argument": name} if {
	there(value)
	not typed(rule.type, value)
} else := fault if {
	fault := wrong_elements(name, rule.each, value)[0]
} else := object.union({"argument": name}, fault) if {
	there(value)
	fault := refusal(rule, value, name, null)
}

# METADATA
# custom:
#   gate: ARGUMENTS
#   depends: facts
#   says:
#     argument_unknown: "tool {tool} has no argument `{argument}`"
known(rule) if rule != null

known(_) if policy.tools[input.tool].other_arguments == "allow"

# `null` counts as absent.
# METADATA
# custom:
#   gate: ARGUMENTS
#   depends: facts
#   says:
#     argument_missing: "tool {tool} needs argument `{argument}`"
there(value) if value != null

# METADATA
# custom:
#   gate: ARGUMENTS
#   depends: facts
#   says:
#     argument_type: "argument `{argument}` is of another type than tool {tool} takes"
typed("string", value) if is_string(value)

typed("integer", value) if {
	is_number(value)
	floor(value) == value
}

typed("number", value) if is_number(value)

typed("boolean", value) if is_boolean(value)

typed("list", value) if is_array(value)

typed("object", value) if is_object(value)

typed("any", value) if value != null

wrong_elements(name, rule, values) := [object.union({"argument": name, "index": i}, fault) |
	some i, value in values
	fault := wrong_element(rule, value, name, i)
]

wrong_element(rule, value, name, i) := {"allowed": false, "gate": "ARGUMENTS", "reason": "argument_type"} if {
	not typed(rule.type, value)
} else := refusal(rule, value, name, i)

# Where the host says that the file lies which an argument names, or an element of it. There is a path for each element, or none
# counts.
path_of(name, null) := input.facts.paths[name]

path_of(name, i) := place if {
	places := input.facts.paths[name]
	is_array(places)
	count(places) == count(given[name])
	place := places[i]
}

# A value may be allowed in two ways: by the members `alone`, and by those that hold with a person's approval. There is no `alone`
# where `approval` has a member that the tool does not name: nothing is allowed by that alone.
refusal(rule, value, name, i) := fault if {
	not allowed_with_approval(rule, value, name, i)
	fault := refused(rule.alone, value, name, i)
} else := fault if {
	not rule.alone
	fault := refused(rule.approved, value, name, i)
}

allowed_with_approval(rule, value, name, i) if {
	members := rule.approved
	not refused(members, value, name, i)
}

# A value that `approval` matches. One that is allowed with an approval alone is among these: that has all of its members.
asks(members, value, name, i) if {
	there(value)
	not refused(members, value, name, i)
}

# The first of the members that refuses a value.
# METADATA
# custom:
#   gate: ARGUMENTS
#   depends: facts
#   says:
#     argument_not_allowed: "argument `{argument}` is not what `{rule}` of tool {tool} allows"
refused(members, value, name, i) := not_allowed("one_of") if {
	values := members.one_of
	not value in values
} else := not_allowed("pattern") if {
	pattern := members.pattern
	not regex.match(pattern, value)
} else := not_allowed("max_length") if {
	length := members.max_length
	not short(length, value)
} else := not_allowed("min") if {
	limits := members.min
	not large(limits, value)
} else := not_allowed("max") if {
	limits := members.max
	not small(limits, value)
} else := {"allowed": false, "gate": "ARGUMENTS", "reason": "path_unresolved"} if {
	rules := members.paths
	not resolved(rules, value, name, i)
} else := not_allowed("paths") if {
	rules := members.paths
	not inside(rules, value, name, i)
} else := not_allowed("hosts") if {
	hosts := members.hosts
	not hosted(hosts, value)
} else := not_allowed("schemes") if {
	schemes := members.schemes
	not schemed(schemes, value)
} else := {"allowed": false, "gate": "ARGUMENTS", "reason": "command_not_plain"} if {
	members.commands
	not plain(value)
} else := not_allowed("commands") if {
	commands := members.commands
	not commanded(commands, value)
}

not_allowed(rule) := {"allowed": false, "gate": "ARGUMENTS", "reason": "argument_not_allowed", "rule": rule}

# Each has a name of its own: `not f(g(x))` asks for g(x) outside of the `not`, and is undefined where that is.
short(length, value) if count(value) <= length

large(limits, value) if value >= limit(limits)

small(limits, value) if value <= limit(limits)

# A role without a row, where there is no `default`, has no limit that a value could keep.
limit(limits) := own if {
	own := limits.roles[input.role]
} else := limits["default"]

# METADATA
# custom:
#   gate: ARGUMENTS
#   depends: facts
#   says:
#     path_unresolved: "where the file lies that argument `{argument}` names cannot be told"
resolved(rules, value, name, i) if canonical(place(rules, value, name, i))

# A file or folder from the project's root, if it is canonical.
place(rules, value, name, i) := value if {
	rules.resolve == "text"
} else := path_of(name, i)

# Segments, each with something in it, and without a dot or a space at its end: so `.` and `..` are not among them.
canonical(place) if {
	around := concat("", ["/", place, "/"])
	not contains(around, "//")
	not contains(around, "./")
	not contains(around, " /")
	not strange(place)
}

# A `\`, `:` or control character, or a short name of another system, as `PROGRA~1`. Most paths have plain letters alone.
strange(place) if {
	trim(place, plain_letters) != ""
	regex.match(`[\\:\x00-\x1f\x7f-\x{9f}]|~[0-9]`, place)
}

plain_letters := "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./"

inside(rules, value, name, i) if {
	found := concat("", [place(rules, value, name, i), "/"])
	some folder in rules.below
	paths.inside(found, folder)
	outside(rules, found)
}

outside(rules, _) if not rules.except

# Files that are one in some file system are one here: letters in any case and form.
outside(rules, found) if {
	read := folded(found)
	every folder in rules.except {
		not paths.inside(read, folder)
	}
}

# By the policy's table, so that every engine folds alike, whatever Unicode it knows.
folded(text) := lower(text) if {
	# For these letters this is what the table says.
	trim(text, plain_letters) == ""
	policy.path_folds
} else := concat("", [object.get(policy.path_folds, character, character) | some character in split(text, "")])

hosted(hosts, value) if {
	[_, scheme, host, port] := url(value)
	open(hosts.literal[host], scheme, port)
}

hosted(hosts, value) if {
	[_, scheme, host, port] := url(value)
	some suffix, ports in hosts.below
	endswith(host, suffix)
	not punycode(host)
	open(ports, scheme, port)
}

# Asked of a URL.
schemed(schemes, value) if schemes[substring(value, 0, indexof(value, "://"))]

# An absolute URL in its parts: all of it, the scheme, the host, the port or nothing. It has no user, and no `\`.
url(value) := regex.find_all_string_submatch_n(
	`^([a-z][a-z0-9+.-]*)://([a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::(0|[1-9][0-9]{0,4}))?(?:[/?#][!-\[\]-~]*)?$`,
	value,
	1,
)[0]

# Letters of other alphabets look like those of an entry.
punycode(host) if regex.match(`(?:^|\.)xn--`, host)

# `ports`: of the entries for a host, with a port each or with none, which means the scheme's own.
open(ports, scheme, port) if ports[port_of(scheme, port)]

open(ports, scheme, port) if {
	ports[""]
	port_of(scheme, port) == own_port(scheme)
}

port_of(scheme, port) := port if {
	port != ""
} else := own_port(scheme)

own_port(scheme) := object.get({"https": "443", "http": "80"}, scheme, "")

# A command line that every POSIX shell reads alike: words with single spaces between them, each bare or in quotes that hold nothing
# that a shell reads. In the first word `=` would set a variable.
# METADATA
# custom:
#   gate: ARGUMENTS
#   depends: facts
#   says:
#     command_not_plain: "argument `{argument}` is no plain command: shells would read more in it than words"
plain(value) if {
	# Most lines have no quotes: then this is what the pattern says.
	trim(value, bare) == ""
	around := concat("", [" ", value, " "])
	not contains(around, "  ")
	not contains(around, " =")
	not contains(split(value, " ")[0], "=")
}

plain(value) if regex.match(
	`^(?:[A-Za-z0-9_@+:,./-]+|'[ "#%&(-<>-\[\]-_a-~]*'|"[ #%-<>-\[\]-_a-~]*")(?: (?:[A-Za-z0-9_@+:,./-][A-Za-z0-9_@+=:,./-]*|'[ "#%&(-\[\]-_a-~]*'|"[ #%-\[\]-_a-~]*"))*$`,
	value,
)

# What a bare word may have in it, and the space.
bare := " ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@+=:,./-"

words_of(value) := split(value, " ") if {
	trim(value, bare) == ""
} else := [unquoted(word) | some word in regex.find_n(`'[^']*'|"[^"]*"|[^ ]+`, value, -1)]

commanded(commands, value) if {
	words := words_of(value)
	some pattern in commands[words[0]]
	every i, wanted in pattern.words {
		fits(wanted, words[i])
	}
	every word in array.slice(words, count(pattern.words), count(words)) {
		follows(pattern.rest, word)
	}
}

unquoted(word) := trim(word, "'") if {
	startswith(word, "'")
} else := trim(word, `"`)

# A text stands for itself.
fits(wanted, word) if wanted == word

fits({"any": "word"}, word) if operand(word)

fits({"any": "option"}, word) if startswith(word, "-")

follows("words", word) if operand(word)

follows("any", _)

# Programs read options behind `-` and `+`, and files of them behind `@`.
operand(word) if not substring(word, 0, 1) in {"-", "+", "@"}

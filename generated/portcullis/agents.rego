# METADATA
# title: Agents
# description: |
#   What the policy knows as an agent, by any of its names. People are what it does not know. Names are compared as people read
#   them: letters that look alike in one of their cases are one, in any form, and other characters than letters and digits do
#   not count.
package portcullis.agents

import data.portcullis.policy

# METADATA
# description: A name of which something is left.
named(name) if as_read(name) != ""

# METADATA
# description: |
#   A person's name: not that of a role, an instruction file, an agent type, or an agent of handoffs. Another spelling of its
#   name does not make an agent a person. A name with a character that can be read as letters which differ is no person's.
person(name) if {
	regex.match(policy.names.apart, name) == false
	unknown(as_read(name))
	unknown_by_second_reading(name, strings.replace_n(policy.names.second, name))
}

unknown(read) if {
	read != ""
	not read in names
}

# Most names read in one way.
unknown_by_second_reading(name, second) if {
	second == name
} else if {
	unknown(as_read(second))
}

# `NEWS_DESK`, `AGENT_NEWS_DESK` and `AGENT_NEWS_DESK.md` are one, and so is `agent:NEWS_DESK`.
names contains read if {
	some name in agents
	some [before, behind] in [["", ""], ["AGENT_", ""], ["AGENT_", ".md"]]
	some read in readings(concat("", [before, name, behind]))
}

# `ß` is `ss`, and looks like `B`: a name with one reads in two ways.
readings(name) := {as_read(one) | some one in {name, strings.replace_n(policy.names.second, name)}}

agents contains name if some name, _ in policy.roles

agents contains name if some name, _ in policy.manifests

# Absent where the policy names none.
agents contains name if some name, _ in policy.handoff.agents

agents contains name if some name, _ in policy.agents

# Letters and digits of ASCII that are one.
alike := {
	"1": "i",
	"l": "i",
	"|": "i",
	"0": "o",
	"3": "j",
	"5": "s",
	"6": "b",
	"n": "h",
	"v": "h",
	"u": "r",
	"y": "r",
}

# A policy without the table reads nothing, so it knows no person.
as_read(name) := strings.replace_n(alike, regex.replace(lower(name), `[^a-z0-9|]+`, "")) if {
	# Most names are ASCII, for which this is what the table says.
	not regex.match(`[^\x00-\x7f]`, name)
	policy.names
} else := regex.replace(spelt, policy.names.others, "") if {
	all := [letters(c) | some c in split(name, "")]
	spelt := concat("", all)
}

letters(character) := stands_for if {
	some stands_for, characters in policy.names.folds
	contains(characters, character)
} else := character

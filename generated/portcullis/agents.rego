# METADATA
# title: Agents
# description: |
#   What the policy knows as an agent, by any of its names. People are what it does not know. Names are compared as people read
#   them: letters that look alike are one, in any case and form, and other characters than letters and digits do not count.
package portcullis.agents

import data.portcullis.policy

# METADATA
# description: A name of which something is left.
named(name) if as_read(name) != ""

# METADATA
# description: |
#   A person's name: not that of a role, an instruction file, an agent type, or an agent of handoffs. Another spelling of its
#   name does not make an agent a person.
person(name) if {
	read := as_read(name)
	read != ""
	not read in names
}

names contains as_read(name) if some name, _ in policy.roles

names contains as_read(name) if some name, _ in policy.manifests

names contains as_read(name) if some name, _ in policy.handoff.agents

# `NEWS_DESK`, `AGENT_NEWS_DESK` and `AGENT_NEWS_DESK.md` are one.
names contains as_read(concat("", [before, name, behind])) if {
	some name, _ in policy.agents
	some [before, behind] in [["", ""], ["AGENT_", ""], ["AGENT_", ".md"]]
}

# A policy without the table reads nothing, so it knows no person.
as_read(name) := replace(replace(replace(replace(plain, "l", "i"), "1", "i"), "|", "i"), "0", "o") if {
	# Most names are ASCII, for which this is what the table says.
	not regex.match(`[^\x00-\x7f]`, name)
	policy.names
	plain := stripped(replace(replace(replace(replace(lower(name), " ", ""), ".", ""), "_", ""), "-", ""))
} else := regex.replace(concat("", [letters(c) | some c in split(name, "")]), policy.names.others, "")

letters(character) := stands_for if {
	some stands_for, characters in policy.names.folds
	contains(characters, character)
} else := character

# A pattern that replaces costs ten times as much as one that is looked for.
stripped(text) := text if {
	not regex.match(`[^a-z0-9|]`, text)
} else := regex.replace(text, `[^a-z0-9|]+`, "")

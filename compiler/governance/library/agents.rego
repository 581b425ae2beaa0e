# METADATA
# title: Agents
# description: |
#   What the policy knows as an agent, by any of its names. People are what it does not know.
package portcullis.agents

import data.portcullis.policy

# METADATA
# description: |
#   The name of a role, an instruction file, an agent type, or an agent of handoffs, in any case and with `-` for `_`: an agent
#   is no person because somebody wrote its name otherwise.
known(name) if folded(name) in names

names contains folded(name) if some name, _ in policy.roles

names contains folded(name) if some name, _ in policy.manifests

names contains folded(name) if some name, _ in policy.handoff.agents

# `NEWS_DESK`, `AGENT_NEWS_DESK` and `AGENT_NEWS_DESK.md` are one.
names contains concat("", [before, folded(name), behind]) if {
	some name, _ in policy.agents
	some [before, behind] in [["", ""], ["agent_", ""], ["agent_", ".md"]]
}

folded(name) := replace(lower(name), "-", "_")

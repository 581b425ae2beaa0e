# METADATA
# title: Agents
# description: |
#   What the policy knows as an agent, by any of its names. People are what it does not know.
package portcullis.agents

import data.portcullis.policy

# METADATA
# description: The name of a role, of an instruction file (names are equal with `-` for `_`), or of an agent type.
known(name) if policy.roles[name]

known(name) if policy.agents[replace(name, "-", "_")]

known(name) if policy.manifests[name]

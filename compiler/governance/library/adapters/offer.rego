# METADATA
# title: What a server of the Model Context Protocol offers beside tools
# description: |
#   May this resource or prompt be read in this lane? The input is `{role, lane, lineage?, kind, name}`: who stands behind the
#   request as the gateway knows it, `resources` or `prompts`, and the address or name. `mcp` of `portcullis.yaml` lists them;
#   what it does not list is denied.
package portcullis.offer

import data.portcullis.adapter
import data.portcullis.call
import data.portcullis.lane
import data.portcullis.lineage
import data.portcullis.policy
import data.portcullis.text

# METADATA
# title: portcullis/offer/mcp
# description: One resource or prompt, `{role, lane, lineage?, kind, name}` to `{allowed, gate, reason}`.
# entrypoint: true
default mcp := {"allowed": false, "gate": "INTERNAL_ERROR", "reason": "no_decision"}

mcp := verdict

verdict := {"allowed": false, "gate": "REQUEST", "reason": "request_malformed"} if {
	not request_well_formed
} else := {"allowed": false, "gate": "LINEAGE", "reason": "lineage_not_permitted"} if {
	not lineage.decision.allowed
} else := {"allowed": false, "gate": "LINEAGE", "reason": "lineage_missing"} if {
	not call.lineage_optional
	not call.lineage_given
} else := {"allowed": false, "gate": "LANE_AUTHORIZATION", "reason": "lane_not_authorized"} if {
	not lane.decision.allowed
} else := {"allowed": false, "gate": "OFFER", "reason": "not_offered_in_lane"} if {
	not offered
} else := {"allowed": true, "gate": "ALLOW", "reason": "offered"}

request_well_formed if {
	input.kind in {"resources", "prompts"}
	text.written(input.name)
}

offered if policy.offers[input.kind].open

offered if listed.names[input.name]

# What goes on behind a `*` is read alike by everybody: no escapes, and no way up.
offered if {
	some prefix in listed.prefixes
	startswith(input.name, prefix)
	every segment in split(substring(input.name, count(prefix), -1), "/") {
		adapter.plain(segment)
		not segment in {".", ".."}
	}
}

listed := policy.offers[input.kind].lanes[input.lane]

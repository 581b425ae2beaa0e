# METADATA
# title: Envoy's external authorization
# description: |
#   May Envoy pass this HTTP request on? The input is what OPA's plugin for Envoy makes of a check request.
#   `adapters.envoy` of `portcullis.yaml` says which tool a route is, and which headers hold who calls. Those headers must be
#   Envoy's own: what a client sends under their names has to be removed before. A path or a query with escapes, empty
#   segments or dots has more than one meaning, and is denied.
package portcullis.envoy

import data.portcullis.adapter
import data.portcullis.call
import data.portcullis.policy

# METADATA
# title: portcullis/envoy/authz
# description: |
#   One check request to `{allowed, gate, reason, dynamic_metadata}` with what the call decision has to say besides, and on
#   denial `http_status`, `headers` and `body`: what the plugin tells Envoy.
# entrypoint: true
default authz := {
	"allowed": false,
	"gate": "INTERNAL_ERROR",
	"reason": "no_decision",
	"http_status": 403,
	"headers": {"content-type": "application/json"},
	"body": `{"gate":"INTERNAL_ERROR","reason":"no_decision"}`,
	"dynamic_metadata": {"gate": "INTERNAL_ERROR", "reason": "no_decision"},
}

authz := object.union(verdict, {"dynamic_metadata": short}) if {
	verdict.allowed
} else := object.union(verdict, {
	"http_status": 403,
	"headers": {"content-type": "application/json"},
	"body": json.marshal(short),
	"dynamic_metadata": short,
})

short := {"gate": verdict.gate, "reason": verdict.reason}

verdict := {"allowed": false, "gate": "REQUEST", "reason": "request_malformed"} if {
	not request_well_formed
} else := {"allowed": false, "gate": "ROUTE", "reason": "path_ambiguous"} if {
	not path_plain
} else := {"allowed": false, "gate": "ROUTE", "reason": "route_not_mapped"} if {
	count(routes) == 0
} else := {"allowed": false, "gate": "ROUTE", "reason": "route_ambiguous"} if {
	count(routes) > 1
} else := {"allowed": false, "gate": "ROUTE", "reason": "query_not_mapped"} if {
	not query_mapped
} else := {"allowed": false, "gate": "REQUEST", "reason": "body_not_understood"} if {
	not body_understood
} else := {"allowed": false, "gate": "IDENTITY", "reason": "identity_missing"} if {
	not identified
} else := {"allowed": false, "gate": "IDENTITY", "reason": "identity_malformed"} if {
	not claims_well_formed
} else := answer if {
	answer := call.decision with input as asked
}

http := input.attributes.request.http

mapping := policy.adapters.envoy

request_well_formed if {
	is_string(http.method)
	startswith(http.path, "/")
	is_object(http.headers)
}

# The path, and the query where there is one. A second `?` is part of the query, and is not plain.
halves := split(http.path, "?")

segments := split(substring(halves[0], 1, -1), "/")

path_plain if {
	count(halves) <= 2
	every segment in segments {
		adapter.plain(segment)
		not segment in {".", ".."}
	}
}

routes := [route |
	some route in mapping.routes
	route.method == http.method
	count(route.segments) == count(segments)
	every i, wanted in route.segments {
		fits(wanted, segments[i])
	}
]

# `null` stands for any segment.
fits(null, _)

fits(wanted, segment) if wanted == segment

route := routes[0]

parameters := {key: segments[i] | some key, i in route.parameters}

pairs := [split(pair, "=") | some pair in split(halves[1], "&")]

# Each name occurs once, and only mapped names occur.
query_mapped if {
	every pair in pairs {
		count(pair) == 2
		route.query[pair[0]]
		adapter.plain(pair[1])
	}
	count({pair[0] | some pair in pairs}) == count(pairs)
}

query := {pair[0]: pair[1] | some pair in pairs}

# Where the route's body is read, all of it must be there: rules that deny over an argument would pass one that is missing.
body_understood if route.body == "ignored"

body_understood if {
	route.body == "json"
	is_object(input.parsed_body)
	object.get(input, "truncated_body", false) == false
}

arguments := input.parsed_body if route.body == "json"

else := {}

role := http.headers[mapping.headers.role]

# A route may have its lane; else a header says which.
lane := route.lane if {
	route.lane
} else := http.headers[mapping.headers.lane]

identified if {
	adapter.single(role)
	adapter.single(lane)
}

# Claims that are more than a text come as JSON. One whose header is absent is null, which counts as absent.
claims_well_formed if {
	every claim in ["lineage", "approval"] {
		claim_well_formed(claim)
	}

	# A comma stands between two headers of one name: what is behind Envoy would read one of them.
	every _, value in header_scope {
		not contains(value, ",")
	}
}

claim_well_formed(claim) if not claim_text(claim)

claim_well_formed(claim) if json.is_valid(claim_text(claim))

claim_text(claim) := http.headers[mapping.headers[claim]]

claim_value(claim) := json.unmarshal(claim_text(claim)) if {
	claim_text(claim)
} else := null

header_scope := {key: http.headers[header] | some key, header in mapping.headers.scope}

asked := {
	"role": role,
	"lane": lane,
	"tool": route.tool,
	"scope": object.union_n([
		query,
		adapter.scope_of(route, arguments),
		parameters,
		header_scope,
	]),
	"flags": route.flags,
	"writes": route.writes,
	"lineage": claim_value("lineage"),
	"approval": claim_value("approval"),
	"args": arguments,
}

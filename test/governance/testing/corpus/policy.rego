# What the table of requests below tests.
package policy

default allow := false

allow if input.method == "GET"

allow if {
	input.method == "POST"
	input.user in data.policy.admins
}

admins := {"alice", "bob"}

level := "none" if {
	not input.user
} else := "admin" if {
	input.user in admins
} else := "user"

deny contains message if {
	some field in ["user", "method"]
	not input[field]
	message := sprintf("%s is missing", [field])
}

# METADATA
# title: Adapters
# description: |
#   What the adapters share. An adapter reads a request of another protocol, finds in `portcullis.yaml` what it is about, and
#   asks the call decision. It allows nothing that the call decision denies: whatever is unknown, missing or has more than one
#   meaning is a denial of its own.
package portcullis.adapter

import data.portcullis.text

# METADATA
# description: The parts of the call's scope that arguments hold. An argument that is missing leaves its key out.
scope_of(mapped, arguments) := {key: value |
	some key, argument in mapped.scope
	value := arguments[argument]
}

# METADATA
# description: |
#   Text whose characters mean themselves wherever a URL is read: no escapes, no separators, nothing that one reader would
#   drop and another keep.
plain(part) if {
	part != ""
	trim(part, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:@") == ""
}

# METADATA
# description: |
#   What a decision says besides `allowed`, for protocols that have a place of their own for the answer.
details(verdict) := object.remove(verdict, ["allowed"])

# METADATA
# description: An optional member is absent or an object; `null` is not an object.
absent_or_object(container, key) if is_object(object.get(container, key, {}))

# METADATA
# description: A text of an identity that shows something and is one text, not two that a proxy has joined.
single(value) if {
	text.written(value)
	not contains(value, ",")
}

# METADATA
# title: Violations of a handoff
# description: How a violation is told, and where in the record it lies.
package portcullis.handoff_report

# METADATA
# description: A violation, and the JSON pointer of its place in the record.
violation(gate, reason, path) := {"gate": gate, "reason": reason, "path": path}

# METADATA
# description: The JSON pointer of a member of the record.
pointer(field) := concat("", ["/", replace(replace(field, "~", "~0"), "/", "~1")])

# METADATA
# description: The JSON pointer of an item of a list, or of a field of the item.
item(list, i, field) := concat("", [list, format_int(i, 10), field])

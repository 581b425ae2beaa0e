package portcullis.handoff_report_test

import data.portcullis.handoff_report

test_violation if {
	handoff_report.violation("G", "r", "/p") == {"gate": "G", "reason": "r", "path": "/p"}
}

# RFC 6901: `~` is `~0`, and `/` is `~1`.
test_pointer if {
	handoff_report.pointer("task_id") == "/task_id"
	handoff_report.pointer("a/b~c") == "/a~1b~0c"
	handoff_report.pointer("") == "/"
}

test_item if {
	handoff_report.item("/artifacts/", 12, "/path") == "/artifacts/12/path"
	handoff_report.item("/artifacts/", 0, "") == "/artifacts/0"
}

package portcullis.adapter_test

import data.portcullis.adapter

test_plain_text_means_one_thing if {
	every part in ["a", "A-1", "x.y", "~", "a:b@c", "..."] {
		adapter.plain(part)
	}
	every part in ["", " ", "a b", "a%2f", "a/b", "a\\b", "a;b", "ü", "a+b", "a\u200b"] {
		not adapter.plain(part)
	}
}

test_a_single_text_shows_something_and_is_one if {
	adapter.single("R")
	not adapter.single("R,S")
	not adapter.single(" ")
}

test_scope_holds_what_the_arguments_have if {
	adapter.scope_of({"scope": {"k": "a", "m": "b"}}, {"a": 1, "c": 2}) == {"k": 1}
	adapter.scope_of({"scope": {}}, {"a": 1}) == {}
}

test_an_optional_object_is_absent_or_an_object if {
	adapter.absent_or_object({}, "k")
	adapter.absent_or_object({"k": {"a": 1}}, "k")
	not adapter.absent_or_object({"k": null}, "k")
	not adapter.absent_or_object({"k": []}, "k")
}

test_details_are_everything_but_the_answer if {
	adapter.details({"allowed": false, "gate": "G", "reason": "r"}) == {"gate": "G", "reason": "r"}
}

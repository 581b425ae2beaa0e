package portcullis.text_test

import data.portcullis.text

test_blank if {
	every value in ["", " ", "\t\n\u000b\f\r\u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000", "\ufeff"] {
		not text.written(value)
	}
}

test_written if {
	every value in ["a", " a ", "\u0000", "\u001c", "\u180e", "\u200b", "\u2060"] {
		text.written(value)
	}
}

test_other_types_are_not_written if {
	every value in [null, true, false, 0, 1, [], ["a"], {}, {"a": "b"}] {
		not text.written(value)
	}
}

test_the_byte_order_mark_is_blank_but_not_white_space if {
	not contains(text.white_space, "\ufeff")
	contains(text.blank, "\ufeff")
}

test_described if {
	every value in ["x", " x ", {"a": ""}, {"": null}] {
		text.described(value)
	}
	every value in ["", "\u2003\ufeff", {}, [], ["x"], null, true, 0] {
		not text.described(value)
	}
}

test_listed if {
	every value in [[1], [null], [[]]] {
		text.listed(value)
	}
	every value in [[], {}, {"a": 1}, {1}, "x", null, true, 1] {
		not text.listed(value)
	}
}

# Parameterised tests: what a case is, and when it fails.
package cases

test_all_pass[name] if some name in ["one", "two", "three"]

test_none[name] if {
	some name in []
}

test_some_fail[tc.note] if {
	some tc in [{"note": "one", "v": 1}, {"note": "two", "v": 2}, {"note": "three", "v": 1}]
	tc.v == 1
}

test_all_fail[tc.note] if {
	some tc in [{"note": "one", "v": 1}, {"note": "two", "v": 2}]
	tc.v == 3
}

test_name_known_late[name] if {
	some tc in [{"note": "one", "v": 1}, {"note": "two", "v": 2}]
	tc.v == 1
	name := tc.note
}

test_name_known_early[name] if {
	some tc in [{"note": "one", "v": 1}, {"note": "two", "v": 2}]
	name := tc.note
	tc.v == 1
}

test_nested[tc.note][i] if {
	some tc in [{"note": "one", "v": [1, 2]}, {"note": "two", "v": [1]}, {"note": "three", "v": []}]
	some i, v in tc.v
	v == 1
}

test_nested_three[a][b][c] if {
	some a in ["a", "b"]
	some b in ["c", "d"]
	some c in [1, 2]
	not failing(a, b, c)
}

failing("a", "d", 2)

test_numbers[n] if {
	some n in [1, 2.5, 10, 2]
	n < 10
}

test_booleans[b] if {
	some b in [true, false]
	b
}

test_lists[k] if {
	some k in [["a", 1], ["b", 2]]
	k[1] == 1
}

test_values[x] := y if some x, y in {"a": true, "b": false, "c": 3, "d": {"e": true}, "f": {"g": false}}

test_formatted[sprintf("%s/%d", [tc.note, tc.v])] if {
	some tc in [{"note": "one", "v": 1}, {"note": "two", "v": 2}]
	tc.v == 2
}

test_constant_name["only"] if true

test_constant_name_fails["only"] if false

test_from_object[note] if {
	some note, tc in {"x is y": {"x": 1, "y": 1}, "x is not y": {"x": 1, "y": 2}}
	tc.x == tc.y
}

test_with_input[tc.note] if {
	some tc in [{"note": "allowed", "n": 1}, {"note": "denied", "n": 2}]
	allow with input as {"n": tc.n}
}

allow if input.n == 1

test_every_case[tc.note] if {
	some tc in [{"note": "all", "v": [1, 1]}, {"note": "not all", "v": [1, 2]}]
	every v in tc.v {
		v == 1
	}
}

test_negated[tc.note] if {
	some tc in [{"note": "holds", "v": 1}, {"note": "does not", "v": 2}]
	not tc.v == 2
}

test_same_case_twice[name] if {
	some name, v in {"a": 1, "b": 2}
	some w in [1, 2]
	v == w
}

test_partial_with_tail[name].passed if some name in ["a", "b"]

test_fixed.part[name] if {
	some name in ["a", "b"]
	name == "a"
}

in_group.test_case[name] if {
	some name in ["a", "b"]
	name == "b"
}

test_by_hand[name] if {
	some name in ["a", "b"]
	internal.test_case([name])
	name == "a"
}

todo_test_cases[name] if {
	some name in ["a"]
	name == "b"
}

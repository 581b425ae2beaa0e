package failing_test

import data.failing

xs := [1, 2, 3]

test_let if {
	x := 1 + 2
	y := x * 2
	y == 7
}

test_not if {
	x := 3
	not failing.allow with input.n as x
}

test_not_value if not failing.p

test_every if {
	ys := [1, 5, 2]
	every y in ys {
		z := y + 1
		z < 4
	}
}

test_every_key if {
	every k, v in {"a": 1, "b": 7} {
		k != "c"
		v < 5
	}
}

test_some if {
	some i, x in xs
	x > i + 3
}

test_some_none if {
	some x in []
	x > 1
}

test_comparison if count(xs) == count([y | y := xs[_]; y > 1]) + 2

test_call if failing.inc(3) == failing.inc(4)

test_bool_call if startswith("abc", "b")

test_own_function if failing.is_small(12)

test_undefined if {
	a := 1
	failing.missing[a] == 2
}

test_false if failing.allow with input as {"n": 1}

test_else := false if {
	1 == 2
} else if {
	x := 7
	x == 8
}

test_in if 5 in xs

test_in_object if "v", 1 in {"v": 2}

test_ref if input.a.b == 1 with input as {"a": {"b": 2}}

test_unequal if xs[0] != 1

test_case[name] if {
	some name, n in {"one": 1, "two": 2}
	n < 2
}

test_two_refs if failing.p == failing.q

test_several if {
	failing.p == 1
	some x in xs
	x == 2
	failing.inc(x) == 5
}

test_object if {"a": failing.p} == {"a": 2}

test_var_false if {
	x := false
	x
}

test_unify if {
	[a, b] = [1, 2]
	a == b
}

test_set if {1, 2} == {x | some x in xs}

test_nested_call if upper(concat("-", ["a", "b"])) == "A_B"

test_iteration if {
	xs[i] > 2
	i == 0
}

test_with_function if failing.calls == 3 with failing.inc as 2

test_partial if {
	found := failing.names
	"zoe" in found
}

test_is if is_string(failing.p)

test_arithmetic if failing.p + failing.q == failing.p * failing.q

# What tests print and note.
package heard

test_prints if print("hello")

test_prints_values if {
	x := {"a": [1, "two", null], "b": {3, 4}}
	print(x, "text", 1.50, true, input.absent)
}

test_prints_each if {
	some x in [1, 2]
	print("x is", x)
	x == 2
}

test_prints_and_fails if {
	print("before")
	false
}

test_prints_never if {
	false
	print("never")
}

test_prints_of_undefined if print(data.nowhere, input.x.y)

test_prints_nothing if print()

test_notes if trace("noted")

test_notes_and_fails if {
	trace("noted")
	1 == 2
}

test_note_of_a_number if trace(sprintf("%d", [1]))

test_note_that_is_no_text if trace(input.x) with input as {"x": 1}

test_note_that_is_no_text_negated if not trace(input.x) with input as {"x": 1}

test_note_of_undefined if trace(input.x)

test_print_in_function if twice(2) == 4

twice(x) := y if {
	print("twice", x)
	y := x * 2
}

test_print_in_comprehension if {
	xs := [y | some x in [1, 2]; print(x); y := x + 1]
	xs == [2, 3]
}

test_print_in_every if {
	every x in [1, 2] {
		print(x)
		x > 0
	}
}

test_print_in_negation if not never

never if {
	print("in never")
	false
}

test_print_with if {
	print(input.x) with input as {"x": 1}
}

test_prints_a_case[name] if {
	some name in ["a", "b"]
	print(name)
	name == "a"
}

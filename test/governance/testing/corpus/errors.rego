# Evaluations that fail, and builtins that do.
package errors

conflicting := 1 if true

conflicting := 2 if true

double(1) := 1

double(1) := 2

keyed[x] := y if {
	some x in ["a"]
	some y in [1, 2]
}

test_complete_conflict if conflicting == 1

test_function_conflict if double(1) == 1

test_object_conflict if keyed.a == 1

test_conflict_not_reached if {
	false
	conflicting == 1
}

test_builtin_error_is_undefined if to_number("x") == 1

test_builtin_error_negated if not to_number("x")

test_division_by_zero if 1 / 0 == 1

test_division_by_zero_negated if not 1 / 0 == 1

test_bad_json if json.unmarshal("{")

test_bad_pattern if regex.match("(", "x")

test_of_undefined_input if input.x

test_of_undefined_input_negated if not input.x

test_of_undefined_data if data.nowhere.at_all

test_of_undefined_data_negated if not data.nowhere.at_all

test_error_in_cases[name] if {
	some name in ["a", "b"]
	to_number(name)
}

# Rules of one name, in one file and over several.
package twins

test_twin if true

test_twin if true

test_twin := false

test_alone if data.twins.test_twin

test_cases[x] if some x in ["a", "b"]

test_cases[x] if {
	some x in ["c", "d"]
	x == "c"
}

a.test_twin if true

a.test_twin if false

a.todo_test_twin if true

a.todo_test_twin if true

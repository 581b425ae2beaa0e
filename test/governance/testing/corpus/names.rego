# Every form of a test's name, in a file that is not called a test.
package names

test_true if true

test_of_a_value := true

test_false := false

test_undefined if 1 == 2

test_number := 5

test_text := "true"

test_null := null

test_list := [true]

test_empty_object := {}

test_set contains true

test_else if false else := true

test_else_false := true if false else := false

test_bodies if false

test_bodies if true

not_a_test if false

tests if false

testing_not if false

my_test_inside if false

Test_capital if false

todo_not_a_test if false

test_ if true

default test_with_default := false

test_with_default if true

default test_default_true := true

test_default_true if false

test_function(x) if x == 1

todo_test_later if false

todo_test_passing if true

todo_test_twice if true

todo_test_twice if false

todo_test_function(_) := true

inner.test_below if true

inner.test_failing_below if false

inner.test_false_below := false

inner.todo_test_below if false

inner.deep.test_deeper if true

inner.deep.test_object.a if true

inner.test_with_dot.a := true

test_dotted.a if true

test_dotted.b := true

test_dotted["with space"] := true

test_dotted.c := false

test_dotted.d.e := true

test_index[0] := true

test_index[1] := false

group["test_quoted"] if true

group["todo_test_quoted"] if true

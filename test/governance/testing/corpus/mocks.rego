# `with`, and builtins whose answers are not known.
package mocks

import data.mocks.policy

allow if input.user == "admin"

now := time.now_ns()

fetched := http.send({"method": "get", "url": "https://example.com"}).status_code

drawn := rand.intn("x", 10)

id := uuid.rfc4122("x")

about := opa.runtime().env.HOME

resolved := net.lookup_ip_addr("example.com")

later(_) := 5

test_input if allow with input as {"user": "admin"}

test_input_denied if not allow with input as {"user": "guest"}

test_input_part if allow with input.user as "admin"

test_data if data.mocks.settings.x == 1 with data.mocks.settings as {"x": 1}

test_rule if allow with data.mocks.allow as true

test_rule_false if not allow with data.mocks.allow as false

test_function if double(2) == 7 with data.mocks.double as 7

test_function_by_function if double(2) == 6 with data.mocks.double as triple

test_builtin_by_value if count([1]) == 9 with count as 9

test_builtin_by_function if upper("x") == "y" with upper as always_y

test_time if now == 5 with time.now_ns as 5

test_time_by_function if now == 6 with time.now_ns as six

test_time_is_real if now > 1700000000000000000

test_time_stands_still if time.now_ns() == time.now_ns()

test_send if fetched == 200 with http.send as {"status_code": 200}

test_send_by_function if fetched == 404 with http.send as not_found

test_drawn if drawn == 3 with rand.intn as 3

test_drawn_in_range if {
	drawn >= 0
	drawn < 10
}

test_id if id == "a" with uuid.rfc4122 as "a"

test_id_is_one if regex.match(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, id)

test_id_same_key if uuid.rfc4122("k") == uuid.rfc4122("k")

test_about if about == "/home" with opa.runtime as {"env": {"HOME": "/home"}}

test_resolved if resolved == {"1.2.3.4"} with net.lookup_ip_addr as {"1.2.3.4"}

test_two if {
	allow with input as {"user": "admin"} with time.now_ns as 1
}

double(x) := x * 2

triple(x) := x * 3

always_y(_) := "y"

six() := 6

not_found(_) := {"status_code": 404}

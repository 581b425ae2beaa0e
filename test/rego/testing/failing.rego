package failing

inc(x) := x + 1

is_small(x) if x < 10

p := 1

q := 2

calls := inc(1)

names contains name if some name in ["ann", "bob"]

allow if input.n > 2

# Expressions by table: those that hold, and those that do not.
package expressions

test_expression_00 if 1 + 1 == 2

test_expression_01 if 2 * 3 == 6

test_expression_02 if 7 % 4 == 3

test_expression_03 if 7 / 2 == 3.5

test_expression_04 if 1 - 2 == -1

test_expression_05 if "a" < "b"

test_expression_06 if [1, 2] < [1, 3]

test_expression_07 if {1, 2} == {2, 1}

test_expression_08 if {1, 2} | {3} == {1, 2, 3}

test_expression_09 if {1, 2} & {2, 3} == {2}

test_expression_10 if {1, 2} - {2} == {1}

test_expression_11 if 1 in [1, 2]

test_expression_12 if not 3 in [1, 2]

test_expression_13 if "k", 1 in {"k": 1}

test_expression_14 if count("héllo") == 5

test_expression_15 if sum([1, 2, 3]) == 6

test_expression_16 if product([2, 3]) == 6

test_expression_17 if max([1, 3, 2]) == 3

test_expression_18 if min({4, 2}) == 2

test_expression_19 if sort([3, 1, 2]) == [1, 2, 3]

test_expression_20 if concat(",", ["a", "b"]) == "a,b"

test_expression_21 if contains("abc", "b")

test_expression_22 if startswith("abc", "a")

test_expression_23 if endswith("abc", "c")

test_expression_24 if split("a,b", ",") == ["a", "b"]

test_expression_25 if replace("aa", "a", "b") == "bb"

test_expression_26 if trim(" a ", " ") == "a"

test_expression_27 if upper("a") == "A"

test_expression_28 if substring("abc", 1, 1) == "b"

test_expression_29 if indexof("abc", "c") == 2

test_expression_30 if sprintf("%d-%s", [1, "a"]) == "1-a"

test_expression_31 if regex.match("^a+$", "aaa")

test_expression_32 if regex.replace("abc", "b", "x") == "axc"

test_expression_33 if glob.match("*.com", ["."], "a.com")

test_expression_34 if json.unmarshal("[1]") == [1]

test_expression_35 if json.marshal({"a": 1}) == "{\"a\":1}"

test_expression_36 if base64.encode("a") == "YQ=="

test_expression_37 if object.get({"a": 1}, "b", 2) == 2

test_expression_38 if object.union({"a": 1}, {"b": 2}) == {"a": 1, "b": 2}

test_expression_39 if object.keys({"a": 1}) == {"a"}

test_expression_40 if array.concat([1], [2]) == [1, 2]

test_expression_41 if array.slice([1, 2, 3], 1, 2) == [2]

test_expression_42 if type_name([]) == "array"

test_expression_43 if is_string("a")

test_expression_44 if to_number("3") == 3

test_expression_45 if numbers.range(1, 3) == [1, 2, 3]

test_expression_46 if bits.and(6, 3) == 2

test_expression_47 if crypto.md5("a") == "0cc175b9c0f1b6a831c399e269772661"

test_expression_48 if net.cidr_contains("10.0.0.0/8", "10.1.2.3")

test_expression_49 if semver.compare("1.0.0", "1.0.1") == -1

test_expression_50 if units.parse_bytes("1KB") == 1000

test_expression_51 if time.parse_rfc3339_ns("1970-01-01T00:00:01Z") == 1000000000

test_expression_52 if walk({"a": 1}, [["a"], 1])

test_expression_53 if graph.reachable({"a": ["b"], "b": []}, {"a"}) == {"a", "b"}

test_expression_54 if [x | some x in [1, 2]; x > 1] == [2]

test_expression_55 if {x: y | some x, y in ["a"]} == {0: "a"}

test_expression_56 if {x | x := [1, 1][_]} == {1}

test_expression_57 if 1 == 2

test_expression_58 if 1 > 2

test_expression_59 if "a" == "b"

test_expression_60 if [2] == [1]

test_expression_61 if {"a": 2} == {"a": 1}

test_expression_62 if count([]) == 1

test_expression_63 if 3 in {1, 2}

test_expression_64 if input == 1

test_expression_65 if startswith("abc", "b")

test_expression_66 if false

test_expression_67 if null

test_expression_68 if 0

test_expression_69 if ""

test_expression_70 if []

test_expression_71 if {}

test_expression_72 if set()

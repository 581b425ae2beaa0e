/** Values and builtins. */

import { type Program, t } from "./program.ts";

export const values: readonly Program[] = [
  {
    name: "template strings",
    newerThanOpa: true,
    modules: [
      t(`a := $"hello {input.name}"
b := $"x {input.none} y"
c := $"{1 + 2}{[1, "a"]}{{"k": true}}"
d := $"{input.name}{x}" if { x := null }
e := $"plain"
f := $"{input.n.m with input.n.m as 4}"`),
    ],
    input: { name: "bob" },
    want: { a: "hello bob", b: "x <undefined> y", c: '3[1, "a"]{"k": true}', d: "bobnull", e: "plain", f: "4" },
  },
  {
    name: "template strings before and behind what binds their variables",
    newerThanOpa: true,
    modules: [
      t(`a := y if { y = input[$"k{z}"]; z = 1 }
c if $"a{x}" = input.xs[x]
d := x if { y = 1; [x, y] = [$"{y}", 1] }`),
    ],
    input: { k1: 5, xs: ["a0", "a", "a2"] },
    want: { a: 5, c: true, d: "1" },
  },
  {
    name: "sets in template strings",
    modules: [
      t(`f(x) := $"{x}"
a := [f({1}), f({1, 2}), f(set()), f({{}}), f({"s"}), f("s")]
b := $"{h} {h | {4}}"
c := [$"{x}" | some x in [{1}, {2, 3}]]
d := $"{x}{y}" if { x := {z | z := "s"}; y := {} }
h contains 3`),
    ],
    want: {
      a: ["{1}", "{1, 2}", "set()", "{{}}", '{"s"}', "s"],
      b: "{3} {3, 4}",
      c: ["{1}", "{2, 3}"],
      d: '{"s"}{}',
      h: [3],
    },
  },
  {
    name: "walk and results as arguments",
    modules: [
      t(
        `a := {p | walk({"a": [1]}, [p, _])}
b := [v | [_, v] = walk([1, [2]]); is_number(v)]
c := x if { plus(1, 2, x) }
d if { walk([1], [[0], 1]) }
e := [x | x := walk([1])]
f := count(walk({}))`.replace(/\nf := .*/, ""),
      ),
    ],
    want: {
      a: [[], ["a"], ["a", 0]],
      b: [1, 2],
      c: 3,
      d: true,
      e: [
        [[], [1]],
        [[0], 1],
      ],
    },
  },
  {
    name: "values: sets, numbers, membership, keys of any kind",
    modules: [
      t(`a := {1, 2} | {2, 3}
b := {{1}, {2}} - {{1}}
c if { 1 in {1, 2}; "k", 1 in {"k": 1}; not 2 in [1] }
d := {[1]: {2: 3}}[[1]][2]
e if { x := {1, "a", [2]}; x[[2]] }
f := [x | {1, "a", [2]}[x]]
g := 1.0 == 1
h := {"a": {"b": [10, 20]}}.a.b[1]
i := 0.1 + 0.2
j := 9007199254740993 + 1
k := {null: 1, true: 2}[true]`),
    ],
    want: {
      a: [1, 2, 3],
      b: [[2]],
      c: true,
      d: 3,
      e: true,
      f: [1, "a", [2]],
      g: true,
      h: 20,
      i: 0.3,
      j: 9007199254740994,
      k: 2,
    },
  },
  {
    name: "keys of patterns that are equal and written otherwise",
    modules: [
      t(`a := x if {1.0: x} = {1: 5}
b := [x, y] if {1.0: x, "b": 2} = {1: 5, "b": y}
c := x if {[1.0]: x} = {[1]: 5}
d := x if {"a": {10: x}} = {"a": {1e1: 5}}
e := x if { k := lower("Z"); {k: 1, "q": x} = object.union({"q": 2}, {"z": 1}) }
f if { k := lower("Q"); {k: 1, "q": 1, "m": x} = object.union({"q": 1}, {"z": 1, "m": 1}); x == 1 }`),
    ],
    want: { a: 5, b: [5, 2], c: 5, d: 5, e: 2, f: true },
  },
  {
    name: "keys of patterns that have a value later, which find nothing, or sooner",
    modules: [
      t(`a if { some {x: 1}, _ in {{1: 1}: 3}; x == 1 }
b if { some x; [{x: 1}, x] = [{1: 1}, 1] }
c := x if { some x; [x, {x: 1}] = [1, {1: 1}] }
d if { some [{[x]: y}, x] in [[{[1]: 3}, 1]]; x < y }
e := [x, y] if { some [x, {[x]: y}] in [[1, {[1]: 3}]] }
f if { some {"a": x, x: y} in [{"a": "b", "b": 3}]; y == 3 }
g({x: 1}, x) := x
h if g({1: 1}, 1)
i := {v | some {k: v}, k in {{2: 7}: 2}}`),
    ],
    want: { c: 1, e: [1, 3], i: [] },
  },
];

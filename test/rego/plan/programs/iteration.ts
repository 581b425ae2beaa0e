/** Iteration: `every`, comprehensions, unification. */

import { type Program, t } from "./program.ts";

export const iteration: readonly Program[] = [
  {
    name: "every",
    modules: [
      t(`a if { every x in [1, 2] { x > 0 } }
b if { every x in [1, 2] { x > 1 } }
c if { every x in [] { x > 1 } }
d if { every k, v in {"a": 1, "b": 2} { k != "c"; v > 0 } }
e if { every x in {1, 2} { some y in [1, 2, 3]; y == x } }
f if { every x in input.none { x } }
g if { every x in input.n { x } }
h if { not k }
k if { every x in input.xs { every y in x { y > 1 } } }
i if { every x in [[1, 2], [3]] { some y in x; y > 1; z := y + 1; z > 2 } }
j if { every i, x in ["a"] { i == 0; x == "a" } }`),
    ],
    input: { n: 5, xs: [[1, 2], [3]] },
    want: { a: true, c: true, d: true, e: true, h: true, i: true, j: true },
  },
  {
    name: "comprehensions and closures",
    modules: [
      t(`a := [x | some x in [3, 1, 2]]
b := {x | some x in [3, 1, 3]}
c := {x: y | some y, x in ["a", "b"]}
d := [[x, [y | some y in [1, 2, 3]; y > x]] | some x in [1, 2]]
e := [x | x := input.missing]
f := {k: [v | some v in vs; v > 1] | some k, vs in {"p": [1, 2], "q": [3]}}
g := count([1 | some _ in [1, 1]; some _ in [2, 2]])
h := [x | xs := [[1, [2]], [3, [4]]]; [_, [x]] = xs[_]]
i := sum([x | some x in [y | some y in [1, 2, 3]; y != 2]])`),
    ],
    want: {
      a: [3, 1, 2],
      b: [1, 3],
      c: { a: 0, b: 1 },
      d: [
        [1, [2, 3]],
        [2, [3]],
      ],
      e: [],
      f: { p: [2], q: [3] },
      g: 4,
      h: [2, 4],
      i: 4,
    },
  },
  {
    name: "unification",
    modules: [
      t(
        `a := [x, y] if { [x, 1] = [2, y] }
b := x if { {"k": x, "l": 2} = {"k": 1, "l": 2} }
c if { [1, x] = input.three }
d := [x, y] if { [x, y] = [y, 1] }
e := x if { [[x], {"a": [_, x]}] = [[1], {"a": [5, 1]}] }
f if { [[x], {"a": [_, x]}] = [[1], {"a": [5, 2]}] }
g := x if { input.o = {"k": [x, _], "m": true} }
h := [i1, x] if { [x, i1] = [input.xs[i1], 1] }
i := {x | {"id": x, "on": true} = input.rs[_]}
j := z if { x = y; y = z; z = 3; x = 3 }
k := [x, y] if { {x, y} = {1, 2}; x = 1; y = 2 }
l := y if { q1 := "k"; {q1: y} = input.kv }
m if { {"m": true} = input.o }
n := x if { [x] = input.one }
o := [p1, q1] if { [p1, q1] = split("a/b", "/") }
p := [x, y] if { x = [y, 2]; [1, 2] = x }
q if { {1, 2} = {2, 1} }
r := [a1, b1] if { [a1, [b1, a1]] = [1, [2, 1]] }
s if { [x, x] = [1, 2] }`.replace(/\nk := .*/, ""),
      ),
    ],
    input: {
      o: { k: [1, 2], m: true },
      xs: ["a", "b"],
      rs: [
        { id: 1, on: true },
        { id: 2, on: false },
        { id: 3, on: true },
        { id: 4, on: true, more: 1 },
      ],
      one: ["q"],
      three: [1, 2, 3],
      kv: { k: 4 },
    },
    want: {
      a: [2, 1],
      b: 1,
      d: [1, 1],
      e: 1,
      g: 1,
      h: [1, "b"],
      i: [1, 3],
      j: 3,
      l: 4,
      n: "q",
      o: ["a", "b"],
      p: [[1, 2], 1],
      q: true,
      r: [1, 2],
    },
  },
  {
    name: "a variable that only a later item of the same literal binds",
    modules: [
      t(`q := {{"a": 5}: 6, {"a": 7}: 8}
a if { [v.a, q[v]] }
b if { x := v.a + q[v] }
c if { [v.a, q[v]] = [5, 6] }
d if { [q[v], v.a] = [6, 5] }
e if { count([1 | [v.a, q[v]]]) == 0 }
f if { count([1 | [q[v], v.a]]) == 2 }
g := [x | {"a": [v.a, x], "b": x} = {"a": [5, w], "b": q[v]}]
h contains [v.a, q[v]]`),
    ],
    want: { d: true, e: true, f: true, g: [], h: [], q: { '{"a":5}': 6, '{"a":7}': 8 } },
  },
  {
    name: "keys of base data come before those of rules that it lacks",
    modules: [
      t(`a := [k | data.u[k]]
b := [[k, j] | data.u[k][j]]
c := [k | some k, v in data.u]
d := x if { x := [k | data.u[k] with data.u.new as 1] }
e := [v | some v in data.u.m]`),
      "package u.c\n\np := 1",
      "package u.m\n\nq := 2",
      "package u.x\n\nf(x) := x",
    ],
    data: { u: { b: { z: 3 }, m: { a: 4 }, n: 5, x: { y: 6 } } },
    want: {
      a: ["b", "m", "n", "x", "c"],
      b: [
        ["b", "z"],
        ["m", "a"],
        ["m", "q"],
        ["x", "y"],
        ["c", "p"],
      ],
      c: ["b", "m", "n", "x", "c"],
      d: ["b", "m", "n", "new", "x", "c"],
      e: [4, 2],
    },
  },
];

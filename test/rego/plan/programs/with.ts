/** `with` on input, data, functions and builtins. */

import { type Program, t } from "./program.ts";

export const withModifiers: readonly Program[] = [
  {
    name: "with: input and data",
    modules: [
      t(`a := x if { x := input with input as 5 }
b := x if { x := input.a with input.a as 1 with input.b as 2 }
c := x if { x := input with input.x as 5 with input as 8 }
d := x if { x := input with input as 5 with input.x as 7 }
e := [x | x := input.a[_] with input as {"a": [1, 1, 2]}]
f := [1 | input.a[_] with input as {"a": [1, 1, 2]}]
g := [[x, y] | some y in [1, 2]; x := input.a[_] with input as {"a": [y, 10]}]
h if { not input.a with input.a as false }
i if { not input.a with input.a as true }
j := x if { x := other with input as 3; input.k == "v" }
other := input
l := x if { x := data.base.k with data.base.k as 9 }
m := x if { x := data.base with data.base.new.deep as 9 }
n := x if { x := data.virt.v with data.virt.v as 9 }
o := x if { x := data.virt with data.virt as {"z": 1} }
p := x if { x := data.virt with data.virt.v as 7 }
q := x if { x := data.virt.w with data.virt.v as 7 }
r := [data.virt.v, x, data.virt.v] if { x := data.virt.w with data.virt.v as 7 }
s := x if { x := nested with input as 1 }
nested := [input, x, input] if { x := other with input as 2 }
u if { every x in [1, 2] { x < input.max } with input.max as 3 }
v if { data.virt.v == 1; data.virt.v == 2 with data.virt.v as 2; data.virt.v == 1 }
w := x if { y := 4; x := [z | z := input.q] with input.q as y }
y := x if { x := data.virt[k] with data.virt.v as 7; k == "w" }
z := x if { some x; data.base[x] with data.base as {"p": true, "q": false} }`),
      "package virt\n\nv := 1\n\nw := v + 1",
    ],
    data: { base: { k: 1 } },
    input: { k: "v" },
    want: {
      a: 5,
      b: 1,
      c: 8,
      d: { x: 7 },
      e: [1, 1, 2],
      f: [1, 1, 1],
      g: [
        [1, 1],
        [10, 1],
        [2, 2],
        [10, 2],
      ],
      h: true,
      j: 3,
      other: { k: "v" },
      l: 9,
      m: { k: 1, new: { deep: 9 } },
      n: 9,
      o: { z: 1 },
      p: { v: 7, w: 8 },
      q: 8,
      r: [1, 8, 1],
      s: [1, 2, 1],
      nested: [{ k: "v" }, 2, { k: "v" }],
      u: true,
      v: true,
      w: [4],
      y: 8,
      z: "p",
    },
  },
  {
    name: "with: functions and builtins",
    modules: [
      t(
        `a := x if { x := count([1, 2]) with count as 7 }
b := x if { x := deep([1, 2]) with count as 7 }
c := x if { x := deep([1, 2]) with count as twice }
d := x if { x := mine(1) with mine as 4 }
e := x if { x := mine(1) with mine as count2 }
f := [x | some y in [1, 2]; x := deep([]) with count as y]
g := x if { x := outer with mine as 5 }
h := [outer, x, outer] if { x := outer with mine as 6 }
i := x if { x := lower("AB") with lower as replaced with upper as shout }
j := x if { x := deep([1]) with count as 3 with input as {"n": 1} }
k := x if { x := mine(1) with mine as input.v with input.v as 3 }
l := x if { x := trim_space(" a ") with trim_space as lower }
n := x if { x := {k | some k; data[k]} with count as 5; count(x) > 0 }
deep(xs) := count(xs)
twice(xs) := count(xs) * 2
mine(x) := x + 1
count2(x) := mine(x) * 100
outer := mine(10)
replaced(x) := upper(x)
shout(_) := "mocked"`.replace(/\nn := .*/, ""),
      ),
    ],
    data: { base: 1 },
    input: { v: 8 },
    want: {
      a: 7,
      b: 7,
      c: 4,
      d: 4,
      e: 200,
      f: [1, 2],
      g: 5,
      h: [11, 6, 11],
      i: "AB",
      j: 3,
      k: 8,
      l: " a ",
      outer: 11,
    },
  },
  {
    name: "with: data in the place of packages that have functions",
    modules: [
      t(`a := x if { x := data.u.f with data.u as 4 }
b := x if { x := data.u.f with data.u as {} }
c := x if { x := data.u with data.u as 4 }
d := x if { x := data.u.f with data.u as {"f": 4} }
e := x if { x := [k | data.u[k]] with data.u as {} }
f := x if { x := data.u.f.twice(3) with data.u as {} }
g := x if { x := asked with data.u as {} }
h := x if { x := data.u.f.twice(3) with data.u.f.twice as 5 }
i := x if { x := [asked, data.u.f] with data.u.f as {} with input as 1 }
asked := x if { x := data.u.f.twice(3) with data.u.f.twice as 7 }`),
      "package u.f\n\ntwice(x) := 2 * x",
    ],
    want: { asked: 7, c: 4, d: 4, e: [], f: 6, g: 7, h: 5, i: [7, {}] },
  },
];

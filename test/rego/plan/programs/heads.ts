/** Reference heads, and documents of rules beside documents of data. */

import { type Program, t } from "./program.ts";

export const heads: readonly Program[] = [
  {
    name: "general reference heads",
    modules: [
      t(`p.q.r := 1
p.q.s := 2 if input.no
u[x].v[y] := z if { some x in ["a", "b"]; some y, z in [10, 20] }
w[x] contains y if { some x in ["a", "b"]; some y in [1, 2] }
x1.y1[z] if { some z in ["m", "n"] }
m.a[x] := 1 if { x := "dyn" }
m.a.fixed := 2
m.a.late contains 3
n.f(x) := x + 1
n.v := n.f(1)
a := u.a.v[1]
b := [x | u[x].v[_] == 10]
c if not u.c.v
d := m.a[input.k]
e := w.a
f := [k | x1.y1[k]]`),
    ],
    input: { k: "fixed" },
    want: {
      p: { q: { r: 1 } },
      u: { a: { v: { "0": 10, "1": 20 } }, b: { v: { "0": 10, "1": 20 } } },
      w: { a: [1, 2], b: [1, 2] },
      x1: { y1: { m: true, n: true } },
      m: { a: { dyn: 1, fixed: 2, late: [3] } },
      n: { v: 2 },
      a: 20,
      b: ["a", "b"],
      c: true,
      d: 2,
      e: [1, 2],
      f: ["m", "n"],
    },
  },
  {
    name: "defaults below variables are passed over, and others hold",
    modules: [
      t(`default p.a.b := 1
p.a[x] := 3 if x := input.k
default q.a := 1
q.a := 2 if input.no
q[x] contains 3 if x := input.k
default r[1].b := 1
r[1].c := 2
r[2][x] := 3 if x := input.k
default s[1].b := 1
s[1][x] := 3 if x := input.no
gone := [1 | not p.a.b; not q.a; not s[1].b]
there := [p.a[input.k], r[1].b]`),
    ],
    input: { k: "x" },
    want: {
      p: { a: { x: 3 } },
      q: { x: [3] },
      r: { "1": { b: 1, c: 2 }, "2": { x: 3 } },
      s: { "1": {} },
      gone: [1],
      there: [3, 1],
    },
  },
  {
    name: "a general head that depends on its sibling",
    modules: [t('p.a[x].b := 1 if { x := "foo" }\np.a.c := p.a.foo.b')],
    want: { p: { a: { c: 1, foo: { b: 1 } } } },
  },
  {
    name: "overlapping heads: a value and something below it",
    modules: [t("p[x] := {} if { x := 1 }\np[x].a := 2 if { x := 1 }")],
    want: "conflict",
  },
  {
    name: "overlapping heads: an object of the input is not changed",
    modules: [t("p[x] := input.o if { x := 1 }\np[x].a := 2 if { x := 2 }\no := input.o")],
    input: { o: { z: 1 } },
    want: { o: { z: 1 }, p: { "1": { z: 1 }, "2": { a: 2 } } },
  },
  {
    name: "base and virtual documents",
    modules: [
      t(`d.base[x] := data.src[x] if { data.src[x] }
a := data.u
b := {x | data.u[x]}
c := {[x, y] | data.u[x][y]}
e := data.u[input.p]
f := data.u[input.p].x
g if not data.u[input.absent]
h if not data.u[input.p].none
i := data.u.virt[input.q]
j := data.u.plain[input.q]
k := [x | data.u[input.p][x]]
l := count(data.u)
m := {x | data.src2[x]}
n := {x | data.u[x].x == 1}
o := data.src[1]
q := data.src.xs[1]`),
      "package u.virt\n\nx := 1\n\ny := 2 if input.none",
      "package u.empty\n\nf(x) := x",
      "package u.both\n\nvirtual := true",
    ],
    data: {
      src2: { x: 1, y: false },
      src: { "1": "one", "2": "two", xs: ["p", "q"] },
      u: { plain: { x: 1, z: 9 }, both: { base: true } },
    },
    input: { p: "virt", q: "x", absent: "absent" },
    want: {
      d: { base: { "1": "one", "2": "two", xs: ["p", "q"] } },
      a: { both: { base: true, virtual: true }, empty: {}, plain: { x: 1, z: 9 }, virt: { x: 1 } },
      b: ["both", "empty", "plain", "virt"],
      c: [
        ["both", "base"],
        ["both", "virtual"],
        ["plain", "x"],
        ["plain", "z"],
        ["virt", "x"],
      ],
      e: { x: 1 },
      f: 1,
      g: true,
      h: true,
      i: 1,
      j: 1,
      k: ["x"],
      l: 4,
      m: ["x"],
      n: ["plain", "virt"],
      o: "one",
      q: "q",
    },
  },
];

/** Negation, undefined and false. */

import { type Program, t } from "./program.ts";

export const negation: readonly Program[] = [
  {
    name: "negation over undefined at every depth",
    modules: [
      t(`a if not input.missing
b if not input.x.missing.deeper
c if not data.none.such
d if not data.pkg[input.x].v.y[input.z]
e if not data.pkg[input.k].v.y[input.z]
f if not data.pkg[input.k].v.none[input.z]
g if not data.pkg[input.k].none.y[input.z]
h if not data.pkg[input.k][input.k2].y[input.none]
i if not data.pkg[input.k].v.y[input.zz]
j if not data.pkg.a.v.y[input.zz]
k if not data.pkg.b.v.y[input.zz]
l if not data.pkg[input.k3].v[input.z]
m if not data.pkg[input.base].v.y[input.z]
n if not data.pkg[input.base].v.y[input.zz]
o if not data.pkg[input.base2].v.y[input.z]
p if { x := "a"; not data.pkg[x].v.y.nope }
q := [x | some x in ["a", "b", "base", "nope"]; not data.pkg[x].v.y[input.z]]
r := {x: y | some x in ["a", "b", "base", "nope"]; y := [1 | not data.pkg[x].v.y[input.z]]}
s if not data.pkg[input.k].p
u if not data.pkg[input.k].v.f
w if { not data.pkg[input.k]["v"]; true }`),
      'package pkg.a.v\n\ny[z] := 1 if { z := "hit" }\n\nf := false',
      'package pkg.b.v\n\ny contains "other"',
      "package pkg.c\n\nv := 3",
    ],
    data: { pkg: { base: { v: { y: { hit: true } } } } },
    input: { x: "nope", z: "hit", zz: "miss", k: "a", k2: "v", k3: "c", base: "base", base2: "basenope" },
    want: {
      a: true,
      b: true,
      c: true,
      d: true,
      f: true,
      g: true,
      i: true,
      j: true,
      k: true,
      l: true,
      n: true,
      o: true,
      p: true,
      q: ["b", "nope"],
      r: { a: [], b: [1], base: [], nope: [1] },
      s: true,
      u: true,
    },
  },
  {
    name: "negation of iteration and of composites",
    modules: [
      t(`a if not 3 in [1, 2]
b if { xs := [1, 2]; not 3 in xs }
c if { xs := [1, 2]; not 2 in xs }
d if not f([1, 2])
f(xs) if { some x in xs; x > 1 }
e if { not false }
g if { not big(5) }
h if { not big(1) }
big(n) if { input.xs[_].y[_] > n }
i if { not any_big }
any_big if { some x in input.xs; some y in x.y; y > 5 }
j if { x := {"a": [1]}; y := 1; not x.a[y] }
k if { not {x | x := [1, 2][_]; x == 7} == {7} }
l if { not input.xs[0].y[5] with input.xs as [] }
m if { not big(1) with input.xs as [{"y": [0]}] }
n if { not input.xs with input.xs as false }`),
    ],
    input: { xs: [{ y: [1] }, { y: [2] }] },
    want: { a: true, b: true, e: true, g: true, i: true, j: true, k: true, l: true, m: true, n: true },
  },
  {
    name: "undefined input",
    modules: [
      t(
        "a if not input\nb := input\nc := [input]\nd := [x | x := input]\ne if not input.x\ng if { not g2 }\ng2 if input == 1",
      ),
    ],
    want: { a: true, d: [], e: true, g: true },
  },
  {
    name: "false is not undefined",
    modules: [
      t(
        "a := false\nb if not a\nc := a\nd if { x := a; x == false }\ne if a\nf := [x | x := a]\ng := [1 | a]\nh if { false = a }",
      ),
    ],
    want: { a: false, b: true, c: false, d: true, f: [false], g: [], h: true },
  },
];

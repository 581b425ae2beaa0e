/** Complete and partial rules, functions, conflicts. */

import { type Program, t } from "./program.ts";

export const rules: readonly Program[] = [
  {
    name: "complete rules, defaults and else",
    modules: [
      t(`a := 1
b := 1 if input.no
b := 2 if input.x
default c := "none"
c := "some" if input.no
d := 1 if { input.no } else := 2 if { input.x } else := 3
e := input.missing if { true } else := "else"
f if { input.no } else := "b" if { input.no } else := "c" if { input.no }
default g := [1, {"a": {2}}]
h := x if { some x in [1, 1, 1] }
i if { some x in input.xs; x > 2 }
j := false if { true } else := 2
default k := [x | x := 7]`),
    ],
    input: { x: true, xs: [1, 2, 3, 4] },
    want: { a: 1, b: 2, c: "none", d: 2, e: "else", g: [1, { a: [2] }], h: 1, i: true, j: false, k: [7] },
  },
  {
    name: "two values of one rule",
    modules: [t("a := 1\na := x if { x := input.x }")],
    input: { x: 2 },
    want: "conflict",
  },
  { name: "two solutions of one rule", modules: [t("a := x if { some x in [1, 2] }")], want: "conflict" },
  {
    name: "two solutions of an else",
    modules: [t("a := 1 if { false } else := x if { some x in [1, 2] }")],
    want: "conflict",
  },
  { name: "two values of one key", modules: [t("a[k] := v if { k := 1; some v in [1, 2] }")], want: "conflict" },
  { name: "two values of a comprehension's key", modules: [t('a := {"k": v | some v in [1, 2]}')], want: "conflict" },
  {
    name: "two values of a function",
    modules: [t("f(x) := 1\nf(x) := 2 if x > 1\na := f(1)\nb := f(2)")],
    want: "conflict",
  },
  {
    name: "functions: patterns, definitions, defaults, else",
    modules: [
      t(`f(1) := "one"
f(2) := "two"
f([x, 3]) := x
f({"k": x}) := x
g(x) := "big" if { x > 10 } else := "small" if { x > 1 }
default h(_) := "default"
h(x) := x if x > 1
i([a, [b, c]], {"d": d}) := [a, b, c, d]
j(x, x) := x
k(_, _) if true
a := [f(1), f(2), f([7, 3]), f({"k": 8})]
b := [x | some y in [5, 0, 50]; x := g(y)]
c := [h(0), h(2)]
d := i([1, [2, 3]], {"d": 4})
e if not f(3)
l := x if f(2, x)
m := [x | some y in [1, 2]; j(y, 2, x)]
n if k(1, 2)
o if not i([1, input.x], {"d": 4})`),
      "package other",
    ],
    input: { x: 2 },
    want: {
      a: ["one", "two", 7, 8],
      b: ["small", "big"],
      c: ["default", 2],
      d: [1, 2, 3, 4],
      e: true,
      l: "two",
      m: [2],
      n: true,
      o: true,
    },
  },
  {
    name: "partial sets and objects",
    modules: [
      t(`s contains x if { some x in [3, 1, 3] }
s contains "k"
s contains [x, y] if { x := 1; y := 2 }
o[x] := y if { some x, y in {"a": 1, "b": 2} }
o.c := 3
o[[1, 2]] := 4
q contains x if { x := input.missing }
a if s[3]
b if not s[4]
c := [y | s[[1, y]]]
d := [k | o[k] == 2]
e := o[[1, 2]]
f if not o[[2, 1]]
g := {k | o[k]}`),
    ],
    want: {
      s: [1, 3, "k", [1, 2]],
      o: { a: 1, b: 2, c: 3, "[1,2]": 4 },
      q: [],
      a: true,
      b: true,
      c: [2],
      d: ["b"],
      e: 4,
      f: true,
      g: ["a", "b", "c", [1, 2]],
    },
  },
];

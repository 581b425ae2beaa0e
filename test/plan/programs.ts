/**
 * Small policies, each about one thing that planning may get wrong, and what `data.t` is under them. The wants were written
 * down from the language's documentation and confirmed by OPA (`programs.test.ts` asks it again where it is installed).
 */

export interface Program {
  readonly name: string;
  readonly modules: readonly string[];
  readonly data?: unknown;
  readonly input?: unknown;
  /** Uses what the installed OPA may not know yet. */
  readonly newerThanOpa?: boolean;
  /** The document `data.t`, sets as sorted arrays; "conflict" for an evaluation that ends in one. */
  readonly want: unknown;
}

const t = (body: string): string => `package t\n\n${body}`;

export const programs: readonly Program[] = [
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

/** What rules look like after analysis: names, order, and every part that is evaluated in a statement of its own. */

import { describe, expect, it } from "vitest";
import { isGenerated, isWildcard, originalName } from "../../../compiler/rego/analyze/index.ts";
import { checked, group, showBody, showGroup, showRule } from "./helpers.ts";

const around = `package t
import data.lib
import input.user as u
f(x) := x
g(x) := x
`;

/** The rule `r` of a module, which may have others around it. */
const rewritten = (text: string): string[] => showGroup(checked(around + text), "t.r");

describe("names", () => {
  it.each([
    ["an assignment makes a new name", "r := x if { x := input.a }", "x#1 if eq(x#1, input.a)"],
    ["unification keeps the name", "r := x if { x = input.a }", "x if eq(x, input.a)"],
    ["imports become paths", "r if u.name == lib.x", "true if eq(input.user.name, data.lib.x)"],
    ["rules become paths", "q := 1\nr := q", "#1 if eq(#1, data.t.q)"],
    ["a declaration hides a rule", "q := 1\nr := q if { q := 2 }", "q#1 if eq(q#1, 2)"],
    ["wildcards differ", "r if input.a[_] == input.b[_]", "true if eq(input.a[_#1], input.b[_#2])"],
    [
      "comprehensions beside each other differ",
      "r if [x | x = 1] == [x | x = 2]",
      "true if eq([x | eq(x, 1)], [x#1 | eq(x#1, 2)])",
    ],
    [
      "a closure sees the variables around it",
      "r := y if { x := 1; y := [x | true] }",
      "y#2 if eq(x#1, 1); eq(y#2, [x#1 | true])",
    ],
    ["also those bound later", "r := y if { y = [z | z = x]; x = 1 }", "y if eq(x, 1); eq(y, [z | eq(z, x)])"],
    [
      "but not those declared later",
      "r := y if { y = [x | x = 2]; x := 1; x == 1 }",
      "y if eq(y, [x | eq(x, 2)]); eq(x#1, 1); eq(x#1, 1)",
    ],
    [
      "a closure's own declaration hides them",
      "r := y if { x := 1; y := [x | x := 2]; x == 1 }",
      "y#3 if eq(x#1, 1); eq(y#3, [x#2 | eq(x#2, 2)]); eq(x#1, 1)",
    ],
    ["arguments are shared with else", "r(x) := 1 if x == 1 else := x", "(x#1) 1 if eq(x#1, 1) else (x#1) x#1"],
    ["some declares", "r if { some x, y; x = input.a; y = x }", "true if eq(x#1, input.a); eq(y#2, x#1)"],
    ["some in iterates", "r := x if some x in input.a", "x#1 if eq(x#1, input.a[#2])"],
    ["some in with a key", "r[k] := v if some k, v in input.a", "v#2 if eq(v#2, input.a[k#1])"],
    ["some in with patterns", 'r := y if some [_, {"a": y}] in input.a', 'y#2 if eq([_#1, {"a": y#2}], input.a[#3])'],
    ["some in over a literal", "r := x if some x in [1, 2]", "x#1 if eq(#3, [1, 2]); eq(x#1, #3[#2])"],
    [
      "every has variables of its own",
      "r if every k, x in [1] { x > k }",
      "true if eq(#3, [1]); every k#1, x#2 in #3 {gt(x#2, k#1)}",
    ],
    [
      "an unnamed key is left out",
      "r if every _, x in [1] { x > 0 }",
      "true if eq(#2, [1]); every x#1 in #2 {gt(x#1, 0)}",
    ],
    ["a sign is a call of the rule of its name", "plus(a, b) := a\nr := 1 + 2", "#1 if eq(#1, data.t.plus(1, 2))"],
    [
      "names that look generated are names",
      "r := __local0__ if { __local0__ := 1 }",
      "__local0__#1 if eq(__local0__#1, 1)",
    ],
  ])("%s", (_, text, expected) => {
    expect(rewritten(text).join("\n")).toBe(expected);
  });

  it("give back what was written", () => {
    expect(["x#2", "x", "_#1", "#3"].map(originalName)).toEqual(["x", "x", "_", ""]);
    expect(["x#2", "x", "_#1", "#3"].map(isGenerated)).toEqual([false, false, false, true]);
    expect(["x#2", "x", "_#1", "#3"].map(isWildcard)).toEqual([false, false, true, false]);
  });
});

describe("hoisting", () => {
  it.each([
    ["nested calls", "r := f(g(1)) + 2", "#3 if eq(#1, data.t.g(1)); eq(#2, data.t.f(#1)); eq(#3, plus(#2, 2))"],
    ["references in arguments", "r if f(input.a)", "true if eq(#1, input.a); data.t.f(#1)"],
    ["out of a negation", "r if not f(input.a)", "true if eq(#1, input.a); not data.t.f(#1)"],
    [
      "calls out of a negation",
      "r if not f(g(1)) == 1",
      "true if eq(#1, data.t.g(1)); eq(#2, data.t.f(#1)); not eq(#2, 1)",
    ],
    ["a reference stays in its negation", "r if not input.a", "true if not input.a"],
    ["an equality keeps its references", "r if not input.a == 1", "true if not eq(input.a, 1)"],
    [
      "keys of references",
      "r if not data.x[input.a].b[input.c]",
      "true if eq(#1, input.a); eq(#2, input.c); not data.x[#1].b[#2]",
    ],
    ["heads of references", "r := f(1)[input.a]", "#3 if eq(#1, data.t.f(1)); eq(#4, input.a); eq(#3, #1[#4])"],
    [
      "comprehensions in arguments",
      "r if count([1 | input.a]) > 0",
      "true if eq(#2, [1 | input.a]); eq(#1, count(#2)); gt(#1, 0)",
    ],
    [
      "in literals",
      'r := {"a": [input.a], "b": {1 | true}}',
      '#1 if eq(#2, input.a); eq(#3, {1 | true}); eq(#1, {"a": [#2], "b": #3})',
    ],
    [
      "terms of comprehensions",
      "r := [(input.a + x) | x := 1]",
      "#4 if eq(#4, [#3 | eq(x#1, 1); eq(#5, input.a); eq(#3, plus(#5, x#1))])",
    ],
    [
      "values of with, before and without it",
      "r if input.a with input as f(input.b)",
      "true if eq(#2, input.b); eq(#1, data.t.f(#2)); input.a with input as #1",
    ],
    [
      "what is hoisted keeps its with",
      "r if f(input.a) with input.a as 1",
      "true if eq(#1, input.a) with input.a as 1; data.t.f(#1) with input.a as 1",
    ],
    ["a result as argument", "r := x if count(input.a, x)", "x if eq(#1, input.a); eq(x, count(#1))"],
    ["a negated result as argument", "r if not count([1], 2)", "true if not eq(2, count([1]))"],
    ["the input itself", "r := input", "#1 if eq(#1, input)"],
    ["the value of else", "r := 1 if input.a else := input.b", "1 if input.a else #1 if eq(#1, input.b)"],
    ["the key of a set", "r contains input.a", "contains #1 if eq(#1, input.a)"],
    ["the key of an object", "r[input.a] := input.b", "#2 if eq(#1, input.a); eq(#2, input.b)"],
    [
      "template strings",
      'r := $"a {input.b} {1} {x} c" if x := 2',
      '#4 if eq(x#2, 2); eq(#4, $"a {{#1 | eq(#1, input.b)}} {1} {x#2} c")',
    ],
    [
      "template strings with with",
      'r := $"{input.b with input as 1}"',
      '#2 if eq(#2, $"{{#1 | eq(#1, input.b) with input as 1}}")',
    ],
    ["template strings that are plain", 'r := $"a"', '"a"'],
    [
      "a template in an argument",
      'r($"{x}{input.y}") := 42 if x = 1',
      '(#2) 42 if eq(x, 1); eq(#2, $"{x}{{#1 | eq(#1, input.y)}}")',
    ],
    ["prints are left out", 'r if { print("a", input.x); input.y }', "true if input.y"],
    ["prints in closures are left out", "r := [x | x := 1; print(x)]", "#2 if eq(#2, [x#1 | eq(x#1, 1)])"],
    ["prints alone", "r if print(1)", "true"],
    ["negated prints", "r if not print(1)", "true"],
    ["prints with another input", "r if print(input.x) with input as data.none", "true"],
  ])("%s", (_, text, expected) => {
    const shown = rewritten(text).join("\n");
    // Only the shape counts, not the numbers: they are made alike.
    expect(renumber(shown)).toBe(renumber(expected));
  });
});

describe("calls without a need for a name", () => {
  it.each([
    ["assigned", "r := x if x := f(1)", "x#1 if eq(x#1, data.t.f(1))"],
    ["matched", "r := y if [1, y] = f(1)", "y if eq([1, y], data.t.f(1))"],
    ["compared", "r if f(1) == 2", "true if eq(2, data.t.f(1))"],
    ["compared with another", "r if f(1) == g(1)", "true if eq(#1, data.t.f(1)); eq(#1, data.t.g(1))"],
    ["under the same with", "r if f(1) == 2 with input as 1", "true if eq(2, data.t.f(1)) with input as 1"],
    ["in closures", "r := [x | x := f(1)]", "#1 if eq(#1, [x#2 | eq(x#2, data.t.f(1))])"],
    ["in every", "r if every x in [1] { f(x) == 1 }", "true if eq(#1, [1]); every x#2 in #1 {eq(1, data.t.f(x#2))}"],
  ])("%s", (_, text, expected) => {
    expect(renumber(rewritten(text).join("\n"))).toBe(renumber(expected));
  });

  it.each([
    ["compared with a reference", "r if f(1) == input.a", "true if eq(#1, data.t.f(1)); eq(#1, input.a)"],
    ["negated", "r if not f(1) == 2", "true if eq(#1, data.t.f(1)); not eq(#1, 2)"],
  ])("but not %s", (_, text, expected) => {
    expect(renumber(rewritten(text).join("\n"))).toBe(renumber(expected));
  });
});

/** Numbers the locals of a text anew, in the order of their appearance. */
function renumber(text: string): string {
  const seen = new Map<string, string>();
  return text.replace(/#\d+/g, (n) => {
    const known = seen.get(n) ?? `#${seen.size + 1}`;
    seen.set(n, known);
    return known;
  });
}

describe("order", () => {
  it.each([
    ["needs come first", "r if { x > 1; x = input.a }", "true if eq(x, input.a); gt(x, 1)"],
    ["otherwise as written", "r if { input.a; input.b; input.c }", "true if input.a; input.b; input.c"],
    ["negations wait", "r if { not x; x = input.a }", "true if eq(x, input.a); not x"],
    [
      "closures wait",
      "r if { count([1 | y]) == 1; y = input.a }",
      "true if eq(y, input.a); eq(#1, [1 | y]); eq(1, count(#1))",
    ],
    ["references bind their keys", "r if { input.a[i] == 1; input.b[i] }", "true if eq(input.a[i], 1); input.b[i]"],
    [
      "with waits for its value",
      "r if { input.a with input as x; x = {} }",
      "true if eq(x, {}); input.a with input as x",
    ],
    ["patterns bind", 'r := y if { z == y; {"a": [y, z]} = input.a }', 'y if eq({"a": [y, z]}, input.a); eq(z, y)'],
    [
      "inside of every",
      "r if every x in [1] { y > x; y = 2 }",
      "true if eq(#1, [1]); every x#2 in #1 {eq(y, 2); gt(y, x#2)}",
    ],
    ["inside of comprehensions", "r := [y | y > 1; y = 2]", "#1 if eq(#1, [y | eq(y, 2); gt(y, 1)])"],
  ])("%s", (_, text, expected) => {
    expect(renumber(rewritten(text).join("\n"))).toBe(renumber(expected));
  });
});

describe("heads", () => {
  const policy = checked(`package t
complete := 1
partial contains 1
f(x, [y]) := x + y
default allow := false
allow if input.x
default g(_) := {"a": [1 | true]}
g(1) := 2
p.q[x].r := 1 if x := input.x
p.q.s := 2
p.q.t.u contains 3
default p.q.v := 4
p.w := 5
p.z.h(x) := x
n[1] := "a"
n[true].x := "b"
default n[2] := "c"
m[x] contains y if { x := 1; y := 2 }
none() := 1
`);

  it("have kinds and paths", () => {
    expect(policy.groups.map((g) => [g.path.join("."), g.kind, g.arity, g.definitions.length])).toEqual([
      ["t.allow", "complete", undefined, 1],
      ["t.complete", "complete", undefined, 1],
      ["t.f", "function", 2, 1],
      ["t.g", "function", 1, 1],
      ["t.m", "partial-object", undefined, 1],
      ["t.n", "partial-object", undefined, 3],
      ["t.none", "complete", undefined, 1],
      ["t.p.q", "partial-object", undefined, 3],
      ["t.p.w", "complete", undefined, 1],
      ["t.p.z.h", "function", 1, 1],
      ["t.partial", "partial-set", undefined, 1],
    ]);
  });

  it("gather what lies below a variable", () => {
    const shown = (path: string) =>
      group(policy, path).definitions.map((d) => [
        d.keys.map((k) => ("name" in k ? k.name : "value" in k ? k.value : "text" in k ? k.text : "?")),
        d.addsToSet,
        d.isDefault,
      ]);
    expect(shown("t.p.q")).toEqual([
      [["x#1", "r"], false, false],
      [["s"], false, false],
      [["t", "u", "3"], true, false],
    ]);
    expect(shown("t.n")).toEqual([
      [["1"], false, false],
      [[true, "x"], false, false],
      [["2"], false, true],
    ]);
  });

  it("keep defaults apart", () => {
    const { defaultRule } = group(policy, "t.allow");
    expect(defaultRule && showRule(defaultRule)).toBe("false");
    const g = group(policy, "t.g");
    expect(g.definitions.length).toBe(1);
    expect(g.defaultRule && renumber(showRule(g.defaultRule))).toBe(
      renumber('(_#1) #2 if eq(#3, [1 | true]); eq(#2, {"a": #3})'),
    );
    expect(group(policy, "t.p.q").defaultRule).toBeUndefined();
  });

  it("sum up the builtins that are called", () => {
    expect(policy.builtins).toEqual(["plus"]);
    const printed = checked("package t\np if { print(time.now_ns()) }");
    expect(printed.builtins).toEqual([]);
    expect(showBody(group(printed, "t.p").definitions[0]?.rule.body ?? [])).toBe("");
  });

  it("count a builtin that stands in for another", () => {
    const policyWith = checked("package t\np if { count([]) == 0 with count as sum }");
    expect(policyWith.builtins).toEqual(["count", "sum"]);
    expect(showGroup(policyWith, "t.p")).toEqual(["true if eq(0, count([])) with count as sum"]);
  });
});

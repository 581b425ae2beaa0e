/** Each warning has modules in which it is found, at its place, and modules that only look like one. */

import { describe, expect, it } from "vitest";
import { codes } from "../../../compiler/rego/bugs/index.ts";
import { check } from "../../../compiler/rego/index.ts";

function found(...texts: readonly string[]): string[] {
  const modules = Object.fromEntries(texts.map((text, i) => [`${i}.rego`, `package p\n\n${text}\n`]));
  return check({ modules, data: { roles: ["a", "b"] } }).diagnostics.map(({ code, severity, span }) => {
    const at = span?.file.positionAt(span.start);
    return `${severity === "warning" ? "" : `${severity} `}${code} ${at?.line}:${at?.column}`;
  });
}

/** What is found, below `package p` and an empty line. */
const BUGS: readonly (readonly [name: string, at: string, text: string])[] = [
  ["annotation-without-metadata", "3:1", "# entrypoint: true\na := 1"],
  ["annotation-without-metadata", "3:1", "# scope: document\na := 1"],
  ["argument-always-wildcard", "3:6", "f(x, _) := x if x > 1\n\nf(x, _) := 0 if x < 1"],
  ["constant-condition", "3:6", "a if 1 == 2"],
  ["constant-condition", "3:17", 'a if { input.x; "x" != "y" }'],
  ["constant-condition", "3:6", "a if false"],
  ["constant-condition", "3:6", "a if not false"],
  ["constant-condition", "3:6", 'a if "text"'],
  ["constant-condition", "3:6", "a if [1, 2]"],
  ["constant-condition", "3:6", 'a if count(input.xs) != "1"'],
  ["constant-condition", "3:6", 'a if count(input.xs) < "1"'],
  ["constant-condition", "3:6", "a if deny\n\ndeny contains 1 if input.x"],
  ["constant-condition", "3:11", "test_a if deny with input as {}\n\ndeny contains 1 if input.x"],
  ["constant-condition", "3:6", "a if o\n\no[x] := 1 if some x in input.xs"],
  ["constant-condition", "3:27", "a if { every x in input { false; x } }"],
  ["duplicate-rule", "3:1", "a if input.x\n\na if input.x"],
  ["duplicate-rule", "3:1", "a if input.x\n\na   if   input.x   # again\n\na if { input.x }"],
  ["if-object-literal", "3:6", "a if {}"],
  ["if-object-literal", "3:6", 'a if { "b": input.b }'],
  ["import-shadows-rule", "3:1", "import data.lib.b\n\na if b\n\nb := 1"],
  ["impossible-default", "3:9", "default a := false\n\na := true"],
  ["impossible-default", "3:9", "default a := 0\n\na := 1 if input.x else := 2"],
  ["impossible-default", "3:9", "default f(_) := 0\n\nf(x) := x"],
  ["impossible-not", "3:6", "a if not deny\n\ndeny contains 1 if input.x"],
  ["impossible-not", "3:6", "a if not [x | some x in input.xs]"],
  ["impossible-not", "3:6", "a if not o\n\no[x] := 1 if some x in input.xs"],
  ["inconsistent-args", "5:3", "f(a, b) := a if a > b\n\nf(b, a) := b if a > b"],
  ["invalid-metadata-attribute", "4:3", "# METADATA\n# titel: a\n# description: b\na := 1"],
  ["invalid-regexp", "3:18", 'a if regex.match("[", input.x)'],
  ["invalid-regexp", "3:29", 'a := regex.replace(input.x, "(", "y")'],
  ["not-equals-in-loop", "3:6", 'a if input.x != ["a", "b"][_]'],
  ["not-equals-in-loop", "5:2", 'a if {\n\tsome x in {"a", "b"}\n\tinput.x != x\n}'],
  ["not-equals-in-loop", "3:6", 'a if input.x != xs[_]\n\nxs := {"a", "b"}'],
  ["not-equals-in-loop", "3:6", "a if data.roles[_] != input.x"],
  ["rule-assigns-default", "5:1", "default a := false\n\na := false if input.x"],
  ["rule-assigns-default", "5:1", "default a := true\n\na if input.x"],
  ["rule-shadows-builtin", "3:1", "startswith(a, b) := a == b"],
  ["sprintf-arguments-mismatch", "3:14", 'a := sprintf("%d of %d", [input.x])'],
  ["sprintf-unknown-verb", "3:14", 'a := sprintf("%d%", [input.x])'],
  ["top-level-iteration", "3:1", "a := input.xs[_]"],
  ["top-level-iteration", "3:1", "f(x) := x[_]"],
  ["unassigned-return-value", "3:6", "a if count(input.xs)"],
  ["unassigned-return-value", "3:6", "a if input.x + 1"],
  ["unconditional-with-conditions", "5:1", "a := true if input.x\n\na := false"],
  ["unconditional-with-conditions", "3:1", "f(_) := 1\n\nf(x) := 2 if x > 1"],
  ["unused-output-variable", "6:11", "a if {\n\tinput.xs[i].a\n\tinput.xs[i].b\n\tinput.xs[j].c\n}"],
];

/** Modules without a warning. */
const RIGHT: readonly string[] = [
  "# METADATA\n# entrypoint: true\n# scope: document\na := 1",
  "# the scope: what is asked\na := 1",
  "# METADATA\n# description: |\n#   note: a\n# custom:\n#   own: 1\n# related_resources:\n# - ref: https://a\na := 1",
  "f(_) := 1\n\na if f(input.x)",
  "f(_, _) := 1\n\na if f(input.x, 1)",
  "f(a, _) := a\n\na if f(1, 2) with f as g\n\ng(x, y) := x + y",
  "f(a, b) := a + b\n\na if f(1, 2) with f as g\n\ng(x, _) := x",
  "f(a, 1) := a\n\nf(a, _) := 0 if a < 1",
  "a if true",
  "default a := false\n\na := input.x",
  "default a := false\n\na := count(input.xs)",
  "default f(_) := 0\n\nf(1) := 1",
  "default f(_, _) := 0\n\nf(x, x) := 1",
  "default a := 0\n\na := 1 if input.x else := 2 if input.y",
  "a := input.x\n\na := 1 if not input.x",
  "a := b\n\na := 1 if input.x\n\nb := 1 if input.y",
  "f(1) := 1\n\nf(x) := 2 if x > 1",
  'a contains "x"\n\na contains "y" if input.y',
  'a["x"] := 1\n\na["y"] := 2 if input.y',
  "a if input.x == 1",
  "a if { x := 1; x == input.x }",
  'f(x) := 1 if {\n\tx == "a"\n} else := 2 if {\n\tx == "b"\n}',
  'a if { print("text", input.x) }',
  'a := $"{input.x} of {"b"}"',
  "a if count(deny) == 0\n\ndeny contains 1 if input.x",
  "test_a if deny with data.p.deny as false\n\ndeny contains 1 if input.x",
  "a if not b\n\ndefault b := false\n\nb if input.x",
  "a if not [input.x]",
  'a if not deny["x"]\n\ndeny contains x if some x in input.xs',
  'a if { some x in input.xs; "b" in x }',
  "a if input.x\n\na if input.y",
  "# METADATA\n# title: a\na contains rego.metadata.rule().title if input.x\n\n# METADATA\n# title: b\na contains rego.metadata.rule().title if input.x",
  'a contains "x y" if input.x\n\na contains "xy" if input.x',
  "a if { input.x } else := false if { input.y }",
  "import data.lib.b as c\n\na if c\n\nb := 1",
  "import data.lib.b\n\na if b\n\nb.c := 1",
  "a contains y if {\n\tx := input.xs[i]\n\ty := input.xs[x]\n}",
  "a if {\n\tx := input.xs[i]\n\tnext := x.next\n\tinput.xs[next].b\n}",
  "a if {\n\tinput.xs[i].b == input.xs[j].c\n\tinput.xs[j].d\n}",
  "f(a, b) := a if a > b\n\nf(x, y) := y if x < y",
  "f(psp, cap) := 1 if psp == cap\n\nf(container, cap) := 2 if container > cap",
  'a if regex.match("[a]", input.x)',
  'a if not input.x in {"a", "b"}',
  'a if { every x in {"a", "b"} { input.x != x } }',
  'a if input.x != ["a"][_]',
  "a if input.x != input.xs[_]",
  'a if { some x in {"a", "b"}; input.x != x; input.y == x }',
  'a if { some k; ["a", "b"][k] != input.x; k > input.y }',
  "default a := false\n\na := true if input.x",
  "default a := false\n\na := false if input.x else := true if input.y",
  "starts_with(a, b) := a == b",
  "count := 3",
  'a := sprintf("%d of %d", [input.x, 2])',
  'a := sprintf("%[1]d %[1]d", [input.x])',
  "a contains input.xs[_]",
  "a[k] := input.xs[k]",
  "a := input.xs[i] if i := 1",
  "f(i) := input.xs[i]",
  "a if to_number(input.x)",
  "a if time.parse_rfc3339_ns(input.x)",
  'a if object.get(input, "x", false)',
  "a if is_string(input.x)",
  "a if { some i; x := input.xs[i]; x.y }",
  "a if { input.xs[i].a; input.ys[j].b }",
  "a if { input.xs[i].a; input.xs[j].b }",
  "a if { input.xs[i].a; input.xs[i].b; input.xs[_].c }",
  "a := {x: ys | some i; x := input.xs[i].x; ys := [y | some j; input.xs[j].x == x; y := input.xs[j].y]}",
];

describe("bugs", () => {
  it.each(BUGS.map(([name, at, text]) => [`${name} ${text}`, `bugs/${name} ${at}`, text] as const))(
    "%s",
    (_, expected, text) => {
      expect(found(text)).toEqual([expected]);
    },
  );

  it.each(RIGHT)("none in %s", (text) => {
    expect(found(text)).toEqual([]);
  });

  it("each have a case, and are warnings that are explained", () => {
    const tried = new Set(BUGS.map(([name]) => `bugs/${name}`));
    expect(Object.keys(codes).filter((code) => !tried.has(code))).toEqual([]);
    for (const [code, { severity, explain }] of Object.entries(codes)) {
      expect(severity, code).toBe("warning");
      expect(explain, code).toContain("# regal ignore:NAME");
    }
  });

  it("are found over modules: what is a set, and what a package has, others say", () => {
    expect(found("a if not deny", "deny contains 1 if input.x")).toEqual(["bugs/impossible-not 3:6"]);
    expect(found("import data.lib.b\n\na if b", "b := 1")).toEqual(["bugs/import-shadows-rule 3:1"]);
    expect(found("import data.p.b\n\na if b", "b := 1")).toEqual([]);
    expect(found("import data.p.c as b\n\na if b", "b := 1\n\nc := 2")).toEqual(["bugs/import-shadows-rule 3:1"]);
    expect(found("f(x, _) := x if x > 1", "f(x, y) := y if x < 1")).toEqual([]);
  });

  it("are silenced as Regal's are: behind the line, or above it", () => {
    const deny = "\n\ndeny contains 1 if input.x";
    for (const text of [
      "a if not deny # regal ignore:impossible-not",
      "# regal ignore:impossible-not\na if not deny",
      "# regal ignore: line-length, impossible-not\na if not deny",
      "a if { # regal ignore:impossible-not\n\tnot deny\n}",
    ])
      expect(found(text + deny), text).toEqual([]);
    for (const text of [
      "a if not deny # regal ignore:constant-condition",
      "# regal ignore:impossible-not\n\na if not deny",
      "# ignore:impossible-not\na if not deny",
      "# regal ignore:impossible-not because it is\na if not deny",
    ])
      expect(found(text + deny), text).toHaveLength(1);
  });

  it("say what could be written in their place", () => {
    const fixed = (text: string): string[] => {
      const { diagnostics } = check({ modules: { "p.rego": text } });
      const edits = diagnostics.flatMap(({ fixes }) => fixes ?? []).flatMap((fix) => fix.edits);
      return edits.map(({ at, text: now }) => text.slice(0, at.start) + now + text.slice(at.end));
    };
    const deny = "deny contains 1 if input.x\n";
    expect(fixed(`package p\na if not deny\n${deny}`)).toEqual([`package p\na if count(deny) == 0\n${deny}`]);
    expect(fixed(`package p\na if deny with input as {}\n${deny}`)).toEqual([
      `package p\na if count(deny) > 0 with input as {}\n${deny}`,
    ]);
    expect(fixed("package p\na if count(input.x)\n")).toEqual(["package p\na if count(input.x) > 0\n"]);
    expect(fixed("package p\na if input.x\na if input.x\n")).toEqual(["package p\na if input.x\n"]);
    expect(fixed("package p\na if { input.x[i].a; input.x[i].b; input.x[j].c }\n")).toEqual([
      "package p\na if { input.x[i].a; input.x[i].b; input.x[i].c }\n",
    ]);
    expect(fixed("package p\n# METADATA\n# titel: x\na := 1\n")).toEqual([
      "package p\n# METADATA\n# title: x\na := 1\n",
    ]);
  });
});

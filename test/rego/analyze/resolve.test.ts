/** What resolving a rule's names says of the rule: by it, later stages leave out what they would not find. */

import { describe, expect, it } from "vitest";
import { libraryModules } from "../../../compiler/governance/library/library.embedded.ts";
import { exportsOf, packagePath } from "../../../compiler/rego/analyze/globals.ts";
import { resolveModule } from "../../../compiler/rego/analyze/resolve.ts";
import type { WorkRule } from "../../../compiler/rego/analyze/work.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import type { Module, Node } from "../../../compiler/rego/syntax/ast.ts";
import { parseModule } from "../../../compiler/rego/syntax/index.ts";
import { children } from "../../../compiler/rego/syntax/visit.ts";
import { valid } from "../syntax/snippets.ts";
import { readCases } from "./corpus.ts";
import { parse } from "./helpers.ts";

function resolved(module: Module): WorkRule[] {
  const unit = { module, path: packagePath(module) };
  return resolveModule(unit, exportsOf([unit]), false, (rule) => rule, []);
}

const rule = (text: string): WorkRule => resolved(parse(`package t\n\n${text}\n`))[0] as WorkRule;

/** Every node of a resolved rule, by the table of child fields. */
function nodesOf({ args, keys, key, branches }: WorkRule): Node[] {
  const found: Node[] = [];
  const see = (node: Node): void => {
    found.push(node);
    for (const child of children(node)) see(child);
  };
  for (const node of [...(args ?? []), ...keys, ...(key ? [key] : [])]) see(node);
  for (const { value, body } of branches) for (const node of [...(value ? [value] : []), ...body]) see(node);
  return found;
}

const CLOSURES = new Set<Node["kind"]>([
  ...(["ArrayComprehension", "SetComprehension", "ObjectComprehension", "Every", "Not", "Logical"] as const),
]);

const texts = [
  ...libraryModules.map(({ text }) => text),
  ...valid.map((text) => `package t\n\n${text}\n`),
  ...readCases().flatMap(({ modules }) => modules.map(({ text }) => text)),
];
const rules = texts.flatMap((text) => {
  const { module } = parseModule(new SourceFile("a.rego", text));
  return module === undefined ? [] : resolved(module);
});

describe("a resolved rule", () => {
  it("names every call that is not of a rule's document", () => {
    for (const one of rules) {
      const names = nodesOf(one).flatMap((n) =>
        n.kind === "Call" && n.operator.kind === "Var" ? n.operator.name : [],
      );
      expect([...one.called]).toEqual(expect.arrayContaining([...new Set(names)]));
    }
  });

  it("says of every closure that there may be one", () => {
    const withClosures = rules.filter((one) => nodesOf(one).some(({ kind }) => CLOSURES.has(kind)));
    expect(withClosures.length).toBeGreaterThan(100);
    expect(withClosures.filter((one) => !one.closures)).toEqual([]);
  });

  it.each([
    "p if input.x == count([1])",
    'p := {"a": [1, {}]} if some x in input.xs',
    "p if not input.x with input as {1}",
    'p := $"{1}"',
  ])("says so where there is no closure: %s", (text) => expect(rule(text).closures).toBe(false));

  it.each([
    "p := [x | x := 1]",
    "p contains {x: 1 | x := 1}",
    "f({x | x := 1}) := 1",
    "p[{x | x := 1}] := 1",
    "p if input[[x | x := 1]]",
    "p if every x in input { x }",
    "p if input.a with input as {x | x := 1}",
    "p := 1 if input.a else := {x | x := 1}",
    'p := $"{input.x}"',
    "import rego.v2\n\np if not { input.x }",
    "import rego.v2\n\np if input.x or input.y",
  ])("says that there is one: %s", (text) => expect(rule(text).closures).toBe(true));

  it("names builtins in full, however they are called", () => {
    const { called } = rule(
      'p if { x := 1; io.jwt.decode("a"); rego["metadata"].rule(); x == 1; not f(2); count([plus(1, 2)]) }',
    );
    expect([...called].sort()).toEqual(
      ["assign", "count", "equal", "f", "io.jwt.decode", "plus", "rego.metadata.rule"].sort(),
    );
    expect([...rule("p if data.q.f(1)").called]).toEqual([]);
  });
});

/**
 * Negation over undefined at every depth. OPA's own wasm answers `not data.pkg[input.x].v.y[input.z]` wrongly, and so allows
 * what its interpreter denies. Each reference here is as deep as it may be, each of its keys written down or looked up, there
 * or not or itself undefined; what holds is told by walking a plain object. The module, and an installed OPA, must agree.
 */

import { load } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../compiler/rego/pipeline/compile-modules.ts";
import { askOpa, hasOpa } from "../rego/plan/opa.ts";

/** How a key is written, and what it is; without a value it is undefined. */
interface Key {
  readonly text: string;
  readonly value?: string;
}

const input: Record<string, unknown> = {
  k2: "v",
  k3: "y",
  hit: "hit",
  no: "no",
  miss: "nowhere",
  base: "base",
  empty: "empty",
};

const keys: readonly (readonly Key[])[] = [
  [
    { text: '"a"', value: "a" },
    { text: "input.base", value: "base" },
    { text: "input.empty", value: "empty" },
    { text: "input.miss", value: "nowhere" },
    { text: "input.gone" },
  ],
  [{ text: '"v"', value: "v" }, { text: "input.k2", value: "v" }, { text: "input.gone" }],
  [
    { text: '"y"', value: "y" },
    { text: "input.k3", value: "y" },
  ],
  [
    { text: "input.hit", value: "hit" },
    { text: "input.no", value: "no" },
    { text: "input.miss", value: "nowhere" },
    { text: "input.gone.deeper" },
  ],
];

/** What every document below holds. */
const tree = { a: { v: { y: { hit: 1, no: false } } }, base: { v: { y: { hit: 2 } } }, empty: { v: {} } };

/** The same document five ways. */
const documents = {
  packages: "data.pkg",
  base: "data.stored",
  "the input": "input.tree",
  "a complete rule": "data.t.whole",
  "a rule with a reference head": "data.t.parts",
};

const support = `
whole := ${JSON.stringify(tree)}

parts[x].v.y[z] := w if { some x, v in input.tree; some z, w in v.v.y }
parts.empty.v := {}
`;

const modules = [
  'package pkg.a.v\n\ny[z] := 1 if { z := input.hit }\n\ny["no"] := false',
  "package pkg.empty\n\nv := {}",
];

const paths: (readonly Key[])[] = [[]];
for (const path of paths) for (const key of keys[path.length] ?? []) paths.push([...path, key]);
paths.shift();

/** Whether a reference is defined and not false. */
function holds(path: readonly Key[]): boolean {
  let at: unknown = tree;
  for (const { value } of path) {
    if (value === undefined || typeof at !== "object" || at === null || !Object.hasOwn(at, value)) return false;
    at = (at as Record<string, unknown>)[value];
  }
  return at !== false;
}

const reference = (document: string, path: readonly Key[]): string =>
  `${document}${path.map((k) => `[${k.text}]`).join("")}`;

/** A rule for some of the paths: functions should stay small. */
const part = (i: number): number => Math.floor(i / 30);
const parts = Array.from({ length: part(paths.length - 1) + 1 }, (_, n) => n);
const namesOf = (kind: string): string[] => parts.map((n) => `${kind}_${n}`);

/** Rules that hold the numbers of the references that do not. */
function question(document: string): { readonly modules: readonly string[]; readonly data: unknown } {
  const rules = paths.map((path, i) => `fails_${part(i)} contains ${i} if not ${reference(document, path)}`);
  const inside = paths.map(
    (path, i) => `inside_${part(i)} contains ${i} if { xs := [1 | not ${reference(document, path)}]; xs != [] }`,
  );
  const bound = paths.map((path, i) => {
    const names = path.map((_, n) => `k${n}`);
    const binds = path.map((k, n) => `k${n} := ${k.text}`);
    return `bound_${part(i)} contains ${i} if { ${binds.join("; ")}; not ${document}${names.map((n) => `[${n}]`).join("")} }`;
  });
  return {
    modules: [`package t\n\n${support}\n${[...rules, ...inside, ...bound].join("\n")}\n`, ...modules],
    data: { stored: tree, pkg: { base: tree.base } },
  };
}

/** A key that is undefined leaves no solution, negated or not: keys are evaluated before the negation asks. */
const failing = paths.flatMap((path, i) => (holds(path) || path.some((k) => k.value === undefined) ? [] : [i]));
const asked = { ...input, tree };

interface Answers {
  readonly fails: readonly number[];
  readonly inside: readonly number[];
  readonly bound: readonly number[];
}

/** The references as texts: a difference should be readable. */
const shown = (document: string, numbers: Iterable<number>): string[] =>
  [...numbers].sort((a, b) => a - b).map((i) => reference(document, paths[i] as readonly Key[]));

function expectAnswers(document: string, found: Answers): void {
  expect(shown(document, found.fails)).toEqual(shown(document, failing));
  expect(shown(document, found.inside)).toEqual(shown(document, failing));
  expect(shown(document, found.bound)).toEqual(shown(document, failing));
}

describe("negation over undefined at every depth", () => {
  it("covers references that hold and that do not, at each depth", () => {
    for (let depth = 1; depth <= keys.length; depth++) {
      const some = paths.filter((p) => p.length === depth);
      expect(some.some(holds), `depth ${depth}`).toBe(true);
      expect(
        some.some((p) => !holds(p)),
        `depth ${depth}`,
      ).toBe(true);
    }
  });

  it.each(Object.entries(documents))("in %s", async (_, document) => {
    const { modules: texts, data } = question(document);
    const { compiled, diagnostics } = await compileModules({
      modules: texts.map((text, i) => new SourceFile(`${i}.rego`, text)),
      entrypoints: ["fails", "inside", "bound"].flatMap(namesOf).map((name) => `t/${name}`),
    });
    expect(diagnostics.map((d) => d.message)).toEqual([]);
    if (compiled === undefined) return;
    const policy = await load(compiled.wasm);
    policy.setData(data);
    const ask = (kind: string): number[] =>
      namesOf(kind).flatMap((name) => policy.evaluate(`t/${name}`, asked) as number[]);
    expectAnswers(document, { fails: ask("fails"), inside: ask("inside"), bound: ask("bound") });
  });

  it.skipIf(!hasOpa).each(Object.entries(documents))("as an installed OPA has it, in %s", (_, document) => {
    const wanted = ["fails", "inside", "bound"].map(
      (kind) =>
        `"${kind}": [i | some i in union({${namesOf(kind)
          .map((name) => `data.t.${name}`)
          .join(", ")}})]`,
    );
    const answer = askOpa(`{${wanted.join(", ")}}`, {
      ...question(document),
      input: asked,
    });
    if ("errors" in answer) expect.fail(JSON.stringify(answer.errors));
    else expectAnswers(document, answer.json as Answers);
  });
});

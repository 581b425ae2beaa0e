/** Records that differ by an index alone are constants for small indexes, and behave like any object all the same. */

import { load, type Policy } from "@portcullis/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import { emit, entrypoint, Module } from "./module.ts";

const REGO = `package t

numbered := [{"gate": "G", "index": i, "allowed": false} | some i, _ in input.xs]

two := [{"a": i, "b": x} | some i, x in input.xs]

by_key := [{"k": k, "c": [1, {"d": null}]} | some k, _ in input.xs]

counted := {"n": count(input.xs), "b": true}

sums := [[{"s": i + 1}, {"s": i - 1}, {"s": i + 300}] | some i, _ in input.xs]

first := all[0]

all := [{"at": i, "first": true} | some i, _ in input.xs]

set_of contains {"i": i, "k": 1} if some i, _ in input.xs

looked_up := {r.i: r | some r in set_of}

extended := [object.union({"i": i, "z": 1}, {"z": x}) | some i, x in input.xs]

equal_to := [i | some i, x in input.xs; {"i": i, "k": 1} == {"k": 1, "i": x}]

proto := [{"__proto__": i, "a": 1} | some i, _ in input.xs]

written := sprintf("%v", [numbered])
`;

const RULES = [...new Set([...REGO.matchAll(/^(\w+)(?: :=| contains)/gm)].map((m) => m[1] as string))];

/** What each rule answers, by a plain reading of it. */
function expected(xs: readonly unknown[]): Readonly<Record<string, unknown>> {
  const numbered = xs.map((_, i) => ({ allowed: false, gate: "G", index: i }));
  return {
    numbered,
    two: xs.map((x, i) => ({ a: i, b: x })),
    by_key: xs.map((_, i) => ({ c: [1, { d: null }], k: i })),
    counted: { b: true, n: xs.length },
    sums: xs.map((_, i) => [{ s: i + 1 }, { s: i - 1 }, { s: i + 300 }]),
    first: xs.length === 0 ? undefined : { at: 0, first: true },
    set_of: xs.map((_, i) => ({ i, k: 1 })),
    looked_up: Object.fromEntries(xs.map((_, i) => [String(i), { i, k: 1 }])),
    extended: xs.map((x, i) => ({ i, z: x })),
    equal_to: xs.flatMap((x, i) => (x === i ? [i] : [])),
    proto: xs.map((_, i) => JSON.parse(`{"__proto__": ${i}, "a": 1}`)),
    written: JSON.stringify(numbered).replaceAll(":", ": ").replaceAll(",", ", "),
  };
}

describe("records that differ by an index", () => {
  let policy: Policy;
  beforeAll(async () => {
    const { compiled, diagnostics } = await compileModules({
      modules: [new SourceFile("t.rego", REGO)],
      entrypoints: RULES.map((r) => `t/${r}`),
    });
    if (compiled === undefined) throw new Error(diagnostics.map((d) => d.message).join("\n"));
    policy = await load(compiled.wasm);
  });

  it.each([0, 1, 2, 15, 16, 17, 40, 300])("of lists of %i elements", (length) => {
    const xs = Array.from({ length }, (_, i) => (i % 3 ? i : `x${i}`));
    for (const [rule, wanted] of Object.entries(expected(xs))) {
      const answer = policy.evaluate(`t/${rule}`, { xs });
      expect(policy.lastFault, rule).toBeUndefined();
      expect(answer, rule).toEqual(wanted);
      expect(policy.evaluateJson(`t/${rule}`, JSON.stringify({ xs })), rule).toEqual(wanted);
    }
  });

  it("whatever the keys are", () => {
    const xs = { "0": "a", b: 1, "": 2 };
    expect(policy.evaluate("t/by_key", { xs })).toEqual(["", "0", "b"].map((k) => ({ c: [1, { d: null }], k })));
  });

  it("keep the order of keys", () => {
    const [first, later] = [[1], Array.from({ length: 20 }, () => 1)].map(
      (xs) => (policy.evaluate("t/numbered", { xs }) as object[]).at(-1) as object,
    );
    expect(Object.keys(first as object)).toEqual(Object.keys(later as object));
  });
});

it.each([
  ["later in its block", `is-array L3\ninsert L6 "late" L5\nappend L9 L6`],
  ["in a block inside", `blocks\n  block\n    insert L6 "late" L5\nappend L9 L6`],
  ["where it was looked up", `append L9 L6\nL7 = get L9 L4\ninsert L7 "late" L5`],
])("a record that is changed %s is no constant", (_, then) => {
  const body = `block
  L3 = get L0 "xs"
  L9 = array 0
  scan L3 as L4, L5
    L6 = object
    insert L6 "a" true
    insert L6 "i" L4
${then.replace(/^/gm, "    ")}
  L2 = L9
block
  return L2`;
  const m = new Module(
    emit(`${entrypoint("p", "g0.data.p")}func g0.data.p(L0, L1) -> L2 path g0/p\n${body.replace(/^/gm, "  ")}\n`),
  );
  for (const xs of [["x", "y"], ["z"]]) {
    const made = xs.map((late, i) => ({ a: true, i, late }));
    expect(m.evaluate({ xs })).toEqual([{ result: made }]);
  }
});

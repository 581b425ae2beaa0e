/**
 * Look-ups in constants of which something is known: whatever place they read, they find what a search would. Programs are
 * asked every key, those of the policy and others, and held against a plain reading of the tables.
 */

import { load } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import { ValueSets } from "../../../compiler/rego/wasm/value-sets.ts";
import { parsePolicyText } from "../plan/parse-text.ts";

/** Values in Rego's spelling, with what `table[k]` and so on give by a plain reading. */
type Plain = null | boolean | number | string | readonly Plain[] | ReadonlySet<Plain> | ReadonlyMap<Plain, Plain>;

const map = (...entries: readonly (readonly [Plain, Plain])[]): ReadonlyMap<Plain, Plain> => new Map(entries);
const set = (...items: readonly Plain[]): ReadonlySet<Plain> => new Set(items);
const numbered = (count: number, value: (i: number) => Plain): ReadonlyMap<Plain, Plain> =>
  new Map(Array.from({ length: count }, (_, i) => [`k${i}`, value(i)] as const));

function rego(value: Plain): string {
  if (value instanceof Set) return value.size === 0 ? "set()" : `{${[...value].map(rego).join(", ")}}`;
  if (value instanceof Map) return `{${[...value].map(([k, v]) => `${rego(k)}: ${rego(v)}`).join(", ")}}`;
  if (Array.isArray(value)) return `[${value.map(rego).join(", ")}]`;
  return JSON.stringify(value);
}

function at(value: Plain | undefined, key: unknown): Plain | undefined {
  if (value instanceof Map) return value.get(key as Plain);
  if (value instanceof Set) return value.has(key as Plain) ? (key as Plain) : undefined;
  if (Array.isArray(value)) return typeof key === "number" ? (value[key] as Plain | undefined) : undefined;
  return undefined;
}

function json(value: Plain | undefined): unknown {
  if (value instanceof Map) {
    const entries = [...value].map(([k, v]) => [String(k), json(v)] as const);
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  }
  if (value instanceof Set) return [...value].sort().map(json);
  return Array.isArray(value) ? value.map(json) : value;
}

const tables: Readonly<Record<string, Plain>> = {
  uniform: map(["a", map(["k", 1], ["roles", map(["x", true])])], ["b", map(["k", 2], ["roles", map(["y", false])])]),
  "in another order": map(["a", map(["k", 1], ["roles", 2])], ["b", map(["roles", 2], ["k", 1])]),
  "of other keys": map(["a", map(["k", 1])], ["b", map(["j", 0], ["k", 2])], ["c", map()]),
  "with a key missing": map(["a", map(["k", 1], ["roles", 3])], ["b", map(["roles", 2])]),
  empty: map(),
  "of empty ones": map(["a", map()], ["b", map()]),
  "of sets": map(["a", set("k", "x")], ["b", set("x", "y")], ["c", set()]),
  "of sets and objects": map(["a", set("k")], ["b", map(["k", map(["k", 1])])], ["c", map(["k", map(["k", 2])])]),
  "of sets of sets": set("a", "k", "x"),
  "of arrays": map(["a", ["x", "y"]], ["b", []], ["c", [map(["k", 1])]]),
  "of scalars and objects": map(["a", "k"], ["b", map(["k", "x"])], ["c", null], ["x", 0], ["y", false]),
  "of objects in arrays": [map(["k", 1]), map(["k", 2]), map(["k", map(["k", 3])])],
  "with keys of any type": map(
    [1, map(["k", "x"])],
    [true, map(["k", "y"])],
    [null, map(["k", "a"])],
    ["a", map(["k", "b"])],
  ),
  "of three": numbered(3, (i) => map(["k", i], ["x", `k${i}`])),
  "of four": numbered(4, (i) => map(["k", i], ["x", `k${i}`])),
  "of nine": numbered(9, (i) => map(["k", i], ["x", `k${i}`])),
  "of forty": numbered(40, (i) => map(["k", i], ["x", numbered(i, (j) => j)])),
  "of nine sets": numbered(9, (i) => set(...Array.from({ length: i }, (_, j) => `k${j}`), "k")),
  "with a key that is a prototype's": map(["__proto__", map(["k", 1])], ["constructor", map(["k", 2])]),
};

const KEYS: readonly unknown[] = [
  ...["a", "b", "c", "k", "x", "y", "k0", "k3", "k8", "k39", "k40", "", "unknown", "é", "__proto__", "constructor"],
  ...[0, 1, 2, -1, 0.5, 300, 1e21, true, false, null, [], {}, ["a"], { k: 1 }],
];

const RULES = `
at_key := {"found": table[input.key]}
at_key_k := {"found": table[input.key].k}
at_key_k_k := {"found": table[input.key].k.k}
at_both := {"found": table[input.key][input.other]}
at_k_key := {"found": table[input.key].x[input.other]}
at_made := {"found": table[concat("", [input.head, input.tail])].k}
at_lower := {"found": table[lower(input.upper)][lower(input.upper)]}
chosen := table.a if input.key == "a"
else := table.b if input.key == "b"
else := table
through_rule := {"found": chosen.k}
`;

describe.each(Object.entries(tables))("a table %s", (_name, table) => {
  it("gives for every key what is there", async () => {
    // A function hides the types from the analysis, which would refuse most of this, but not the value from the compiler.
    const text = `package t\n\nhide(x) := x\n\ntable := hide(${rego(table)})\n${RULES}`;
    const rules = [...text.matchAll(/^(at_\w+|through_rule) /gm)].map((m) => m[1] as string);
    const { compiled, diagnostics } = await compileModules({
      modules: [new SourceFile("t.rego", text)],
      entrypoints: rules.map((r) => `t/${r}`),
    });
    expect(diagnostics.filter((d) => d.severity === "error")).toEqual([]);
    const policy = await load(compiled?.wasm as Uint8Array);
    const ask = (rule: string, input: unknown, expected: Plain | undefined): void => {
      const label = `${rule} of ${JSON.stringify(input)}`;
      const wanted = expected === undefined ? undefined : { found: json(expected) };
      const text = JSON.stringify(input);
      for (const answer of [policy.evaluate(`t/${rule}`, input), policy.evaluateJson(`t/${rule}`, text)]) {
        expect(policy.lastFault, label).toBeUndefined();
        expect(JSON.stringify(answer), label).toBe(JSON.stringify(wanted));
      }
    };
    for (const key of KEYS) {
      const found = at(table, key);
      ask("at_key", { key }, found);
      ask("at_key_k", { key }, at(found, "k"));
      ask("at_key_k_k", { key }, at(at(found, "k"), "k"));
      for (const other of KEYS) {
        ask("at_both", { key, other }, at(found, other));
        ask("at_k_key", { key, other }, at(at(found, "x"), other));
      }
      ask(
        "through_rule",
        { key },
        at(key === "a" ? (at(table, "a") ?? table) : key === "b" ? (at(table, "b") ?? table) : table, "k"),
      );
      if (typeof key !== "string") continue;
      // Strings of the policy that the policy has made once more, on the heap.
      for (const cut of [0, 1, key.length])
        ask("at_made", { head: key.slice(0, cut), tail: key.slice(cut) }, at(found, "k"));
      if (key.toLowerCase() === key) ask("at_lower", { upper: key.toUpperCase() }, at(found, key));
    }
  });
});

describe("a function of a plan from elsewhere", () => {
  const constant = {
    kind: "object",
    entries: [
      [
        { kind: "string", value: "k" },
        { kind: "boolean", value: true },
      ],
    ],
  } as const;
  const dotsAfter = (returned: string): unknown[] => {
    const callee = `  block\n    L2 = #0\n    L3 = get L0 "x"\n    return ${returned}`;
    const text = `plan p\n  block\n    L2 = call f(L0, L1)\n    L3 = get L2 "k"\n    result L3\nfunc f(L0, L1) -> L2\n${callee}\n`;
    const policy = parsePolicyText(text, [constant]);
    return [...new ValueSets(policy).dots(policy.plans[0]!.blocks, [0, 1]).values()];
  };

  it("is known by what it returns, which need not be its result", () => {
    expect(dotsAfter("L2")).toEqual([{ kind: "entry", index: 0 }]);
    expect(dotsAfter("L3")).toEqual([]);
  });
});

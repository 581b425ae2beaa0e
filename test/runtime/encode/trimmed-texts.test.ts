/** Texts that rules trim, compare and answer are mostly symbolic, and nothing shows of it, as the same request shows as JSON text. */

import { load, type Policy } from "@portcullis/runtime";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import { campaign } from "../../campaign.ts";

const RULES = {
  answered: `p := {"allowed": true, "ref": ref, "by": input.by} if ref != "" else := {"allowed": false}

ref := trim(input.ref, " \\t\\u00a0")`,
  compared: `p if trim_space(input.ref) == trim(input.by, " ")`,
  both: `p := {"ref": trim(input.ref, " "), "whole": input.by} if input.ref == input.by else := {"ref": input.ref}`,
  ends: `p := {"left": trim_left(input.ref, " "), "right": trim_right(input.by, "\\t ")}`,
  nested: `p := {"a": {"b": [trim_space(input.ref)]}, "by": input.by}`,
  list: `p := [input.ref, input.by, input.ref]`,
  blank: `p if trim(input.ref, " ") != ""`,
  self: `p := trim_space(input.ref)`,
  whole: `p := input`,
  letters: `p := {"ref": trim(input.ref, "ab "), "by": trim(input.by, input.cutset)}`,
} as const;
type Name = keyof typeof RULES;
const NAMES = Object.keys(RULES) as Name[];

let policy: Policy;
let wasm: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  const modules = NAMES.map((name) => new SourceFile(`${name}.rego`, `package ${name}\n\n${RULES[name]}\n`));
  const { compiled } = await compileModules({ modules, entrypoints: NAMES.map((name) => `${name}/p`) });
  wasm = compiled?.wasm as Uint8Array<ArrayBuffer>;
  policy = await load(wasm);
});

/** The answer, which is the same for the same request as JSON text. */
function answer(name: Name, input: unknown): unknown {
  const result = policy.evaluate(`${name}/p`, input);
  expect(policy.lastFault).toBeUndefined();
  expect(result).toEqual(policy.evaluateJson(`${name}/p`, JSON.stringify(input)));
  return result;
}

const TEXTS = [
  "x",
  "A-1",
  "",
  " ",
  "   ",
  " ".repeat(20),
  "\t",
  " x",
  "x ",
  " x ",
  "x y",
  "é",
  "xé",
  "\u00a0x",
  "\u{1f600}",
  "a\ud800b",
];
const LONG = ["z".repeat(300), ` ${"z".repeat(300)}`, "\ud800"];

describe.each(NAMES)("the rules of %s", (name) => {
  it("answer to texts, to one after the other and again", () => {
    for (const ref of [...TEXTS, ...LONG])
      for (const by of [...TEXTS, ...LONG])
        for (const input of [
          { ref, by, cutset: "x" },
          { by, ref },
        ]) {
          const first = answer(name, input);
          expect(answer(name, { ...input })).toEqual(first);
        }
  });

  it("answer to anything else", () => {
    for (const ref of [undefined, null, 1, true, 2 ** 60, [], ["x"], { x: "x" }, "x"])
      for (const by of [undefined, null, 0, false, ["x"], {}, " x"]) answer(name, { ref, by });
  });

  it("answer to handles as to their texts", () => {
    for (const ref of TEXTS)
      for (const by of TEXTS) {
        const wanted = policy.evaluate(`${name}/p`, { ref, by, cutset: "x" });
        const [refHandle, byHandle] = [policy.intern(ref), policy.intern(by)];
        // What is answered as it came is read from memory, where a lone surrogate is U+FFFD.
        expect(policy.evaluate(`${name}/p`, { ref: refHandle, by, cutset: "x" })).toEqual(wanted);
        expect(policy.evaluate(`${name}/p`, { ref, by: byHandle, cutset: "x" })).toEqual(wanted);
        expect(policy.evaluate(`${name}/p`, { ref: refHandle, by: byHandle, cutset: "x" })).toEqual(wanted);
      }
  });

  it("answer to any requests", () => {
    const text = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: "binary", maxLength: 12 }), fc.string());
    const value = fc.oneof({ arbitrary: text, weight: 8 }, { arbitrary: fc.jsonValue(), weight: 1 });
    const request = fc.record({ ref: value, by: value, cutset: text }, { requiredKeys: [] });
    fc.assert(
      fc.property(request, (input) => {
        answer(name, input);
      }),
      campaign(500),
    );
  });
});

describe("answers", () => {
  it("are not shared where they have texts of a request", () => {
    const ask = (ref: string, by: string) => answer("answered", { ref, by }) as Record<string, unknown>;
    const first = ask("A-1", "x");
    const second = ask("A-2", "y");
    expect(first).toEqual({ allowed: true, ref: "A-1", by: "x" });
    expect(second).toEqual({ allowed: true, ref: "A-2", by: "y" });
    second["ref"] = "changed";
    expect(ask("A-2", "y")).toEqual({ allowed: true, ref: "A-2", by: "y" });
    expect(first).toEqual({ allowed: true, ref: "A-1", by: "x" });
  });

  it("have the texts where they belong, in whatever order a request has them", () => {
    expect(answer("answered", { ref: "1", by: "2" })).toEqual({ allowed: true, ref: "1", by: "2" });
    expect(answer("answered", { by: "2", ref: "1" })).toEqual({ allowed: true, ref: "1", by: "2" });
    expect(answer("answered", { by: "1", ref: "2" })).toEqual({ allowed: true, ref: "2", by: "1" });
    expect(answer("answered", { by: "1", ref: "1" })).toEqual({ allowed: true, ref: "1", by: "1" });
  });

  it("take one reading of a request, whatever members it has besides", async () => {
    const fresh = await load(wasm);
    for (let i = 0; i < 100; i++) {
      let reads = 0;
      const request = {
        get by() {
          reads++;
          return "x";
        },
        ref: "A-1",
        other: i,
      };
      expect(fresh.evaluate("answered/p", request)).toEqual({ allowed: true, ref: "A-1", by: "x" });
      expect(reads).toBe(1);
    }
  });

  it("say nothing of an earlier request's texts", () => {
    answer("answered", { ref: "secret", by: "secret" });
    expect(answer("answered", { ref: " " })).toEqual({ allowed: false });
    expect(answer("answered", { ref: "y" })).toEqual({ allowed: false });
    expect(answer("answered", {})).toEqual({ allowed: false });
  });
});

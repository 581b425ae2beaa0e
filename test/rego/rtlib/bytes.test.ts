/**
 * Builtins on strings that are not UTF-8: `bytes.json` holds calls, and what OPA makes of them, in hex (`null`: undefined). Values
 * go through `sprintf`, so that each of their bytes shows.
 */

import { builtins } from "@portcullis/builtins";
import { load } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import { askOpa, hasOpa } from "../plan/opa.ts";
import recorded from "./bytes.json" with { type: "json" };

const rows = recorded as [call: string, hex: string | null][];
const rule = (call: string, i: number): string => `r${i} := hex.encode(sprintf("%v", [${call}]))`;

/** The answers of a module to all calls, which are its rules. */
async function answers(calls: readonly string[], input: unknown): Promise<unknown[]> {
  const modules = [new SourceFile("t.rego", `package t\n\n${calls.map(rule).join("\n")}\n`)];
  const entrypoints = calls.map((_, i) => `t/r${i}`);
  const { compiled, diagnostics } = await compileModules({ modules, entrypoints });
  if (compiled === undefined) throw new Error(diagnostics.map((d) => d.message).join("\n"));
  const policy = await load(compiled.wasm, { builtins });
  return entrypoints.map((name) => policy.evaluate(name, input) ?? policy.lastFault?.message ?? null);
}

const differing = (found: readonly unknown[]): unknown[] =>
  rows.flatMap(([call, hex], i) => (found[i] === hex ? [] : [{ call, found: found[i], hex }]));

describe("builtins on strings that are not UTF-8", () => {
  const calls = rows.map(([call]) => call);

  it("answer as OPA does where the compiler knows them", async () => {
    expect(differing(await answers(calls, {}))).toEqual([]);
  });

  it("answer as OPA does where they come with the input", async () => {
    const strings: string[] = [];
    const hidden = calls.map((call) =>
      call.replaceAll(/base64\.decode\("([^"]*)"\)/g, (_, text: string) => {
        strings.push(text);
        return `base64.decode(input.s${strings.length - 1})`;
      }),
    );
    const input = Object.fromEntries(strings.map((text, i) => [`s${i}`, text]));
    expect(differing(await answers(hidden, input))).toEqual([]);
  });

  it.skipIf(!hasOpa)("are what OPA still says", () => {
    const answer = askOpa("data.t", { modules: [`package t\n\n${calls.map(rule).join("\n")}\n`] });
    const document = ("json" in answer ? answer.json : {}) as Record<string, unknown>;
    expect(differing(calls.map((_, i) => document[`r${i}`] ?? null))).toEqual([]);
  });
});

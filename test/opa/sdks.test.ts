/**
 * Our bundle in the engines of others: every entrypoint, every test case, the same answers, and the table of compiler/README.md.
 * An engine that cannot be had is skipped, and says so.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { load, readBundle } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { compileExample } from "./bundles.ts";
import { ENGINES, type Engine } from "./engines.ts";
import { permits, questions, VERDICTS } from "./questions.ts";

/** `make test-opa` and runs with registries ask for it: the first one fetches and builds. */
const isAsked = ["PORTCULLIS_OPA", "PORTCULLIS_REGISTRY"].some((name) => process.env[name] !== undefined);
const module = "out/sdks/module.tar.gz";
const rego = "out/sdks/rego.tar.gz";
const wasm = "out/sdks/policy.wasm";

/** As JSON has it, members in any order. */
const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

const rowOf = ({ name, version, takes, answers }: Engine): string => `| ${name} ${version} | ${takes} | ${answers} |`;

it.each(ENGINES)("the page has the row of $name", (engine) => {
  expect(readFileSync("compiler/README.md", "utf8")).toContain(rowOf(engine));
});

describe.skipIf(!isAsked).each(ENGINES)("$name", (engine) => {
  it("answers every entrypoint as our runtime does", async ({ skip }) => {
    mkdirSync("out/sdks", { recursive: true });
    const why = engine.absent();
    if (why !== undefined) {
      console.warn(`SKIPPED: ${engine.name} ${engine.version}: ${why}`);
      return skip(why);
    }
    const bytes = (await readBundle(readFileSync("generated/bundle.tar.gz"))).get("policy.wasm") as Uint8Array;
    writeFileSync(wasm, bytes);
    writeFileSync(module, (await compileExample("sdks", "wasm")).bundle);
    writeFileSync(rego, (await compileExample("sdks")).bundle);
    const ours = await load(bytes);
    const all = questions();
    const answers = await engine.ask({ wasm, module, rego }, all);
    expect(answers).toHaveLength(all.length);
    const permitted = new Set<string>();
    for (const [i, { entrypoint, input }] of all.entries()) {
      const result = answers[i]?.[0]?.result;
      const expected = plain(ours.evaluate(entrypoint, input));
      if (engine.misreads?.(input) && !isDeepStrictEqual(result, expected)) {
        expect(permits(result), `${entrypoint} ${JSON.stringify(input)}`).toBe(false);
        continue;
      }
      expect(result, `${entrypoint} ${JSON.stringify(input)}`).toEqual(expected);
      if (permits(result)) permitted.add(entrypoint);
    }
    expect([...permitted].sort()).toEqual([...VERDICTS].sort());
    if (engine.answers === "not run") console.warn(`${engine.name} ran, and answered the same: say so in its row`);
  });
});

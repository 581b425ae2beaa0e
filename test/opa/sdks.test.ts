/**
 * Our module in the SDKs that registries serve: every decision kind, every test case, the same answers. npm's is installed with
 * the workspace; Python's is fetched by pip into out/, and skipped where that cannot be.
 */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadPolicy } from "@open-policy-agent/opa-wasm";
import { load, readBundle } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { succeeds } from "./opa.ts";
import { questions } from "./questions.ts";

const asked = process.env["PORTCULLIS_OPA"] !== undefined;
const out = "out/sdks";

/** As JSON has it, members in any order. */
const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

async function moduleBytes(): Promise<Uint8Array> {
  const files = await readBundle(readFileSync("generated/bundle.tar.gz"));
  return files.get("policy.wasm") as Uint8Array;
}

describe.skipIf(!asked)("npm's opa-wasm", () => {
  it("decides every kind as our runtime does", async () => {
    const wasm = await moduleBytes();
    const [ours, theirs] = [await load(wasm), await loadPolicy(wasm as Uint8Array<ArrayBuffer>)];
    for (const { entrypoint, input } of questions()) {
      const [answer] = theirs.evaluate(input, entrypoint) as { result: unknown }[];
      expect(answer?.result, `${entrypoint} ${JSON.stringify(input)}`).toEqual(plain(ours.evaluate(entrypoint, input)));
    }
  });
});

const SCRIPT = `
import json, sys
from opa_wasmtime import OPAPolicy
policy = OPAPolicy(sys.argv[1])
answers = []
for question in json.load(sys.stdin):
    answers.append(policy.evaluate(question["input"], question["entrypoint"]))
json.dump(answers, sys.stdout)
`;

/** Whether the package is there, or pip can fetch it. */
function hasPython(): boolean {
  if (existsSync(join(out, "python/opa_wasmtime"))) return true;
  const fetched = succeeds(
    "python3",
    "-m",
    "pip",
    "install",
    "--quiet",
    "--target",
    `${out}/python`,
    "opa-wasmtime==0.1.1",
  );
  if (!fetched) console.warn("SKIPPED: pip cannot install opa-wasmtime");
  return fetched;
}

describe.skipIf(!asked || !hasPython())("Python's opa-wasmtime", () => {
  it("decides every kind as our runtime does", async () => {
    const wasm = await moduleBytes();
    mkdirSync(out, { recursive: true });
    writeFileSync(join(out, "policy.wasm"), wasm);
    const ours = await load(wasm);
    const all = questions();
    const answers = JSON.parse(
      execFileSync("python3", ["-c", SCRIPT, join(out, "policy.wasm")], {
        input: JSON.stringify(all),
        env: { ...process.env, PYTHONPATH: `${out}/python` },
        maxBuffer: 2 ** 26,
      }).toString(),
    ) as { result: unknown }[][];
    expect(answers).toHaveLength(all.length);
    for (const [i, { entrypoint, input }] of all.entries())
      expect(answers[i]?.[0]?.result, `${entrypoint} ${JSON.stringify(input)}`).toEqual(
        plain(ours.evaluate(entrypoint, input)),
      );
  });
});

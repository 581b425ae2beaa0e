/**
 * The adapters of other protocols: total, and never an allow where the call decision denies. Every answer is the statement's,
 * by the runtime, by the stock SDK on our module, and by a real opa where there is one.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { loadPolicy } from "@open-policy-agent/opa-wasm";
import { beforeAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import { load, type Policy } from "../../../runtime/index.ts";
import { adapterStatements } from "../../statements/adapters.ts";
import {
  type Adapter,
  adapters,
  adapted as policy,
  requestsToAdapter,
  rightAdapted,
  toldByArguments,
} from "./adapter-requests.ts";
import { combined } from "./combinations.ts";
import { adapterModules, libraryModules, librarySchemas } from "./library-modules.ts";
import { hasOpa } from "./opa-evaluator.ts";

/** As JSON says it. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? "null");

const requests = new Map(adapters.map((entrypoint) => [entrypoint, requestsToAdapter(entrypoint)]));

function wrong(entrypoint: Adapter, answers: readonly unknown[]): object[] {
  const inputs = requests.get(entrypoint) ?? [];
  expect(answers.length).toBe(inputs.length);
  return inputs
    .map((input, i) => ({
      input,
      expected: plain(adapterStatements[entrypoint](policy, input)),
      actual: plain(answers[i]),
    }))
    .filter(({ expected, actual }) => !isDeepStrictEqual(expected, actual))
    .slice(0, 3);
}

let wasm: Uint8Array;
let ours: Policy;
beforeAll(async () => {
  const { compiled, diagnostics } = await compileModules({
    modules: [...libraryModules(), ...adapterModules(), toldByArguments].map(
      ({ name, text }) => new SourceFile(name, text),
    ),
    schemas: librarySchemas(),
  });
  expect(diagnostics.map(({ message }) => message)).toEqual([]);
  wasm = compiled?.wasm as Uint8Array;
  ours = await load(wasm, { data: { portcullis: { policy } } });
});

describe.each(adapters)("%s", (entrypoint) => {
  const statement = adapterStatements[entrypoint];

  it("allows the right requests, and little else", () => {
    const isAllowed = (request: unknown): boolean => {
      const answer = statement(policy, request);
      return (answer["allowed"] ?? answer["decision"]) === true;
    };
    expect(rightAdapted[entrypoint].every(isAllowed)).toBe(true);
    const all = requests.get(entrypoint) ?? [];
    expect(all.length).toBeGreaterThan(500);
    expect(all.filter((request) => !isAllowed(request)).length).toBeGreaterThan(all.length / 2);
  });

  it("answers every request as the statement does, by the runtime", () => {
    const answers = (requests.get(entrypoint) ?? []).map((input) => {
      const answer = ours.evaluate(entrypoint, input);
      expect(ours.lastFault).toBeUndefined();
      return answer;
    });
    expect(wrong(entrypoint, answers)).toEqual([]);
  });

  it("and by the stock SDK", async () => {
    const stock = await loadPolicy(wasm);
    stock.setData({ portcullis: { policy } });
    const answers = (requests.get(entrypoint) ?? []).map((input) => stock.evaluate(input, entrypoint)[0]?.result);
    expect(wrong(entrypoint, answers)).toEqual([]);
  });

  it.skipIf(!hasOpa())("and by a real opa", () => {
    const folder = mkdtempSync(join(tmpdir(), "portcullis-opa-"));
    try {
      const path = entrypoint.replaceAll("/", ".");
      const asking = `package driver\n\nanswers := [answer(one) | some one in data.inputs]\n\nanswer(one) := a if a := data.${path} with input as one\n`;
      const files = [...libraryModules(), ...adapterModules(), toldByArguments, { name: "driver.rego", text: asking }];
      for (const { name, text } of files) writeFileSync(join(folder, name), text);
      const inputs = requests.get(entrypoint);
      writeFileSync(join(folder, "data.json"), JSON.stringify({ portcullis: { policy }, inputs }));
      const options = ["eval", "--format", "raw", "--data", folder, "data.driver.answers"];
      const out = execFileSync("opa", options, { encoding: "utf8", maxBuffer: 2 ** 28 });
      expect(wrong(entrypoint, JSON.parse(out) as unknown[])).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("denies by its own default whatever fails", async () => {
    const small = await load(wasm, { data: { portcullis: { policy } }, limits: { steps: 10 } });
    const answer = small.evaluate(entrypoint, rightAdapted[entrypoint][0]) as object;
    expect(small.lastFault).toBeDefined();
    expect(answer).toMatchObject(entrypoint.includes("authzen") ? { decision: false } : { allowed: false });
  });

  it("denies where nothing is mapped", async () => {
    const unmapped = await load(wasm, { data: { portcullis: { policy: combined } } });
    for (const request of rightAdapted[entrypoint]) {
      const answer = unmapped.evaluate(entrypoint, request) as { allowed?: unknown; decision?: unknown };
      expect(answer.allowed ?? answer.decision).toBe(false);
    }
  });
});

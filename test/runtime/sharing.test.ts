/** One compiled module serves many threads, and however long one serves, it needs no more memory. */

import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import {
  DECISION_KINDS,
  type DecisionKind,
  load,
  type Policy,
  type PolicySource,
  shareable,
} from "@portcullis/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { growthOf, type Question } from "../../bench/footprint.ts";
import type { Compiled } from "../../compiler/governance/pipeline.ts";
import { packBundle } from "../../compiler/rego/bundle/index.ts";
import { jsonText } from "../../compiler/rego/value/index.ts";
import { runs } from "../campaign.ts";
import { exampleTests } from "../governance/model/example-tests.ts";
import { compiledSet, policySets } from "../governance/pipeline/policy-sets.ts";
import { freshKeys, keysFor, policyFiles, signed } from "./trust/bundles.ts";

const KB = 1024;

let compiled: Compiled;
let questions: readonly (Question & { readonly kind: DecisionKind })[];
beforeAll(async () => {
  compiled = await compiledSet((policySets[0] as (typeof policySets)[number])[1]);
  questions = questionsOf(await load(compiled.bundle));
});

/** Every kind with the inputs of all of the example's test cases. */
function questionsOf(policy: Policy): typeof questions {
  const tests = exampleTests();
  return DECISION_KINDS.map((kind) => {
    const cases = tests.filter((test) => test.decision === kind);
    expect(cases.length).toBeGreaterThan(0);
    const requests = cases.map((test) => JSON.parse(jsonText(test.input)) as unknown);
    return { kind, requests, decide: (request: never) => policy[kind](request) };
  });
}

/** A thread has no part in the suite's transformations: it runs the built runtime. */
const built = new URL("../../runtime/dist/index.js", import.meta.url);
const THREAD = `
const { parentPort, workerData } = require("node:worker_threads");
import(workerData.runtime).then(async ({ load }) => {
  const policy = await load(workerData.module);
  const answers = workerData.requests.map(([entrypoint, input]) => policy.evaluate(entrypoint, input));
  parentPort.postMessage({ answers, faults: policy.faults });
});
`;

describe.skipIf(!existsSync(fileURLToPath(built)))("a compiled module that is posted to threads", () => {
  it("decides there as it does here", async () => {
    const module = await shareable(compiled.bundle);
    const here = await load(module);
    const requests = questions.flatMap(({ kind, requests: all }) =>
      all.slice(0, 200).map((input) => [`portcullis/${kind}/decision`, input] as const),
    );
    const strange = [null, [], "x", {}, { role: 1 }, undefined].flatMap((input) =>
      DECISION_KINDS.map((kind) => [`portcullis/${kind}/decision`, input] as const),
    );
    const asked = [...requests, ...strange];
    const workers = [1, 2, 3].map(
      () => new Worker(THREAD, { eval: true, workerData: { module, runtime: built.href, requests: asked } }),
    );
    const expected = asked.map(([entrypoint, input]) => here.evaluate(entrypoint, input));
    expect(expected.some((answer) => (answer as { allowed: boolean }).allowed)).toBe(true);
    const answers = await Promise.all(workers.map(async (worker) => (await once(worker, "message"))[0] as unknown));
    await Promise.all(workers.map((worker) => worker.terminate()));
    for (const answer of answers) expect(answer).toEqual({ answers: expected, faults: here.faults });
  });
});

describe("shareable", () => {
  it("verifies as load does, and the module knows its bundle", async () => {
    const verification = { keys: { k1: { algorithm: "ES256", key: keysFor("ES256").publicKey } } } as const;
    const files = await policyFiles({ revision: "one", sequence: 7 });
    const bundle = await signed(files);
    expect(await load(await shareable(bundle, { verification }))).toMatchObject({ revision: "one", sequence: 7 });
    const cases: readonly (readonly [source: PolicySource, code: string, least?: number])[] = [
      [await packBundle(files), "signature-missing"],
      [await signed(files, { keyId: "other" }), "signature-invalid"],
      [await signed(files, { privateKey: freshKeys("ES256").privateKey }), "signature-invalid"],
      [bundle, "revision-rolled-back", 8],
      [bundle.subarray(0, 100), "bundle-corrupt"],
      [await WebAssembly.compile(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)), "signature-missing"],
    ];
    for (const [source, code, minimumRevision] of cases) {
      const held = { ...verification, ...(minimumRevision === undefined ? {} : { minimumRevision }) };
      await expect(shareable(source, { verification: held }), code).rejects.toMatchObject({ code });
    }
    const foreign = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
    await expect(shareable(foreign)).rejects.toMatchObject({ code: "not-a-policy" });
    await expect(shareable(bundle, { verify: true } as never)).rejects.toThrow(TypeError);
  });
});

describe("a policy that decides for long", () => {
  it(`keeps nothing of ${runs(300_000)} decisions of all kinds`, () => {
    const { heapKb, wasmKb } = growthOf(questions, runs(300_000));
    expect(heapKb).toBeLessThan(512);
    expect(wasmKb).toBeLessThan(64);
  });

  it("needs no more memory for requests of every sort, refused ones and large ones among them", async () => {
    const policy: Policy = await load(compiled.bundle);
    const texts = Array.from({ length: 500 }, (_, i) => `unheard of ${i}`);
    const inputs: readonly unknown[] = [
      {},
      null,
      texts,
      { role: texts[0], lane: texts[1], tool: texts[2] },
      { lineage: texts.map((agent_type, spawn_depth) => ({ agent_type, spawn_depth, agent_id: agent_type })) },
      { record: Object.fromEntries(texts.map((text) => [text, { text }])), artifacts: {} },
      { contract_root: "x", declared_targets: texts, changed_files: texts.map((path) => ({ path })) },
      { persona: Symbol("refused"), governance: {}, env: process.env },
      { role: Number.NaN, lane: () => 1 },
    ];
    const cases = inputs.map((input) => JSON.stringify(input) ?? "null");
    const everything: Question = {
      decide: (index: never) => {
        const kind = DECISION_KINDS[(index as number) % DECISION_KINDS.length] as string;
        const at = Math.floor((index as number) / DECISION_KINDS.length);
        const entrypoint = `portcullis/${kind}/decision`;
        if (at < inputs.length) return policy.evaluate(entrypoint, inputs[at]);
        return policy.evaluateJson(entrypoint, cases[at - inputs.length] ?? "{broken");
      },
      requests: Array.from({ length: (inputs.length * 2 + 1) * DECISION_KINDS.length }, (_, i) => i),
    };
    growthOf([everything], 2_000);
    const before = policy.memoryBytes;
    const { heapKb } = growthOf([everything], 5_000);
    expect(policy.memoryBytes).toBe(before);
    expect(heapKb).toBeLessThan(512);
    expect(policy.memoryBytes).toBeLessThan(8 * KB * KB);
    expect(policy.faults).toBeGreaterThan(0);
  });
});

/**
 * An analysis may only give hints: a wrong one costs time, or a denial, never an answer. Here every hint of a module is
 * wrong, and every footprint too wide, on generated programs and on all cases of decisions.
 */

import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { DECISION_KINDS, type DecisionKind, load, type Policy, readBundle } from "@portcullis/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../compiler/rego/pipeline/compile-modules.ts";
import { jsonText } from "../../compiler/rego/value/index.ts";
import { between, SEED } from "../campaign.ts";
import { hasCases, lowered, policyFiles, readCases } from "../governance/library/case-files.ts";
import { libraryModules, librarySchemas } from "../governance/library/library-modules.ts";
import { right } from "../governance/library/right-requests.ts";
import { spoiledOnce } from "../governance/library/spoiling.ts";
import { exampleTests } from "../governance/model/example-tests.ts";
import { FALSIFICATIONS, falsified } from "./falsify.ts";
import { compareSequence, sequenceOf } from "./sequences.ts";

const NAMES = Object.keys(FALSIFICATIONS);
/** A hint: of generated programs, each with a sequence of requests. */
const PROGRAMS = between(6, 100);

it.each(NAMES)("%s: generated programs answer as the reference interpreter", async (name) => {
  let compared = 0;
  for (let i = 0; i < PROGRAMS; i++) {
    const { differences, compared: one } = await compareSequence(SEED + i * 4, (wasm) => falsified(wasm, name));
    expect(differences, `seed ${SEED + i * 4}`).toEqual([]);
    compared += one;
  }
  expect(compared).toBeGreaterThan(PROGRAMS * 0.5);
});

/** One question of a decision. */
interface Asked {
  readonly decision: DecisionKind;
  readonly policy: unknown;
  readonly input: unknown;
}

function cases(): Asked[] {
  const files = ["subagent", "lineage", "handoff", "exec", "close"] as const;
  const listed = files.flatMap((decision) =>
    readCases(decision).flatMap(({ policy, input }): Asked[] => {
      const result = lowered({ "roles.yaml": "roles: []\n", ...policyFiles(policy) });
      return "errors" in result ? [] : [{ decision, policy: result.policy, input }];
    }),
  );
  const harness = readCases("harness").flatMap(({ policy, input }): Asked[] => {
    const result = lowered({ "roles.yaml": "roles: []\n", ...policyFiles(policy) });
    const request = (input as { request?: Record<string, unknown> }).request;
    if ("errors" in result || typeof request !== "object") return [];
    const asks = { role: request["agent_role"], lane: request["lane_id"], tool: request["tool_name"] };
    return (["lane", "tool"] as const).map((decision) => ({ decision, policy: result.policy, input: asks }));
  });
  return [...listed, ...harness];
}

describe.skipIf(!hasCases)("the cases of the specification", () => {
  let wasm: Uint8Array;
  let all: Asked[];
  let wanted: unknown[];
  const answers = async (policy: Awaited<ReturnType<typeof load>>): Promise<unknown[]> =>
    all.map(({ decision, policy: tables, input }) => {
      policy.setData({ portcullis: { policy: tables } });
      const answer = policy[decision](input as never);
      return [answer, policy.lastFault];
    });
  beforeAll(async () => {
    const modules = libraryModules().map(({ name, text }) => new SourceFile(name, text));
    wasm = (await compileModules({ modules, schemas: librarySchemas() })).compiled?.wasm as Uint8Array;
    all = cases();
    wanted = await answers(await load(wasm));
  });

  it("are many, allowed and denied", () => {
    expect(all.length).toBeGreaterThan(500);
    expect(new Set(wanted.map((one) => (one as [{ allowed: boolean }])[0].allowed)).size).toBe(2);
  });

  it.each(NAMES)("%s", async (name) => {
    expect(await answers(await falsified(wasm, name))).toEqual(wanted);
  });
});

describe("requests to the example's policies, right ones and spoiled ones", () => {
  const tests = exampleTests();
  const wasm = async (): Promise<Uint8Array> =>
    (await readBundle(readFileSync("generated/bundle.tar.gz"))).get("policy.wasm") as Uint8Array;
  const requests = DECISION_KINDS.flatMap((decision) => {
    const own = tests.flatMap((test) =>
      test.decision === decision ? [JSON.parse(jsonText(test.input)) as object] : [],
    );
    const all = [right[decision], ...own].flatMap((one, i) => [one, ...(i < 3 ? spoiledOnce(one) : [])]);
    return all.map((input) => ({ decision, input }));
  });
  const answers = (policy: Policy): unknown[] =>
    requests.map(({ decision, input }) => [policy[decision](input as never), policy.lastFault]);
  let wanted: unknown[];
  beforeAll(async () => {
    wanted = answers(await load(await wasm()));
  });

  it.each(NAMES)("%s", async (name) => {
    const found = answers(await falsified(await wasm(), name));
    const wrong = requests.filter((_, i) => !isDeepStrictEqual(found[i], wanted[i]));
    expect(wrong).toEqual([]);
  });
});

it("programs of these seeds are worth asking", () => {
  expect(sequenceOf(SEED).questions.length).toBeGreaterThan(20);
});

/**
 * What runs on an engine of JavaScript: `node javascript.mjs JOB WAY [MODULE]`, bundled by `outside.ts`. What it does with its
 * questions: see `Job` and `Told` there.
 */

import { readFileSync } from "node:fs";
import { type DecisionKind, load } from "@portcullis/runtime";
import { HOST_BUILTINS } from "./host-builtins.ts";
import type { Job, Told } from "./outside.ts";

interface Way {
  /** What a request is handed over as, made while no clock runs. */
  readonly given: (text: string) => unknown;
  readonly decider: (kind: DecisionKind, entrypoint: string) => Decide;
}

type Decide = (given: never) => unknown;

const [path = "", way = "", module = ""] = process.argv.slice(2);
const job = JSON.parse(readFileSync(path, "utf8")) as Job;
const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
const bytesOf = (text: string): Uint8Array => encoder.encode(text);
const parsed = (bytes: Uint8Array): never => JSON.parse(decoder.decode(bytes)) as never;
const file = (name: string): Uint8Array => readFileSync(`${job.folder}/${name}`);
const tables = (): never => (parsed(file("data.json")) as { portcullis: { policy: never } }).portcullis.policy;

/** In CEL, over the request's members and the policy's tables. */
const LANE = "role in roles && lane in lanes && role in lanes[lane].roles";
const PARENT = "manifests[lineage[int(a.spawn_depth) - 1].agent_type]";
const CEL: Partial<Record<DecisionKind, string>> = {
  lane: LANE,
  tool: `${LANE} && tool in tools && tool in lanes[lane].tools && "enabled" in tools[tool] && tools[tool].enabled == true &&
    "implementation_status" in tools[tool] && tools[tool].implementation_status == "implemented"`,
  subagent: `persona in agents && env.CHIRALITY_ENABLE_SUBAGENTS == "true" && agents[persona].type == 1.0 &&
    size(agents[persona].allowlist) > 0 && governance.contextSealed == true && governance.pipelineRunApproved == true &&
    governance.approvalRef.matches("\\\\S")`,
  lineage: `size(lineage) <= 64 && lineage.all(a, a.agent_type in manifests && int(a.spawn_depth) < size(lineage) &&
    lineage[int(a.spawn_depth)].agent_id == a.agent_id && lineage.exists_one(b, b.agent_id == a.agent_id) &&
    (a.spawn_depth == 0.0 || (a.spawn_depth <= ${PARENT}.max_spawn_depth && a.agent_type in ${PARENT}.can_spawn)))`,
};

const WAYS: Readonly<Record<string, () => Promise<Way>>> = {
  async typed() {
    const policy = await load(file("bundle.tar.gz"));
    return { given: JSON.parse, decider: (kind) => (request) => policy[kind](request) };
  },
  async bytes() {
    const policy = await load(file("bundle.tar.gz"));
    return { given: bytesOf, decider: (_, entrypoint) => (bytes) => policy.evaluateJson(entrypoint, bytes) };
  },
  async parse() {
    return { given: (text) => text, decider: () => (text) => JSON.parse(text) as unknown };
  },
  async "hand-written"() {
    const { handWritten } = await import("./hand-written/index.ts");
    const peer = await handWritten({ data: parsed(file("data.json")) } as never);
    if ("absent" in peer) throw new Error(peer.absent);
    return {
      given: bytesOf,
      decider: (kind) => {
        const decide = peer.decides(kind);
        if (typeof decide !== "function") throw new Error(decide.cannot);
        return (bytes) => decide(parsed(bytes));
      },
    };
  },
  async "opa-wasm"() {
    const { loadPolicy } = await import("@open-policy-agent/opa-wasm");
    const policy = await loadPolicy(readFileSync(job.module ?? ""), undefined, HOST_BUILTINS);
    policy.setData(JSON.parse(job.data ?? "{}"));
    const decider: Way["decider"] = (_, entrypoint) => (bytes) =>
      (policy.evaluate(parsed(bytes), entrypoint as never) as [{ result: unknown }])[0].result;
    return { given: bytesOf, decider };
  },
  async cel() {
    const { Environment } = (await import(module)) as {
      Environment: new (options: object) => { parse(text: string): (context: object) => unknown };
    };
    const cel = new Environment({ unlistedVariablesAreDyn: true });
    const policy: object = tables();
    const decider: Way["decider"] = (kind) => {
      const decide = cel.parse(CEL[kind] ?? "");
      return (bytes) => decide({ ...policy, ...(parsed(bytes) as object) });
    };
    return { given: bytesOf, decider };
  },
};

/** Keeps answers alive, so that no engine can leave a decision out. */
export let lastAnswer: unknown;

const { given, decider } = await (WAYS[way] as () => Promise<Way>)();
const told = job.asked.map(({ kind, entrypoint, requests }) => {
  const decide = decider(kind, entrypoint);
  const all = requests.map(given) as never[];
  if (job.ms === 0) return { answers: all.map((request) => decide(request)), nanos: [] };
  const warm = Math.floor(all.length / 4);
  for (let end = performance.now() + job.warmMs, i = 0; performance.now() < end; )
    for (let n = 0; n < job.batch; n++, i++) lastAnswer = decide(all[i % warm] as never);
  const nanos: number[] = [];
  const end = performance.now() + job.ms;
  for (let i = warm; i + job.batch <= all.length; ) {
    const from = performance.now();
    if (from > end) break;
    for (let n = 0; n < job.batch; n++, i++) lastAnswer = decide(all[i] as never);
    nanos.push(((performance.now() - from) * 1e6) / job.batch);
  }
  return { answers: [], nanos };
});
const { bun, deno, node } = process.versions;
const version = bun ? `Bun ${bun}` : deno ? `Deno ${deno}` : `Node ${node}`;
console.log(JSON.stringify({ version, told } satisfies Told));

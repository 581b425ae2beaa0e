/**
 * What limits cost: the call decision, and the same behind `guardTool` with `memoryHistory`, of a policy without limits and of one
 * with three that count the call. A guard's times hold the copy of the arguments, the store, the audit record and the tool as well.
 *
 *   make build && npx tsx --tsconfig bench/tsconfig.json bench/limits.ts
 */

import { guardTool, type HistoryStore, load, memoryHistory, type Policy } from "@portcullis/runtime";
import { compile } from "../compiler/governance/pipeline.ts";
import { virtualHost } from "../test/governance/sources/virtual-host.ts";

const CALLS = 40_000;
const PASSES = 5;
const SHARES = [0.5, 0.99, 0.999];

const LIMITS = `limits:
  - { limit_id: HOURLY, calls: { tools: [pay] }, per: [role, scope.contributor], max_calls: 100000000, within: 1h }
  - { limit_id: DAILY, calls: { tools: [pay] }, per: [role], max_sum: { of: args.cents, at_most: 9000000000000 }, within: 1d }
  - { limit_id: REVIEWED, calls: { tools: [pay] }, never_after: { tools: [fetch] } }
`;

async function policyOf(limits: string | undefined): Promise<Policy> {
  const set = {
    "portcullis.yaml": "call: { host_scope: [contributor] }\n",
    "roles.yaml": "roles:\n  - { role_id: CLERK, privileges: { lanes: [DESK] } }\n",
    "lanes.yaml":
      "lanes:\n  - { lane_id: DESK, allowed_callers: { roles: [CLERK] }, allowed_actions: { tools: [pay, fetch] } }\n",
    "tool_registry.yaml": ["pay", "fetch"]
      .map((name) => `  - { tool_name: ${name}, enabled: true, implementation_status: implemented }\n`)
      .reduce((all, line) => all + line, "tools:\n"),
    ...(limits === undefined ? {} : { "limits.yaml": limits }),
  };
  const { compiled, diagnostics } = await compile({ host: virtualHost({ set }), dirs: ["set"] });
  if (compiled === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return load(compiled.bundle);
}

/** What a tool gets, and what it is asked with, differ from call to call. */
let round = 0;
const context = () => ({ role: "CLERK", lane: "DESK", scope: { contributor: `c-${round++ % 1000}` } });
const call = () => ({ ...context(), tool: "pay", args: { cents: round & 1023 } });
const window = (calls: number) => ({ calls, sum: calls * 512, last_ms: {} });
const facts = () => ({
  now: Date.now(),
  history: { HOURLY: window(round & 63), DAILY: window(round), REVIEWED: window(0) },
});

/** Percentiles of one pass, in microseconds. */
async function pass(ask: () => unknown): Promise<readonly number[]> {
  const times = new Float64Array(CALLS);
  for (let at = 0; at < CALLS; at++) {
    const started = performance.now();
    const answer = ask() as { readonly allowed: boolean };
    const { allowed } = answer instanceof Promise ? await answer : answer;
    times[at] = (performance.now() - started) * 1000;
    if (!allowed) throw new Error("it is denied");
  }
  times.sort();
  return SHARES.map((share) => times[Math.floor(CALLS * share)] as number);
}

const [none, limited] = [await policyOf(undefined), await policyOf(LIMITS)];
const rows: readonly (readonly [name: string, ask: () => unknown])[] = [
  ["decision, no limits", () => none.call(call())],
  ["decision, three limits, facts given", () => limited.call({ ...call(), facts: facts() })],
  ["guardTool, no limits", guarded(none, undefined)],
  ["guardTool, three limits, memoryHistory", guarded(limited, memoryHistory())],
];

function guarded(policy: Policy, history: HistoryStore | undefined): () => unknown {
  const pay = guardTool(policy, context, "pay", () => 1, { history });
  return () => pay({ cents: round & 1023 });
}

// All rows have a pass of each, in turns: where the machine is slow for a while, all of them are.
const passes = rows.map((): (readonly number[])[] => []);
for (let n = -1; n < PASSES; n++)
  for (const [row, [, ask]] of rows.entries()) {
    const found = await pass(ask);
    if (n >= 0) passes[row]?.push(found);
  }
const cells = (texts: readonly string[]): string => texts.map((text) => text.padStart(18)).join("");
process.stdout.write(`${"µs, lowest to highest pass".padEnd(40)}${cells(["50 %", "99 %", "99.9 %"])}\n`);
for (const [row, [name]] of rows.entries()) {
  const ranges = SHARES.map((_, i) => {
    const found = (passes[row] ?? []).map((one) => one[i] as number).sort((x, y) => x - y);
    return `${found[0]?.toFixed(1)} to ${found.at(-1)?.toFixed(1)}`;
  });
  process.stdout.write(`${name.padEnd(40)}${cells(ranges)}\n`);
}
process.stdout.write(`${"REQ-14, the bound of a decision".padEnd(40)}${cells(["", "10", "100"])}\n`);

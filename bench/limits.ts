/**
 * What limits cost: the call decision behind `guardTool` for a policy without limits, the same with three limits that count it, by
 * `memoryHistory`. Percentiles in microseconds; the copy of the arguments, the audit record and the tool are in them.
 *
 *   npx tsx --tsconfig bench/tsconfig.json bench/limits.ts
 */

import { guardTool, type HistoryStore, load, memoryHistory, type Policy } from "@portcullis/runtime";
import { compile } from "../compiler/governance/pipeline.ts";
import { virtualHost } from "../test/governance/sources/virtual-host.ts";

const ROUNDS = 200_000;
const WARM = 50_000;

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

async function measured(name: string, policy: Policy, history: HistoryStore | undefined): Promise<void> {
  let contributor = 0;
  const context = () => ({ role: "CLERK", lane: "DESK", scope: { contributor: `c-${contributor++ % 1000}` } });
  const pay = guardTool(policy, context, "pay", () => 1, { history });
  const times = new Float64Array(ROUNDS);
  for (let round = -WARM; round < ROUNDS; round++) {
    const started = performance.now();
    const { allowed } = await pay({ cents: round & 1023 });
    if (round >= 0) times[round] = (performance.now() - started) * 1000;
    if (!allowed) throw new Error("it is denied");
  }
  times.sort();
  const at = (share: number): string => (times[Math.floor(ROUNDS * share)] as number).toFixed(1).padStart(8);
  process.stdout.write(`${name.padEnd(40)}${at(0.5)}${at(0.99)}${at(0.999)}\n`);
}

process.stdout.write(`${"µs".padEnd(40)}${["50 %", "99 %", "99.9 %"].map((text) => text.padStart(8)).join("")}\n`);
await measured("guardTool, no limits", await policyOf(undefined), undefined);
await measured("guardTool, three limits, memoryHistory", await policyOf(LIMITS), memoryHistory());

/**
 * Limits beside Dogwood, the language of AWS AgentCore's temporal policies, by its own interpreter: only after, never after, and
 * counts within a window, in one trace each. What a guard lets through is what Dogwood permits. Needs the package `dogwood-py` of
 * PyPI in the Python that `PORTCULLIS_DOGWOOD` names (default `python3`).
 */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { guardTool, load, memoryHistory, type Policy } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { compile } from "../../compiler/governance/pipeline.ts";
import { runs, SEED } from "../campaign.ts";
import { virtualHost } from "../governance/sources/virtual-host.ts";
import { Random } from "../rego/plan/generate/random.ts";

const PYTHON = process.env["PORTCULLIS_DOGWOOD"] ?? "python3";
const HAS_DOGWOOD =
  spawnSync(PYTHON, ["-c", "from dogwood import native; native.require_available()"], { stdio: "ignore" }).status === 0;
const WITHOUT = `SKIPPED, NOT TESTED: no Dogwood in \`${PYTHON}\` (pip install dogwood-py; PORTCULLIS_DOGWOOD=…/bin/python)`;
if (!HAS_DOGWOOD) process.stderr.write(`${WITHOUT}\n`);

/** One request as JSON a line, and the verdicts as a list a line. */
const REPLAY = `
import json, sys
from dogwood import native
for line in sys.stdin:
    asked = json.loads(line)
    said = native.replay(asked["policy"], asked["schema"], asked["trace"], asked["events"])
    print(json.dumps([verdict.endswith(": true") for verdict in said.splitlines()]), flush=True)
`;

const TRACES = runs(2000);
const STEPS = 30;
const TOOLS = ["pay", "review", "check", "publish", "fetch", "mail", "both"];
const WHO = ["a", "b"];

/** A window of at most a minute has buckets of less than a second: at whole seconds it is exact. */
interface Numbers {
  readonly most: number;
  readonly window: number;
  readonly recent: number;
}

function limitsOf({ most, window, recent }: Numbers): object[] {
  const per = ["scope.who"];
  return [
    { limit_id: "COUNT", calls: { tools: ["pay"] }, per, max_calls: most, within: `${window}s` },
    { limit_id: "TWICE", calls: { tools: ["both"] }, per, max_calls: most, within: `${window}s` },
    {
      limit_id: "AFTER",
      calls: { tools: ["publish", "both"] },
      per,
      only_after: { tools: ["review", "check"], within: `${recent}s` },
    },
    { limit_id: "NEVER", calls: { tools: ["mail", "both"] }, per, never_after: { tools: ["fetch", "check"] } },
  ];
}

/** The same, in Dogwood's words. One permit is enough, and each of its conditions has to hold. */
function dogwoodOf({ most, window, recent }: Numbers): string {
  const event = (tool: string, kind: string): string =>
    `Agent::Action::"${tool}"::${kind}{ input.who: context.input.who }`;
  const count = (tool: string): string =>
    `(count for (t: Timepoint). where (formerly within ${window}s (${event(tool, "began")} && tp(t))))`;
  const counted = (tool: string): string => `when temporal { exists (n: Long). (${count(tool)} == n && n < ${most}) }`;
  const after = (tool: string): string => `when temporal { formerly within ${recent}s (${event(tool, "ended")}) }`;
  const never = ["fetch", "check"].map((tool) => `unless temporal { formerly within 24h (${event(tool, "began")}) }`);
  const conditions: Readonly<Record<string, readonly (readonly string[])[]>> = {
    pay: [[counted("pay")]],
    publish: [[after("review")], [after("check")]],
    mail: [never],
    both: ["review", "check"].map((tool) => [counted("both"), after(tool), ...never]),
  };
  const permits = TOOLS.flatMap((tool) =>
    (conditions[tool] ?? [[]]).map(
      (clauses, i) =>
        `@id("${tool}_${i}") permit (principal, action == Agent::Action::"${tool}", resource) ${clauses.join("\n")};`,
    ),
  );
  return permits.join("\n");
}

const members = "...inputs(A), pin callerPrincipal: principalType(A) = principal, requestId: String";
const EVENTS = ["decision event <A>::request", "event <A>::began", "event <A>::ended"]
  .map((head) => `${head} { ${members}, callerResource: resourceType(A) }`)
  .join("\n");
const applies = "appliesTo { principal: [User], resource: [Gateway], context: { input: In } };";
const SCHEMA = `namespace Agent {
  type In = { who: String }; entity Gateway; entity User;
  action "Tool" ${applies}
  ${TOOLS.map((tool) => `action "${tool}" in [Action::"Tool"] ${applies}`).join("\n  ")}
}`;

async function policyOf(numbers: Numbers): Promise<Policy> {
  const tools = TOOLS.map((tool_name) => ({ tool_name, enabled: true, implementation_status: "implemented" }));
  const lane = { lane_id: "L", allowed_callers: { roles: ["R"] }, allowed_actions: { tools: TOOLS } };
  const set = {
    "portcullis.yaml": "call: { host_scope: [who] }\n",
    "roles.yaml": "roles: [{ role_id: R }]\n",
    "lanes.yaml": JSON.stringify({ lanes: [lane] }),
    "tool_registry.yaml": JSON.stringify({ tools }),
    "limits.yaml": JSON.stringify({ limits: limitsOf(numbers) }),
  };
  const { compiled, diagnostics } = await compile({ host: virtualHost({ set }), dirs: ["set"] });
  if (compiled === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return load(compiled.bundle);
}

interface Trace {
  readonly lines: readonly string[];
  /** What the guard said of each request, in their order. */
  readonly allowed: readonly boolean[];
}

/** Calls through a guard, some while others run, some of which fail; and what happened as Dogwood reads it. */
async function traced(policy: Policy, random: Random): Promise<Trace> {
  let seconds = 1_800_000_000;
  const history = memoryHistory({ clock: () => seconds * 1000 });
  const [lines, allowed]: [string[], boolean[]] = [[], []];
  const note = (tool: string, kind: string, who: string): void => {
    const scope = 'scope(principal: Agent::User::"u", resource: Agent::Gateway::"g")';
    const input = `input: { who: "${who}" }`;
    const caller = 'callerPrincipal: Agent::User::"u", callerResource: Agent::Gateway::"g"';
    const id = `requestId: "r${lines.length}"`;
    lines.push(
      `@${seconds} ${scope} request_context(${input}) Agent::Action::"${tool}"::${kind}(${input}, ${caller}, ${id})`,
    );
  };
  const pass = (): void => {
    if (random.chance(0.6)) seconds += random.int(random.chance(0.2) ? 70 : 8);
  };
  const call = async (depth: number): Promise<void> => {
    pass();
    const tool = random.chance(0.03)
      ? "fetch"
      : random.pick(["pay", "pay", "review", "check", "publish", "mail", "both"]);
    if (tool === "check" && random.chance(0.8)) return;
    const who = random.pick(WHO);
    note(tool, "request", who);
    const place = allowed.push(false) - 1;
    const execute = async (): Promise<boolean> => {
      note(tool, "began", who);
      if (depth < 2 && random.chance(0.3)) await call(depth + 1);
      pass();
      return random.chance(0.7);
    };
    const context = { role: "R", lane: "L", scope: { who } };
    const outcome = await guardTool(policy, context, tool, execute, { history, succeeded: (value) => value === true })(
      {},
    );
    allowed[place] = outcome.allowed;
    if (outcome.allowed && outcome.value) note(tool, "ended", who);
  };
  for (let step = 0; step < STEPS; step++) await call(0);
  return { lines, allowed };
}

describe.skipIf(!HAS_DOGWOOD)(HAS_DOGWOOD ? "limits beside Dogwood" : WITHOUT, () => {
  it(`let through what it permits, in ${TRACES} traces`, { timeout: 1_200_000 }, async () => {
    const random = new Random(SEED);
    const python = spawn(PYTHON, ["-c", REPLAY], { stdio: ["pipe", "pipe", "inherit"] });
    const answers = (async function* () {
      let rest = "";
      for await (const bytes of python.stdout) {
        const lines = (rest + String(bytes)).split("\n");
        rest = lines.pop() ?? "";
        yield* lines;
      }
    })();
    const ended = once(python, "exit");
    let [yes, no, policy, dogwood, numbers] = [0, 0, undefined as Policy | undefined, "", {} as Numbers];
    for (let n = 0; n < TRACES; n++) {
      if (policy === undefined || n % 100 === 0) {
        numbers = { most: 1 + random.int(4), window: 1 + random.int(60), recent: 1 + random.int(100) };
        policy = await policyOf(numbers);
        dogwood = dogwoodOf(numbers);
      }
      const { lines, allowed } = await traced(policy, random);
      python.stdin.write(
        `${JSON.stringify({ policy: dogwood, schema: SCHEMA, events: EVENTS, trace: lines.join("\n") })}\n`,
      );
      const { value } = await answers.next();
      const why = { seed: SEED, trace: n, numbers, lines };
      expect({ ...why, allowed }).toEqual({ ...why, allowed: JSON.parse(String(value)) });
      yes += allowed.filter(Boolean).length;
      no += allowed.filter((one) => !one).length;
    }
    python.stdin.end();
    expect(await ended).toEqual([0, null]);
    // Both answers are met often.
    expect(Math.min(yes, no)).toBeGreaterThan(TRACES * 3);
  });
});

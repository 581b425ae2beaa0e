/** Starts of sub-agents: which calls are one, who is asked, and what is denied without a question. */
import type { LineageRequest, SubagentDecision, SubagentRequest } from "@portcullis/runtime";
import { answerHook, type HookHost, type Spawns } from "../../../compiler/enforcement/gateway/index.ts";
import { type Check, same } from "./check.ts";
import { ALLOW, CALLER, deciding, denied, TOOLS } from "./verdicts.ts";

export function spawnChecks(): readonly Check[] {
  return [
    { what: "starts of sub-agents", run: starts },
    { what: "starts without a question", run: undecided },
    { what: "calls of what was started without one", run: started },
    { what: "who asked", run: asked },
  ];
}

const CHAIN = [...(CALLER.lineage ?? []), { agent_type: "a-b", spawn_depth: 1 }];
type Personas = Readonly<Record<string, readonly string[]>>;

/** Personas with those that they may hand work to; the chain is allowed or not. */
export function spawning(personas: Personas, chain = true): Spawns & { readonly heard: unknown[] } {
  const heard: unknown[] = [];
  return {
    heard,
    governance: { approvalRef: "r" },
    env: { CHIRALITY_ENABLE_SUBAGENTS: "true" },
    policy: {
      revision: "r-1",
      subagent({ persona, governance, env }: SubagentRequest) {
        heard.push([persona, governance, env]);
        const names = personas[persona as string];
        const gate = names === undefined ? "INTERNAL_ERROR" : names.length === 0 ? "CONTEXT_SEALED" : "ALLOW";
        const lists = { allowlistedSubagents: names ?? [], delegatedSubagents: names ?? [] };
        return { allowed: gate === "ALLOW", gate, reason: "r", ...lists } as unknown as SubagentDecision;
      },
      lineage({ lineage }: LineageRequest) {
        heard.push(lineage);
        return { allowed: chain, gate: "SPAWN_PERMISSION", reason: "s", ...(chain ? {} : { parent: "desk" }) };
      },
    },
  };
}

const start = (more: object = {}, args: object = { subagent_type: "a-b" }): object => ({
  ...{ hook_event_name: "PreToolUse", permission_mode: "default", transcript_path: "/t", session_id: "s" },
  ...{ tool_name: "Agent", tool_input: args, ...more },
});

/** Starts on hosts that do not say who calls, each in its own shape. */
const BLIND = {
  copilot: {
    ...{ hook_event_name: "PreToolUse", timestamp: "2026-01-01T00:00:00.000Z", session_id: "s", cwd: "/" },
    ...{ tool_name: "task", tool_input: { agent_type: "a-b" } },
  },
  cline: {
    ...{ clineVersion: "", taskId: "t", hookName: "tool_call", preToolUse: { toolName: "spawn_agent" } },
    tool_call: { id: "c", name: "spawn_agent", input: { agent_type: "a-b" } },
  },
  opencode: { hook_event_name: "tool.execute.before", tool: "task", args: { subagent_type: "a-b" } },
};

async function answer(input: object, spawns: Spawns | undefined, given: Partial<HookHost> = {}) {
  const records: unknown[] = [];
  const host: HookHost = {
    ...{
      policy: deciding({ other: ALLOW, Task: ALLOW, Agent: ALLOW, spawn_agent: ALLOW }),
      caller: CALLER,
      tools: TOOLS,
    },
    record: (...written) => void records.push(written),
    spawns,
    ...given,
  };
  const { verdict, message } = await answerHook(JSON.stringify(input), host, { format: "auto", ask: true });
  return { verdict, message, records };
}

async function starts(): Promise<void> {
  for (const [personas, isAllowed] of [
    [{ desk: ["a_b"] }, true],
    [{ DESK: ["A-B"] }, true],
    [{ DESK: ["x", "A_B"] }, true],
    [{ desk: [], DESK: ["a_b"] }, false],
    [{ desk: ["a_c"] }, false],
    [{ desk: [] }, false],
    [{}, false],
  ] as const) {
    const spawns = spawning(personas as Personas);
    const { verdict, records } = await answer(start(), spawns);
    same(`with ${JSON.stringify(personas)}`, verdict, isAllowed ? "allow" : "deny");
    same("the chain is asked about after the persona", spawns.heard.slice(2), isAllowed ? [CHAIN] : []);
    same("a record", records.length, 1);
  }
  const spawns = spawning({ desk: ["a_b"] }, false);
  const { verdict, message, records } = await answer(start(), spawns);
  same(
    "a chain that is denied",
    [verdict, message],
    ["deny", 'The policy denies "Agent": SPAWN_PERMISSION, s; parent "desk"'],
  );
  // A person's yes starts no sub-agent.
  const asking = spawning({ desk: ["a_b"] });
  const chain = { allowed: false, gate: "APPROVAL", reason: "s", approval: "required" };
  Object.assign(asking.policy, { lineage: () => chain });
  same("an approval", (await answer(start(), asking)).verdict, "deny");
  const env = { CHIRALITY_ENABLE_SUBAGENTS: "true" };
  same("what is asked", spawns.heard[0], ["desk", { approvalRef: "r" }, env]);
  const [[record]] = records as [[Record<string, unknown>]];
  const { evaluation_ms: time, ...rest } = record;
  same("a time", typeof time === "number" && time >= 0 && time < 10_000, true);
  same("what is written down", rest, {
    ...{ disposition: "DENY", role: "R", lane: "L", tool: "Agent", gate: "SPAWN_PERMISSION", reason: "s" },
    ...{ revision: "r-1", lineage: ["desk", "a-b"], details: { parent: "desk" } },
  });
  const allowed = await answer(start({ tool_name: "Task" }), spawning({ desk: ["a_b"] }));
  const [[written]] = allowed.records as [[Record<string, unknown>]];
  same("an allow", [written["disposition"], written["tool"], "details" in written], ["ALLOW", "Task", false]);
  const unnamed = spawning({ desk: ["a_b"] });
  Object.assign(unnamed.policy, { revision: undefined });
  const [[noted]] = (await answer(start(), unnamed)).records as [[object]];
  same("without a revision", "revision" in noted, false);
  await mapped();
  await limited();
  await registered();
}

/** A tool of the map is a call besides. */
async function mapped(): Promise<void> {
  const tools = (tool: string) => new Map([["Agent", { tool, flags: [], writes: [], scope: new Map() }]]);
  for (const [tool, personas, verdict] of [
    ["other", { desk: ["a_b"] }, "allow"],
    ["no", { desk: ["a_b"] }, "deny"],
    ["other", {}, "deny"],
  ] as const)
    same(
      `${tool} besides`,
      (await answer(start(), spawning(personas as Personas), { tools: tools(tool) })).verdict,
      verdict,
    );
}

/** What a limit names is a call besides, and counted, though no map knows it. */
async function limited(): Promise<void> {
  for (const [name, verdict] of [
    ["Agent", "deny"],
    ["other", "allow"],
  ] as const) {
    const limits = { L: { calls: { tools: { [name]: true } }, max_calls: 1 } };
    const policy = Object.assign(deciding({ Agent: denied("LIMITS") }), { limits }) as unknown as HookHost["policy"];
    const found = await answer(start(), spawning({ desk: ["a_b"] }), { policy });
    same(`a limit of ${name}`, found.verdict, verdict);
  }
}

/** A tool of the registry is a call besides. */
async function registered(): Promise<void> {
  for (const [registry, verdict] of [
    [["Agent"], "deny"],
    [["other"], "allow"],
  ] as const) {
    const decider = deciding({ Agent: denied("TOOL_ENABLED") }, registry);
    for (const policy of [decider, { current: decider } as never]) {
      const found = await answer(start(), spawning({ desk: ["a_b"] }), { policy });
      same(`a registry with ${registry}`, found.verdict, verdict);
    }
    const elsewhere = { ...decider, lane: () => denied("ROLE") as never };
    const found = await answer(start(), spawning({ desk: ["a_b"] }), { policy: elsewhere });
    same("in another's lane", found.verdict, "deny");
  }
}

async function undecided(): Promise<void> {
  const open = spawning({ desk: ["a_b"] });
  const { lineage: _, ...alone } = CALLER;
  const generic = (tool: string, args: unknown): object => ({ tool, args });
  for (const [input, spawns, given, words] of [
    [start(), undefined, {}, '"Agent" starts a sub-agent, and there is no `--governance`'],
    [start({}, {}), open, {}, "has no type"],
    [start({}, { subagent_type: " " }), open, {}, "has no type"],
    [start({}, { subagent_type: 7 }), open, {}, "has no type"],
    [start({ tool_input: null }), open, {}, "has no type"],
    [start({ tool_input: "subagent_type" }), open, {}, "has no type"],
    [start({ agent_type: "a-b", agent_id: "1" }), open, {}, "a sub-agent starts no other one"],
    [start(), open, { caller: alone }, "does not say who starts"],
    [start(), open, { caller: { ...CALLER, lineage: [] } }, "does not say who starts"],
    [start({ model: "m", tool_name: "spawn_agent" }, {}), open, {}, "has no type: `agent_type`"],
    [{ hook_event_name: "BeforeTool", tool_name: "invoke_agent" }, open, {}, "does not say which agent calls"],
    [BLIND.copilot, open, {}, "does not say which agent calls"],
    [BLIND.cline, open, {}, "does not say which agent calls"],
    [BLIND.opencode, open, {}, "does not say which agent calls"],
    [generic("Agent", { subagent_type: "a-b" }), undefined, {}, "no `--governance`"],
  ] as const) {
    noted(words, await answer(input, spawns, given as Partial<HookHost>), given);
  }
  for (const args of [{}, { subagent_type: null }, null, undefined, "x", ["subagent_type"]])
    same("another tool of that name", (await answer(generic("Task", args), undefined)).verdict, "allow");
  same("another tool", (await answer(start({ tool_name: "other" }), undefined)).verdict, "allow");
}

/** What cannot be decided is denied, and written down once, with why. */
function noted(words: string, found: Awaited<ReturnType<typeof answer>>, { caller = CALLER }: Partial<HookHost>): void {
  const [[record, name, by], ...others] = found.records as [
    [Record<string, unknown>, string, { readonly host: string }],
  ];
  const { details, tool, ...rest } = record;
  const { problem } = details as { readonly problem: string };
  const isSaid = found.message === `The call cannot be decided, so it is denied: ${problem}` && problem.includes(words);
  same(words, [found.verdict, isSaid, others.length, name === tool, typeof by.host], ["deny", true, 0, true, "string"]);
  const lineage = caller.lineage === undefined ? {} : { lineage: caller.lineage.map(({ agent_type }) => agent_type) };
  const fault = { gate: "INTERNAL_ERROR", reason: "invalid input", evaluation_ms: 0 };
  same(`${words}: record`, rest, { disposition: "DENY", role: "R", lane: "L", ...fault, ...lineage });
}

/** By a skill, in a workflow, or by settings, without an id. */
async function started(): Promise<void> {
  const call = start({ tool_name: "other", agent_type: "a-b", agent_id: "1" });
  const open = spawning({ desk: ["a_b"] });
  const { verdict, records } = await answer(call, open);
  same("allowed", [verdict, records.length, open.heard.at(-1)], ["allow", 1, CHAIN]);
  same("a call all the same", (await answer({ ...call, tool_name: "no" }, open)).verdict, "deny");
  const asking = spawning({ desk: ["a_b"] });
  Object.assign(asking.policy, { lineage: () => ({ ...denied("APPROVAL"), approval: "required" }) });
  same("an approval of its start", (await answer(call, asking)).verdict, "deny");
  for (const [spawns, gate] of [
    [spawning({ desk: [] }), "CONTEXT_SEALED"],
    [spawning({ desk: ["x"] }), "DELEGATED"],
    [spawning({ desk: ["a_b"] }, false), "SPAWN_PERMISSION"],
  ] as const) {
    const found = await answer(call, spawns);
    const [[record]] = found.records as [[Record<string, unknown>]];
    const { gate: decided, tool, lineage } = record;
    same(gate, [found.verdict, decided, tool, lineage], ["deny", gate, "other", ["desk", "a-b"]]);
  }
  const { lineage: _, ...alone } = CALLER;
  for (const [spawns, given, words] of [
    [undefined, {}, "a sub-agent has started, and there is no `--governance`"],
    [open, { caller: alone }, "whose it is"],
    [open, { caller: { ...CALLER, lineage: [] } }, "does not say who starts"],
  ] as const) {
    noted(words, await answer(call, spawns, given as Partial<HookHost>), given);
  }
  const own = start({ tool_name: "other", agent_type: "a-b" });
  const verdicts = [
    await answer(own, undefined),
    await answer(own, spawning({ desk: ["x"] })),
    await answer(own, open),
  ];
  same(
    "a session of the type",
    verdicts.map((one) => one.verdict),
    ["deny", "deny", "allow"],
  );
}

async function asked(): Promise<void> {
  const empty = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
  const nested = "660ecb65c03d67c6927162f84629d0a18bb5d5aa380a1eb482ad9368e165cbe4";
  for (const [more, by] of [
    [{}, {}],
    [
      { session_id: "s", tool_use_id: "c" },
      { session: "s", call: "c" },
    ],
    [{ sessionId: "s" }, { session: "s" }],
    [{ session_id: 7, tool_use_id: ["c"] }, {}],
    [{ session_id: "s".repeat(257) }, {}],
    [{ session_id: "s".repeat(256) }, { session: "s".repeat(256) }],
    [{ tool_call: { id: "c" } }, { call: "c" }],
    [{ tool_call: null }, {}],
    [{ agent_type: "t" }, { agentType: "t" }],
    [
      { agent_type: "t", agent_id: "i" },
      { agentType: "t", agentId: "i" },
    ],
  ] as const) {
    const { records } = await answer({ tool: "other", args: {}, ...more }, spawning({ desk: ["t"] }));
    const [[, , told]] = records as [[unknown, unknown, unknown]];
    same(JSON.stringify(more), told, { host: "generic", ...by, argsSha256: empty });
  }
  const [[, , bare]] = (await answer({ tool: "other" }, undefined)).records as [[unknown, unknown, unknown]];
  same("no arguments", bare, { host: "generic" });
  const args = { b: [1, null, "x", { d: true, c: {} }], a: 0.5 };
  const [[, , told]] = (await answer({ tool: "other", args }, undefined)).records as [
    [unknown, unknown, { argsSha256: string }],
  ];
  same("canonical", told.argsSha256, nested);
}

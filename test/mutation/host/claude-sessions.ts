/** Sessions of the Claude Agent SDK, asked as the SDK asks its hooks. */
import type { CallDecision, Delegation } from "@portcullis/runtime";
import { type ClaudeOptions, guardSession } from "../../../runtime/agents/claude.ts";
import { type Check, same } from "./check.ts";
import { ALLOW, CONTEXT, DENIED, DENY, keeping, outcome, policyOf } from "./sdk-policy.ts";

export function claudeChecks(): readonly Check[] {
  return [
    { what: "hooks of a session", run: hooks },
    { what: "calls of a session", run: calls },
    { what: "ends of calls", run: ends },
    { what: "commands of skills", run: skills },
    { what: "sub-agents of a session", run: agents },
    { what: "starts in a session", run: starts },
    { what: "tools of this process", run: tools },
    { what: "calls of this process that no hook knows", run: unheard },
    { what: "calls that are remembered", run: remembered },
    { what: "arguments beside another spelling", run: spellings },
  ];
}

const CALL = { session_id: "s", cwd: "/", tool_name: "t", tool_use_id: "c-1" };
const SDK_CALL = { ...CALL, tool_name: "mcp__news__count", mcp_server: { name: "news", source: "sdk" } };
const EXTRA = { _meta: { "claudecode/toolUseId": "c-1" } };
const BLOCKED = { permissionDecision: "deny", permissionDecisionReason: DENIED };
type Event = "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PreSkillShellCommand";

function hold(answer: CallDecision = ALLOW, options: object = {}, context: unknown = CONTEXT, more: object = {}) {
  const policy = Object.assign(policyOf(answer), more);
  const said: string[] = [];
  const guard = guardSession(policy, context as typeof CONTEXT, { history: keeping(said), ...options });
  const on = async (event: Event, input: object): Promise<unknown> => guard.hooks[event][0]?.hooks[0]?.(input);
  const isDenied = async (input: object): Promise<boolean> =>
    JSON.stringify(await on("PreToolUse", input)).includes('"deny"');
  return { ...guard, policy, said, on, isDenied };
}

async function hooks(): Promise<void> {
  const { hooks: all } = hold();
  same(
    "each blocks where it fails",
    Object.entries(all).map(([name, [one]]) => [name, one?.onFailure, one?.hooks.length]),
    [...["PreToolUse", "PostToolUse", "PostToolUseFailure", "PreSkillShellCommand"].map((name) => [name, "block", 1])],
  );
  const of = hold();
  for (const input of [{}, { ...CALL, tool_name: 7 }, { ...CALL, tool_use_id: undefined }])
    for (const event of ["PreToolUse", "PreSkillShellCommand"] as const)
      same("no call", await outcome(() => of.on(event, input)), "TypeError: not a tool call");
  same("refused early", typeof (await outcome(() => hold(ALLOW, { histroy: 1 }))), "string");
  same("a malformed context", typeof (await outcome(() => hold(ALLOW, {}, { rolle: "R" }))), "string");
}

async function calls(): Promise<void> {
  const of = hold();
  const input = { ...CALL, tool_input: { a: 1 } };
  const given = { hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { a: 1 } } };
  same("allowed", await of.on("PreToolUse", input), given);
  const [request] = of.policy.asked as unknown as readonly { tool: string; args: object; facts: { session: string } }[];
  same("asked", [request?.tool, request?.args, request?.facts.session], ["t", { a: 1 }, "s"]);
  const denied = hold(DENY);
  const blocked = { hookSpecificOutput: { hookEventName: "PreToolUse", ...BLOCKED } };
  same("denied", [await denied.on("PreToolUse", input), denied.said], [blocked, ["release"]]);
  const told: unknown[] = [];
  const context = (...all: unknown[]) => {
    told.push(all);
    return CONTEXT;
  };
  const named = hold(ALLOW, { tools: { t: "id" }, session: ({ cwd }: typeof CALL) => cwd }, context);
  await named.on("PreToolUse", input);
  const [other] = named.policy.asked as unknown as readonly { tool: string; facts: { session: string } }[];
  same("named", [other?.tool, other?.facts.session, told], ["id", "/", [[{ a: 1 }, CALL]]]);
}

async function ends(): Promise<void> {
  const { on, said } = hold();
  const begin = (id: string): Promise<unknown> => on("PreToolUse", { ...CALL, tool_use_id: id, tool_input: {} });
  for (const id of ["a", "b"]) await begin(id);
  same("a failure", await on("PostToolUseFailure", { ...CALL, tool_use_id: "b", error: "no" }), {});
  await on("PostToolUse", { ...CALL, tool_use_id: "b", tool_response: "late" });
  same("does not commit", said, []);
  same("a success", [await on("PostToolUse", { ...CALL, tool_use_id: "a", tool_response: 1 }), said], [{}, ["commit"]]);
  await on("PostToolUse", { ...CALL, tool_use_id: "a", tool_response: 1 });
  await on("PostToolUse", { ...CALL, tool_use_id: "none", tool_response: 1 });
  same("once", said, ["commit"]);
  const committed = async (end: object): Promise<boolean> => {
    const of = hold();
    await of.on("PreToolUse", { ...CALL, tool_input: {} });
    await of.on("PostToolUse", { ...CALL, ...end });
    return of.said.includes("commit");
  };
  const good = [0, "", null, {}, { status: "completed" }, { interrupted: false, error: null }, { success: true }];
  for (const tool_response of good)
    same(`a success: ${JSON.stringify(tool_response)}`, await committed({ tool_response }), true);
  for (const tool_response of [
    ...[{ status: "async_launched" }, { backgroundTaskId: "b" }, { interrupted: true }],
    ...[{ isError: true }, { error: "no" }, { error: false }, { success: false }],
  ])
    same(`none: ${JSON.stringify(tool_response)}`, await committed({ tool_response }), false);
  same("no answer", await committed({}), false);
  same("a command that always runs on", await committed({ tool_name: "Monitor", tool_response: {} }), false);
  same("an answer and an error", await committed({ tool_response: 1, error: "no" }), false);
}

/** As many as are remembered take most of this battery's time. */
async function remembered(): Promise<void> {
  const { on, said } = hold();
  for (let i = 0; i <= 10_000; i++) await on("PreToolUse", { ...CALL, tool_use_id: `c-${i}`, tool_input: {} });
  for (const id of ["c-0", "c-1", "c-10000"]) await on("PostToolUse", { ...CALL, tool_use_id: id, tool_response: 1 });
  same("the oldest is forgotten", said, ["commit", "commit"]);
}

async function skills(): Promise<void> {
  const input = { ...CALL, tool_input: { command: "ls" } };
  const of = hold();
  same("allowed", [await of.on("PreSkillShellCommand", input), of.said], [{}, []]);
  const blocked = { hookSpecificOutput: { hookEventName: "PreSkillShellCommand", ...BLOCKED } };
  same("denied", await hold(DENY).on("PreSkillShellCommand", input), blocked);
}

async function agents(): Promise<void> {
  const chain = [...CONTEXT.lineage, { agent_type: "editor", spawn_depth: 1 }];
  for (const [agent, lineage] of [
    [{}, CONTEXT.lineage],
    [{ agent_id: null, agent_type: null }, CONTEXT.lineage],
    [{ agent_type: "editor" }, chain],
  ] as const)
    for (const context of [CONTEXT, () => CONTEXT]) {
      const of = hold(ALLOW, { delegation: DELEGATION }, context, deciding(["editor"]));
      same("allowed", await of.isDenied({ ...CALL, ...agent, tool_input: {} }), false);
      same("its chain", of.policy.asked[0]?.lineage, lineage);
    }
  for (const [agent, context] of [
    [{ agent_id: "a" }, CONTEXT],
    [{ agent_type: " " }, CONTEXT],
    [{ agent_type: 7 }, CONTEXT],
    [{ agent_type: "editor" }, { role: "R", lane: "L" }],
    [{ agent_type: "editor" }, { ...CONTEXT, lineage: [] }],
    [{ agent_type: "editor" }, () => ({ ...CONTEXT, lineage: "desk" })],
  ] as const) {
    const of = hold(ALLOW, { delegation: DELEGATION }, context, deciding(["editor", " "]));
    same(
      JSON.stringify(agent),
      [await of.isDenied({ ...CALL, ...agent, tool_input: {} }), of.policy.asked.length],
      [true, 0],
    );
  }
}

const DELEGATION: Delegation = { governance: { approvalRef: "r" }, env: { CHIRALITY_ENABLE_SUBAGENTS: "true" } };
const deciding = (delegated: readonly string[], chain = true) => ({
  subagent: () => ({ ...ALLOW, allowlistedSubagents: delegated, delegatedSubagents: delegated }),
  lineage: () => ({ allowed: chain, gate: "SPAWN_PERMISSION", reason: "s" }),
});

async function starts(): Promise<void> {
  const both = deciding(["editor"]);
  const start = { ...CALL, tool_name: "Agent", tool_input: { subagent_type: "editor" } };
  const options: ClaudeOptions<never> = { delegation: DELEGATION };
  const isDenied = (
    input: object,
    given: object = options,
    more: object = both,
    context: unknown = CONTEXT,
    answer: CallDecision = ALLOW,
  ): Promise<boolean> => hold(answer, given, context, more).isDenied({ ...start, ...input });
  for (const tool_name of ["Agent", "Task"]) {
    same("allowed", await isDenied({ tool_name }), false);
    same("without a delegation", await isDenied({ tool_name }, {}), true);
    for (const agent of [{ agent_type: "writer" }, { agent_type: "writer", agent_id: "a" }])
      same("by a sub-agent", await isDenied({ tool_name, ...agent }, options, deciding(["editor", "writer"])), true);
  }
  same("another tool", await isDenied({ tool_name: "t" }, {}), false);
  // A skill or a workflow has started it.
  const child = { tool_name: "t", agent_type: "editor", agent_id: "a" };
  same("its call", await isDenied(child), false);
  same("its call without a delegation", await isDenied(child, {}), true);
  same("its call without a start", await isDenied(child, options, deciding([])), true);
  same("its call without a chain", await isDenied(child, options, deciding(["editor"], false)), true);
  same("its call by a policy that denies it", await isDenied(child, options, both, CONTEXT, DENY), true);
  // A project's settings may name it.
  const session = { tool_name: "t", agent_type: "editor" };
  same("a session of the type", [await isDenied(session), await isDenied(session, {})], [false, true]);
  const { lineage: _, ...alone } = CONTEXT;
  for (const context of [alone, { ...alone, lineage: [] }, () => ({ ...alone, lineage: "desk" })])
    same("without a chain", await isDenied({}, options, both, context), true);
  for (const tool_input of [
    {},
    null,
    "editor",
    { subagent_type: ["editor"] },
    { subagent_type: " " },
    { subagent_type: "x" },
  ])
    same(JSON.stringify(tool_input), await isDenied({ tool_input }), true);
  for (const more of [
    deciding([]),
    deciding(["editor"], false),
    {},
    { subagent: both.subagent },
    { lineage: both.lineage },
  ])
    same("not both", await isDenied({}, options, more), true);
  same("as a call", await isDenied({}, options, both, CONTEXT, DENY), true);
  const policy = { current: Object.assign(policyOf(), both) };
  const guard = guardSession(policy as never, CONTEXT, { history: keeping([]), ...options });
  same(
    "of a policy that is replaced",
    JSON.stringify(await guard.hooks.PreToolUse[0]?.hooks[0]?.(start)).includes("deny"),
    false,
  );
}

type Handler = (args: unknown, extra: unknown) => Promise<unknown>;
const count = (of: ReturnType<typeof hold>, handler: Handler, server = "news", name = "count"): Handler => {
  const [held] = of.tools(server, [{ name, handler }]);
  return held?.handler as Handler;
};

async function tools(): Promise<void> {
  const of = hold();
  const ran: unknown[] = [];
  const handler: Handler = async (...given) => {
    ran.push(given);
    return { content: [] };
  };
  const held = count(of, handler);
  same(
    "the hook asks nothing",
    [await of.on("PreToolUse", { ...SDK_CALL, tool_input: {} }), of.policy.asked],
    [{}, []],
  );
  same("runs", [await held({ to: 3 }, EXTRA), ran], [{ content: [] }, [[{ to: 3 }, EXTRA]]]);
  same(
    "asked",
    [of.policy.asked[0]?.tool, of.policy.asked[0]?.args, of.said],
    ["mcp__news__count", { to: 3 }, ["commit"]],
  );
  const failing = hold();
  const fails = count(failing, async () => ({ isError: true }));
  await failing.on("PreToolUse", { ...SDK_CALL, tool_input: {} });
  same("no success", [await fails({}, EXTRA), failing.said], [{ isError: true }, []]);
  for (const value of [null, "text", { isError: false }, { content: [] }]) {
    const good = hold();
    const gives = count(good, async () => value);
    await good.on("PreToolUse", { ...SDK_CALL, tool_input: {} });
    same("a success", [await gives({}, EXTRA), good.said], [value, ["commit"]]);
  }
  const denied = hold(DENY);
  const never = count(denied, handler);
  await denied.on("PreToolUse", { ...SDK_CALL, tool_input: {} });
  const text = DENIED.replace('"t"', '"mcp__news__count"');
  same("denied", [await never({}, EXTRA), ran.length], [{ isError: true, content: [{ type: "text", text }] }, 1]);
  const odd = hold();
  const plain = count(odd, handler, "my news", "draft.create");
  const named = {
    ...SDK_CALL,
    tool_name: "mcp__my_news__draft_create",
    mcp_server: { name: "my news", source: "sdk" },
  };
  await odd.on("PreToolUse", { ...named, tool_input: {} });
  same("Claude's name", await plain({}, EXTRA), { content: [] });
  for (const call of [
    { ...SDK_CALL, mcp_server: { name: "news", source: "project" } },
    { ...SDK_CALL, mcp_server: { name: "ne.ws", source: "sdk" } },
    { ...CALL, tool_name: "mcp__news__count" },
    { ...SDK_CALL, tool_name: "mcp__other__count" },
  ]) {
    const left = hold(DENY);
    count(left, handler);
    same("left to the hook", [await left.isDenied({ ...call, tool_input: {} }), left.policy.asked.length], [true, 1]);
  }
}

async function unheard(): Promise<void> {
  const text = 'The policy was not asked about "mcp__news__count": denied';
  const refusal = { isError: true, content: [{ type: "text", text }] };
  const ran: unknown[] = [];
  for (const [heard, extra] of [
    [undefined, EXTRA],
    [{ ...SDK_CALL, tool_use_id: "c-2" }, EXTRA],
    [{ ...SDK_CALL, tool_name: "mcp__news__other" }, EXTRA],
    [SDK_CALL, {}],
    [SDK_CALL, undefined],
  ] as const) {
    const of = hold();
    const held = count(of, async () => ran.push(1));
    count(of, async () => ({}), "news", "other");
    if (heard !== undefined) await of.on("PreToolUse", { ...heard, tool_input: {} });
    same("is not run", [await held({}, extra), ran], [refusal, []]);
  }
  const twice = hold();
  const held = count(twice, async () => ({}));
  await twice.on("PreToolUse", { ...SDK_CALL, tool_input: {} });
  same("once", [await held({}, EXTRA), await held({}, EXTRA)], [{}, refusal]);
}

async function spellings(): Promise<void> {
  const denied = (tool_input: unknown, more: object = {}): Promise<boolean> =>
    hold().isDenied({ ...CALL, tool_input, ...more });
  for (const twin of ["Cents", "\uff43ents", "cents\u200b", " cents", "c".repeat(257)]) {
    same(`one beside ${JSON.stringify(twin)}`, await denied({ cents: 1, [twin]: 2 }), true);
    same(`alone: ${JSON.stringify(twin)}`, await denied({ [twin]: 2 }), false);
  }
  same("beside a long name", await denied({ cents: 1, ["c".repeat(256)]: 2 }), false);
  for (const own of [{ cents: 1, scents: 2 }, {}, ["a", "A"], ["c".repeat(257), "b"], "text", null, undefined])
    same(`none in ${JSON.stringify(own)}`, await denied(own), false);
  same("in this process", await denied({ cents: 1, Cents: 2 }, { mcp_server: SDK_CALL.mcp_server }), false);
}

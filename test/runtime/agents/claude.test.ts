/** The adapter for the Claude Agent SDK, asked as the SDK asks; `test/agent-sdks` runs it with the SDK. */

import { readFileSync } from "node:fs";
import {
  type ClaudeCall,
  type ClaudeDecider,
  type ClaudeGuard,
  type ClaudeOptions,
  guardSession,
} from "@portcullis/agents/claude";
import { type CallContext, type Delegation, load } from "@portcullis/runtime";
import { describe, expect, it, vi } from "vitest";
import { ALLOW, DENIED, DENY, keeping, policyOf } from "./kept.ts";

const CONTEXT: CallContext = { role: "R", lane: "L", lineage: [{ agent_type: "desk", spawn_depth: 0 }] };
const CALL: ClaudeCall = { session_id: "s-1", cwd: "/", tool_name: "t", tool_use_id: "c-1" };
const SDK_CALL = { ...CALL, tool_name: "mcp__news__count", mcp_server: { name: "news", source: "sdk" } };
const EXTRA = { _meta: { "claudecode/toolUseId": "c-1" } };
const BLOCKED = { permissionDecision: "deny", permissionDecisionReason: DENIED };

function hold(
  policy: ReturnType<typeof policyOf>,
  options: ClaudeOptions<ClaudeCall> = {},
  context: CallContext | ((args: unknown, call: ClaudeCall) => CallContext) = CONTEXT,
): ClaudeGuard & { on(event: keyof ClaudeGuard["hooks"], input: object): Promise<unknown> } {
  const guard = guardSession(policy, context, { history: keeping([]), ...options });
  const on = async (event: keyof ClaudeGuard["hooks"], input: object): Promise<unknown> =>
    guard.hooks[event][0]?.hooks[0]?.(input);
  return { ...guard, on };
}

describe("a session's hooks", () => {
  it("are one for each event, and block where they fail", () => {
    const { hooks } = hold(policyOf(ALLOW));
    expect(Object.keys(hooks)).toEqual(["PreToolUse", "PostToolUse", "PostToolUseFailure", "PreSkillShellCommand"]);
    for (const event of Object.values(hooks)) expect(event).toMatchObject([{ onFailure: "block" }]);
  });

  it("let an allowed call pass with the arguments that were decided on, and grant nothing", async () => {
    const policy = policyOf(ALLOW);
    const guard = hold(policy);
    expect(await guard.on("PreToolUse", { ...CALL, tool_input: { a: 1 } })).toEqual({
      hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { a: 1 } },
    });
    expect(policy.asked[0]).toMatchObject({ ...CONTEXT, tool: "t", args: { a: 1 }, facts: { session: "s-1" } });
  });

  it("deny with gate and reason", async () => {
    const said: string[] = [];
    const guard = hold(policyOf(DENY), { history: keeping(said) });
    expect(await guard.on("PreToolUse", { ...CALL, tool_input: {} })).toEqual({
      hookSpecificOutput: { hookEventName: "PreToolUse", ...BLOCKED },
    });
    expect(said).toEqual(["release"]);
  });

  it("learn from the call's end whether it has succeeded", async () => {
    const said: string[] = [];
    const guard = hold(policyOf(ALLOW), { history: keeping(said) });
    for (const id of ["c-1", "c-2", "c-3"]) await guard.on("PreToolUse", { ...CALL, tool_use_id: id, tool_input: {} });
    expect(said).toEqual([]);
    expect(await guard.on("PostToolUseFailure", { ...CALL, tool_use_id: "c-2", error: "no" })).toEqual({});
    await guard.on("PostToolUse", { ...CALL, tool_use_id: "c-2", tool_response: "late" });
    expect(said).toEqual([]);
    expect(await guard.on("PostToolUse", { ...CALL, tool_use_id: "c-1", tool_response: "done" })).toEqual({});
    expect(said).toEqual(["commit"]);
    await guard.on("PostToolUse", { ...CALL, tool_use_id: "c-1", tool_response: "again" });
    await guard.on("PostToolUse", { ...CALL, tool_use_id: "unknown", tool_response: "done" });
    expect(said).toEqual(["commit"]);
  });

  it.each([
    ["a command in the background", { stdout: "", stderr: "", interrupted: false, backgroundTaskId: "b-1" }],
    ["a command that was interrupted", { stdout: "half", stderr: "", interrupted: true }],
    ["a sub-agent in the background", { status: "async_launched", agentId: "a-1", outputFile: "/tmp/a-1" }],
    ["a sub-agent in the cloud", { status: "remote_launched", taskId: "t-1" }],
    ["a tool of a server that says it failed", { isError: true, content: [] }],
    ["a tool that gives an error", { error: "no such file" }],
    ["a tool that gives no success", { success: false, taskId: "9" }],
    ["a command that is watched", { taskId: "b-1", timeoutMs: 0, persistent: true }, "Monitor"],
    ["a tool that gave nothing", undefined],
  ])("take no success of %s", async (_, tool_response, tool_name = CALL.tool_name) => {
    const said: string[] = [];
    const guard = hold(policyOf(ALLOW), { history: keeping(said), succeeded: () => true });
    await guard.on("PreToolUse", { ...CALL, tool_input: {} });
    expect(await guard.on("PostToolUse", { ...CALL, tool_name, tool_response })).toEqual({});
    expect(said).toEqual([]);
    await guard.on("PreToolUse", { ...CALL, tool_use_id: "c-2", tool_input: {} });
    const ended = { success: true, stdout: "done", stderr: "", interrupted: false, status: "completed" };
    await guard.on("PostToolUse", { ...CALL, tool_use_id: "c-2", tool_response: ended });
    expect(said).toEqual(["commit"]);
  });

  it("judge success by what the tool gave", async () => {
    const succeeded = vi.fn(() => true);
    const guard = hold(policyOf(ALLOW), { succeeded });
    await guard.on("PreToolUse", { ...CALL, tool_input: {} });
    await guard.on("PostToolUse", { ...CALL, tool_response: { stdout: "done" } });
    expect(succeeded).toHaveBeenCalledExactlyOnceWith({ stdout: "done" });
  });

  it("forget the oldest call beyond 10,000 that never end", async () => {
    const said: string[] = [];
    const guard = hold(policyOf(ALLOW), { history: keeping(said) });
    for (let i = 0; i <= 10_000; i++) await guard.on("PreToolUse", { ...CALL, tool_use_id: `c-${i}`, tool_input: {} });
    await guard.on("PostToolUse", { ...CALL, tool_use_id: "c-0", tool_response: "done" });
    expect(said).toEqual([]);
    await guard.on("PostToolUse", { ...CALL, tool_use_id: "c-1", tool_response: "done" });
    expect(said).toEqual(["commit"]);
  });

  it("decide a command in a skill's text as a call of its shell, and rewrite nothing", async () => {
    const said: string[] = [];
    const policy = policyOf(ALLOW);
    const input = { ...CALL, tool_name: "Bash", tool_input: { command: "ls" } };
    const guard = hold(policy, { history: keeping(said), succeeded: () => true });
    expect(await guard.on("PreSkillShellCommand", input)).toEqual({});
    expect(policy.asked[0]).toMatchObject({ tool: "Bash", args: { command: "ls" } });
    // The SDK never tells what became of it: it is used up, and has not succeeded.
    expect(said).toEqual([]);
    expect(await hold(policyOf(DENY)).on("PreSkillShellCommand", { ...input, tool_name: "t" })).toEqual({
      hookSpecificOutput: { hookEventName: "PreSkillShellCommand", ...BLOCKED },
    });
  });

  it("deny an argument beside another spelling of it, which a server could read", async () => {
    const by = async (tool_input: unknown, more: object = {}) => {
      const { hookSpecificOutput: said } = (await hold(policyOf(ALLOW)).on("PreToolUse", {
        ...{ ...CALL, tool_input, ...more },
      })) as { readonly hookSpecificOutput: { readonly permissionDecisionReason?: string } };
      return said.permissionDecisionReason ?? "allowed";
    };
    const denied = 'The policy denies "t": INTERNAL_ERROR, invalid input';
    for (const twin of ["Cents", "CENTS", "\uff43ents", "cents\u200b", " cents", "c".repeat(257)])
      expect(await by({ cents: 1, [twin]: 1000 }), twin).toBe(denied);
    for (const own of [{ cents: 1, scents: 2 }, { ["c".repeat(257)]: 1 }, {}, ["a", "A"], "text", null])
      expect(await by(own), JSON.stringify(own)).toBe("allowed");
    // What runs in this process reads names as they are.
    expect(await by({ cents: 1, Cents: 2 }, { mcp_server: { name: "news", source: "sdk" } })).toBe("allowed");
  });

  it("know the tool by its id, and the session that is named", async () => {
    const policy = policyOf(ALLOW);
    const context = vi.fn(() => CONTEXT);
    const guard = hold(policy, { tools: { t: "draft.create" }, session: ({ cwd }) => cwd }, context);
    await guard.on("PreToolUse", { ...CALL, tool_input: { a: 1 } });
    expect(policy.asked[0]).toMatchObject({ tool: "draft.create", facts: { session: "/" } });
    expect(context).toHaveBeenCalledExactlyOnceWith({ a: 1 }, CALL);
  });

  it("fail for what is not a call, which blocks it", async () => {
    const guard = hold(policyOf(ALLOW));
    for (const input of [{}, { ...CALL, tool_name: 7 }, { ...CALL, tool_use_id: undefined }])
      await expect(guard.on("PreToolUse", input)).rejects.toThrow("not a tool call");
  });

  it("refuse options and contexts that no call has when they are made", () => {
    expect(() => hold(policyOf(ALLOW), { histroy: 1 } as never)).toThrow("did you mean `history`?");
    expect(() => hold(policyOf(ALLOW), {}, { rolle: "R" } as never)).toThrow("did you mean `role`?");
  });
});

describe("a sub-agent", () => {
  const chain = [...(CONTEXT.lineage as object[]), { agent_type: "editor", spawn_depth: 1 }];

  const delegation: Delegation = { governance: {}, env: {} };
  const subagents = ["editor", " "];
  const subagent = () => ({ ...ALLOW, allowlistedSubagents: subagents, delegatedSubagents: subagents });
  const starting = () => Object.assign(policyOf(ALLOW), { subagent, lineage: () => ALLOW });

  it("stands at the end of the lineage", async () => {
    const policy = starting();
    for (const context of [CONTEXT, () => CONTEXT])
      await hold(policy, { delegation }, context).on("PreToolUse", { ...CALL, agent_type: "editor", tool_input: {} });
    expect(policy.asked.map(({ lineage }) => lineage)).toEqual([chain, chain]);
  });

  it("is the session's own agent where the SDK names no agent", async () => {
    const policy = policyOf(ALLOW);
    await hold(policy).on("PreToolUse", { ...CALL, agent_id: null, agent_type: null, tool_input: {} });
    expect(policy.asked.map(({ lineage }) => lineage)).toEqual([CONTEXT.lineage]);
  });

  it.each([
    ["has no type", { agent_id: "a-1" }, CONTEXT],
    ["has a blank type", { agent_id: "a-1", agent_type: " " }, CONTEXT],
    ["has a type that is not a text", { agent_type: 7 }, CONTEXT],
    ["belongs to no lineage", { agent_type: "editor" }, { role: "R", lane: "L" }],
    ["belongs to an empty lineage", { agent_type: "editor" }, { ...CONTEXT, lineage: [] }],
    ["starts another one", { agent_type: "editor", tool_name: "Agent" }, CONTEXT],
    ["starts another one by the old name", { agent_type: "editor", tool_name: "Task" }, CONTEXT],
  ])("is denied where it %s", async (_, agent, context) => {
    const tool_input = { subagent_type: "editor" };
    const answer = await hold(starting(), { delegation }, context).on("PreToolUse", { ...CALL, ...agent, tool_input });
    expect(answer).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
  });
});

describe("the start of a sub-agent", async () => {
  const policy = await load(readFileSync("generated/bundle.tar.gz"));
  const context: CallContext = {
    role: "WRITER",
    lane: "DRAFTING",
    scope: { story_id: "s-1", run_id: "r-1" },
    lineage: [{ agent_type: "news_desk", spawn_depth: 0 }],
  };
  const delegation: Delegation = {
    governance: { contextSealed: true, pipelineRunApproved: true, approvalRef: "AP-1", approvedBy: "m.ortiz" },
    env: { CHIRALITY_ENABLE_SUBAGENTS: "true" },
  };
  const start = { ...CALL, tool_name: "Agent", tool_input: { subagent_type: "claim_checker" } };

  async function answered(
    options: ClaudeOptions<ClaudeCall>,
    asked: object = start,
    given: CallContext = context,
    decider: ClaudeDecider = policy,
  ): Promise<unknown> {
    const guard = guardSession(decider, given, { tools: { Agent: "draft.create", Task: "draft.create" }, ...options });
    return guard.hooks.PreToolUse[0]?.hooks[0]?.(asked);
  }
  const DENIES = { hookSpecificOutput: { permissionDecision: "deny" } };

  it("is allowed where the subagent, the lineage and the call decision allow it", async () => {
    expect(policy.call({ ...context, tool: "draft.create", args: start.tool_input }).allowed).toBe(true);
    for (const tool_name of ["Agent", "Task"])
      expect(await answered({ delegation }, { ...start, tool_name })).not.toMatchObject(DENIES);
  });

  it.each([
    ["there is no approval", undefined],
    ["the context is not sealed", { ...delegation, governance: { approvalRef: "AP-1", pipelineRunApproved: true } }],
    ["sub-agents are switched off", { ...delegation, env: {} }],
  ])("is denied where %s, whatever the call decision says", async (_, given) => {
    expect(await answered(given === undefined ? {} : { delegation: given })).toMatchObject(DENIES);
  });

  it.each([
    ["without a type", {}],
    ["of a type that is not a text", { subagent_type: ["claim_checker"] }],
    ["with a blank type", { subagent_type: " " }],
    ["of an agent that the persona does not delegate to", { subagent_type: "fee_preparer" }],
    ["of an agent that there is not", { subagent_type: "stranger" }],
  ])("is denied %s", async (_, tool_input) => {
    expect(await answered({ delegation }, { ...start, tool_input })).toMatchObject(DENIES);
  });

  it("is denied without a lineage, and by a policy that cannot be asked", async () => {
    const { lineage, ...others } = context;
    expect(lineage).toBeDefined();
    for (const given of [others, { ...others, lineage: [] }])
      expect(await answered({ delegation }, start, given)).toMatchObject(DENIES);
    expect(await answered({ delegation }, start, context, policyOf(ALLOW))).toMatchObject(DENIES);
  });

  it("is denied where the tool is not one that may be called", async () => {
    expect(await answered({ delegation, tools: {} })).toMatchObject(DENIES);
  });

  it("by a skill or a workflow has no call of its own: what it started calls nothing where its start is denied", async () => {
    const calls = policyOf(ALLOW);
    const decider: ClaudeDecider = { ...calls, subagent: (r) => policy.subagent(r), lineage: (r) => policy.lineage(r) };
    const from = (
      agent_type: string,
      options: ClaudeOptions<ClaudeCall>,
      id: object = { agent_id: "a-1" },
    ): Promise<unknown> =>
      answered({ history: keeping([]), ...options }, { ...CALL, ...id, agent_type, tool_input: {} }, context, decider);
    expect(await from("claim_checker", {})).toMatchObject(DENIES);
    // The session's first agent, as settings of a project may name it (`agent`).
    expect(await from("claim_checker", {}, {})).toMatchObject(DENIES);
    expect(await from("claim_checker", { delegation: { ...delegation, env: {} } })).toMatchObject(DENIES);
    expect(await from("fee_preparer", { delegation })).toMatchObject(DENIES);
    expect(calls.asked).toEqual([]);
    expect(await from("claim_checker", { delegation })).not.toMatchObject(DENIES);
    expect(calls.asked.map(({ lineage }) => lineage?.at(-1)?.agent_type)).toEqual(["claim_checker"]);
  });
});

describe("tools of this process", () => {
  type Handler = (args: unknown, extra: unknown) => Promise<unknown>;

  function count(guard: ClaudeGuard, handler: Handler, server = "news", name = "count"): Handler {
    const [held] = guard.tools(server, [{ name, handler }]);
    return held?.handler as Handler;
  }

  it("are decided once, with the arguments that their handler gets", async () => {
    const said: string[] = [];
    const policy = policyOf(ALLOW);
    const guard = hold(policy, { history: keeping(said) });
    const handler = vi.fn(async () => ({ content: [] }));
    const held = count(guard, handler);
    expect(await guard.on("PreToolUse", { ...SDK_CALL, tool_input: {} })).toEqual({});
    expect(policy.asked).toEqual([]);
    expect(await held({ to: 3 }, EXTRA)).toEqual({ content: [] });
    expect(handler).toHaveBeenCalledExactlyOnceWith({ to: 3 }, EXTRA);
    expect(policy.asked).toMatchObject([{ tool: "mcp__news__count", args: { to: 3 }, facts: { session: "s-1" } }]);
    expect(said).toEqual(["commit"]);
    // Announced once, a call runs once.
    expect(await held({ to: 3 }, EXTRA)).toMatchObject({ isError: true });
  });

  it("are denied with an error", async () => {
    const handler = vi.fn();
    const guard = hold(policyOf(DENY), { tools: {} });
    const held = count(guard, handler);
    await guard.on("PreToolUse", { ...SDK_CALL, tool_input: {} });
    const text = DENIED.replace('"t"', '"mcp__news__count"');
    expect(await held({}, EXTRA)).toEqual({ isError: true, content: [{ type: "text", text }] });
    expect(handler).not.toHaveBeenCalled();
  });

  it("have not succeeded where they throw, or say so", async () => {
    const said: string[] = [];
    const guard = hold(policyOf(ALLOW), { history: keeping(said) });
    const error = new Error("the tool's own");
    const throws = count(guard, () => Promise.reject(error));
    await guard.on("PreToolUse", { ...SDK_CALL, tool_input: {} });
    await expect(throws({}, EXTRA)).rejects.toBe(error);
    const fails = count(guard, async () => ({ isError: true }));
    await guard.on("PreToolUse", { ...SDK_CALL, tool_input: {} });
    expect(await fails({}, EXTRA)).toEqual({ isError: true });
    expect(said).toEqual([]);
  });

  it.each([[null], ["text"], [undefined], [{ isError: false }], [{ content: [] }]])(
    "have succeeded with a value that says nothing of an error: %j",
    async (value) => {
      const said: string[] = [];
      const guard = hold(policyOf(ALLOW), { history: keeping(said) });
      const held = count(guard, async () => value);
      await guard.on("PreToolUse", { ...SDK_CALL, tool_input: {} });
      expect(await held({}, EXTRA)).toBe(value);
      expect(said).toEqual(["commit"]);
    },
  );

  it.each([
    ["no hook was asked", {}, EXTRA],
    ["the hook was asked about another call", { ...SDK_CALL, tool_use_id: "c-2" }, EXTRA],
    ["the hook was asked about another tool", { ...SDK_CALL, tool_name: "mcp__news__other" }, EXTRA],
    ["the call has no id", SDK_CALL, {}],
    ["there is nothing about the call", SDK_CALL, undefined],
  ])("are denied where %s", async (_, heard, extra) => {
    const handler = vi.fn();
    const guard = hold(policyOf(ALLOW));
    const held = count(guard, handler);
    count(guard, vi.fn(), "news", "other");
    if ("tool_name" in heard) await guard.on("PreToolUse", { ...heard, tool_input: {} });
    expect(await held({}, extra)).toMatchObject({ isError: true });
    expect(handler).not.toHaveBeenCalled();
  });

  it.each([
    ["of another source", { ...SDK_CALL, mcp_server: { name: "news", source: "project" } }],
    ["without a source", { ...CALL, tool_name: "mcp__news__count" }],
    ["that is not held", { ...SDK_CALL, tool_name: "mcp__other__count", mcp_server: { name: "other", source: "sdk" } }],
    ["of a server with a name like a held one's", { ...SDK_CALL, mcp_server: { name: "ne.ws", source: "sdk" } }],
  ])("leave a tool %s to the hook", async (_, call) => {
    const policy = policyOf(DENY);
    const guard = hold(policy);
    count(guard, vi.fn());
    expect(await guard.on("PreToolUse", { ...call, tool_input: {} })).toMatchObject({
      hookSpecificOutput: { permissionDecision: "deny" },
    });
    expect(policy.asked).toHaveLength(1);
  });

  it("have Claude's names", async () => {
    const policy = policyOf(ALLOW);
    const guard = hold(policy);
    const held = count(guard, async () => ({}), "my news", "draft.create");
    const mcp_server = { name: "my news", source: "sdk" };
    const call = { ...SDK_CALL, tool_name: "mcp__my_news__draft_create", mcp_server };
    await guard.on("PreToolUse", { ...call, tool_input: {} });
    expect(await held({}, EXTRA)).toEqual({});
  });
});

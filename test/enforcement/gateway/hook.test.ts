/** `portcullis hook`: an answer for every input, and no input but a call that the policy allows ends with 0. */

import { createHash } from "node:crypto";
import type { CallRecord, Policy } from "@portcullis/runtime";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  answerHook,
  type Caller,
  HOOK_FORMATS,
  type HookFormat,
  type HookHost,
  type HookOptions,
  NO_TOOLS,
  type ToolMap,
} from "../../../compiler/enforcement/gateway/index.ts";
import { removeFolder, temporaryFolder } from "../../cli/terminal.ts";
import { examplePolicy, writer } from "./session.ts";

let policy: Policy;
let folder = "";
beforeAll(async () => {
  policy = await examplePolicy();
  folder = temporaryFolder();
});
afterAll(() => removeFolder(folder));

const answer = (
  input: unknown,
  options: Partial<HookOptions> = {},
  caller: Caller = writer,
  tools: ToolMap = NO_TOOLS,
  record: HookHost["record"] = () => {},
) =>
  answerHook(
    typeof input === "string" ? input : JSON.stringify(input),
    { policy, caller, tools, record },
    { format: "auto", ask: false, ...options },
  );
const releasing: Caller = {
  ...{ role: "MANAGING_EDITOR", lane: "RIGHTS_AND_PAYOUTS", flags: [] },
  scope: { contributor_id: "c-9", run_id: "r-7" },
  lineage: [{ agent_type: "publisher", spawn_depth: 0 }],
};
const retracting: Caller = {
  ...{ ...releasing, lane: "PUBLISHING" },
  scope: { story_id: "s-118", run_id: "r-7", approval_ref: "AP-31" },
};

const newsDesk: Caller = { ...writer, lineage: [{ agent_type: "news_desk", spawn_depth: 0 }] };
const words = (tool: string, more: string): string => `The policy denies "${tool}": ${more}`;
/** What every host obeys, for this reason. */
const deny = (reason: string, hookEventName = "PreToolUse"): object => ({
  ...{ decision: "block", reason, cancel: true, errorMessage: reason, permission: "deny" },
  ...{ permissionDecision: "deny", permissionDecisionReason: reason },
  hookSpecificOutput: { hookEventName, permissionDecision: "deny", permissionDecisionReason: reason },
});

const texts = (input: object): object =>
  Object.fromEntries(Object.entries(input).map(([key, value]) => [key, JSON.stringify(value)]));

/** What each host sends before a tool, as its program does. */
const PAYLOADS: Readonly<Record<Exclude<HookFormat, "auto">, (name: unknown, args?: object) => object>> = {
  "claude-code": (tool_name, tool_input = {}) => ({
    ...{ session_id: "s", transcript_path: "/t.jsonl", cwd: "/", prompt_id: "p", permission_mode: "default" },
    ...{ hook_event_name: "PreToolUse", tool_name, tool_input, tool_use_id: "toolu_1" },
  }),
  codex: (tool_name, tool_input = {}) => ({
    ...{ session_id: "s", turn_id: "t", transcript_path: null, cwd: "/", model: "m", permission_mode: "default" },
    ...{ hook_event_name: "PreToolUse", tool_name, tool_input, tool_use_id: "call_1" },
  }),
  gemini: (tool_name, tool_input = {}) => ({
    ...{ session_id: "s", transcript_path: "/t.json", cwd: "/", timestamp: "2026-11-25T20:39:21.260Z" },
    ...{ hook_event_name: "BeforeTool", tool_name, tool_input },
  }),
  copilot: (tool_name, tool_input = {}) => ({
    ...{ hook_event_name: "PreToolUse", session_id: "s", timestamp: "2026-11-25T20:39:21.260Z", cwd: "/" },
    ...{ tool_name, tool_input },
  }),
  cline: (name, input = {}) => ({
    ...{ clineVersion: "", timestamp: "2026-11-25T21:16:23.007Z", taskId: "t", workspaceRoots: ["/"] },
    ...{ agent_id: "agent_1", parent_agent_id: null, hookName: "tool_call", iteration: 1 },
    ...{ tool_call: { id: "call_1", name, input }, preToolUse: { toolName: name, parameters: texts(input) } },
  }),
  opencode: (tool, args = {}) => ({
    ...{ hook_event_name: "tool.execute.before", session_id: "s", tool_use_id: "call_1", tool, args },
  }),
  generic: (tool, args = {}) => ({ tool, args }),
};
const HOSTS = Object.keys(PAYLOADS) as (keyof typeof PAYLOADS)[];

it("a command in a skill's text is a call of its shell, which Claude Code asks about at an event of its own", async () => {
  const command = (tool_name: string): object => ({
    ...{ ...PAYLOADS["claude-code"](tool_name, { command: "ls" }), hook_event_name: "PreSkillShellCommand" },
    ...{ command_name: "status", command_source: "project", invoked_by: "claude" },
  });
  for (const format of ["auto", "claude-code"] as const) {
    expect(await answer(command("draft.create"), { format }, writer)).toEqual({ verdict: "allow", message: "" });
    const denied = await answer(command("Bash"), { format }, writer);
    expect(denied).toMatchObject({
      verdict: "deny",
      output: { hookSpecificOutput: { hookEventName: "PreSkillShellCommand" } },
    });
    expect(denied.message).toContain('The policy denies "Bash": ');
  }
  expect(await answer(command("draft.create"), { format: "codex" }, writer)).toMatchObject({ verdict: "deny" });
});

describe.each(HOSTS)("a call that %s asks about", (host) => {
  const event = { gemini: "BeforeTool", opencode: "tool.execute.before" }[host as string] ?? "PreToolUse";
  const call = PAYLOADS[host];

  it.each(["auto", host] as const)("is allowed in silence, or denied so that all obey (%s)", async (format) => {
    const asked: unknown[] = [];
    const record = (written: CallRecord, _: string, by: object): void => void asked.push([written.gate, by]);
    expect(await answer(call("draft.create", { a: 1 }), { format }, writer, NO_TOOLS, record)).toEqual({
      ...{ verdict: "allow", message: "" },
    });
    const message = words("payout.release", "LANE_TOOL, tool_not_allowed_in_lane");
    expect(await answer(call("payout.release"), { format }, writer, NO_TOOLS, record)).toEqual({
      ...{ verdict: "deny", output: deny(message, event), message },
    });
    expect(asked).toMatchObject(["ALLOW", "LANE_TOOL"].map((gate) => [gate, { host }]));
  });

  it("asks a person only where the host does, only when it is told to, and only for an approval", async () => {
    const tools: ToolMap = new Map([["undo", { tool: "article.retract", scope: new Map(), flags: [], writes: [] }]]);
    const retract = call("undo", { story: "s-118" });
    const reason = words("undo", 'APPROVAL, approval_required; approval "required"');
    const denied = { verdict: "deny", output: deny(reason, event), message: reason };
    expect(await answer(retract, {}, retracting, tools)).toEqual(denied);
    const permission = { permissionDecision: "ask", permissionDecisionReason: reason };
    const asking = { ...permission, hookSpecificOutput: { hookEventName: event, ...permission } };
    expect(await answer(retract, { ask: true }, retracting, tools)).toEqual(
      host === "claude-code" || host === "copilot" ? { verdict: "ask", output: asking, message: reason } : denied,
    );
    expect(await answer(call("shell.run"), { ask: true }, retracting)).toMatchObject({ verdict: "deny" });
  });

  it("does not ask the person at the host for an approval that has to be signed: who sits there is not known", async () => {
    const scope = new Map([["amount_cents", "cents"]]);
    const tools: ToolMap = new Map([["pay", { tool: "payout.release", scope, flags: [], writes: [] }]]);
    const { verdict, message } = await answer(call("pay", { cents: 120_000 }), { ask: true }, releasing, tools);
    expect(verdict).toBe("deny");
    expect(message).toMatch(/APPROVAL, approval_required; approval "bound"; call_sha256 "[0-9a-f]{64}"$/);
  });

  it.each([undefined, null, 7, "", ["draft.create"], "x".repeat(257)])(
    "is denied without a tool's name: %j",
    async (name) => {
      const { verdict, output, message } = await answer(call(name), { format: host, ask: true });
      expect(message).toMatch(/^The call cannot be decided, so it is denied: standard input is no call of a tool: /);
      expect([verdict, output]).toEqual(["deny", deny(message)]);
    },
  );

  it("is made by the sub-agent that the host names, and by no parent of it", async () => {
    const records: unknown[] = [];
    const own = { host, ...(host === "cline" ? { agentId: "agent_1" } : {}) };
    const record = ({ gate, lineage }: CallRecord, _: string, by: object): void =>
      void records.push([gate, lineage, by]);
    const from = (more: object) => answer({ ...call("draft.revise"), ...more }, {}, newsDesk, NO_TOOLS, record);
    expect(await from({ agent_id: "a-1", agent_type: "claim_checker" })).toMatchObject({ verdict: "deny" });
    expect(await from({ agent_type: "copy_editor" })).toMatchObject({ verdict: "allow" });
    expect(await from({ agent_type: "reviewer" })).toMatchObject({ verdict: "deny" });
    expect(records).toMatchObject([
      ["CAPABILITY", ["news_desk", "claim_checker"], { host, agentId: "a-1" }],
      ["ALLOW", ["news_desk", "copy_editor"], own],
      ["LINEAGE", ["news_desk", "reviewer"], own],
    ]);
    for (const agent_type of [
      ...(host === "cline" ? [] : [undefined, null]),
      "",
      " ",
      7,
      ["copy_editor"],
      "x".repeat(257),
    ])
      expect(await from({ agent_id: "a-1", agent_type })).toMatchObject({ verdict: "deny" });
    for (const agent_id of [7, {}, "x".repeat(257)])
      expect(await from({ agent_id, agent_type: "copy_editor" })).toMatchObject({ verdict: "deny" });
    expect(await from({ agent_id: null, agent_type: null })).toMatchObject({ verdict: "allow" });
    const { lineage: _, ...alone } = newsDesk;
    const orphan = await answer({ ...call("draft.revise"), agent_type: "copy_editor" }, {}, alone);
    expect(orphan.message).toContain("`--lineage` does not say whose it is");
    expect(orphan.verdict).toBe("deny");
  });
});

describe("the start of a sub-agent", () => {
  const governance = { contextSealed: true, pipelineRunApproved: true, approvalRef: "AP-1", approvedBy: "m.okafor" };
  const env = { CHIRALITY_ENABLE_SUBAGENTS: "true" };
  const start = (subagent_type: unknown, name = "Agent") =>
    PAYLOADS["claude-code"](name, { subagent_type, prompt: "go" });
  const records: CallRecord[] = [];
  const asked = async (
    input: object,
    given: object = { governance, env },
    caller: Caller = newsDesk,
    tools: ToolMap = NO_TOOLS,
  ) => {
    const spawns = { policy, governance: undefined, env: {}, ...given };
    const record = (written: CallRecord): void => void records.push(written);
    const host = { policy, caller, tools, record, ...(given === NOTHING ? {} : { spawns }) };
    return answerHook(JSON.stringify(input), host, { format: "auto", ask: true });
  };
  const NOTHING = {};

  it("is allowed where both decisions allow it, and is written down", async () => {
    records.length = 0;
    for (const [type, name] of [
      ["claim_checker", "Agent"],
      ["copy_editor", "Task"],
    ] as const)
      expect(await asked(start(type, name))).toEqual({ verdict: "allow", message: "" });
    const { role, lane } = newsDesk;
    const allowed = { disposition: "ALLOW", gate: "ALLOW", reason: "lineage_ok", role, lane };
    expect(records).toMatchObject([
      { ...allowed, tool: "Agent", lineage: ["news_desk", "claim_checker"] },
      { ...allowed, tool: "Task", lineage: ["news_desk", "copy_editor"] },
    ]);
    expect(await asked({ ...PAYLOADS.codex("spawn_agent", { agent_type: "copy_editor" }) })).toMatchObject({
      verdict: "allow",
    });
    expect(await asked(PAYLOADS.generic("Agent", { subagent_type: "copy_editor" }))).toMatchObject({
      verdict: "allow",
    });
  });

  it.each<[string, string, unknown, object]>([
    ["no environment that switches it on", "ENVIRONMENT", "copy_editor", { governance }],
    ["an approval that is missing", "METADATA_PRESENCE", "copy_editor", { env }],
    [
      "a context that is not sealed",
      "CONTEXT_SEALED",
      "copy_editor",
      { env, governance: { ...governance, contextSealed: 1 } },
    ],
    [
      "an agent's approval",
      "APPROVED_BY",
      "copy_editor",
      { env, governance: { ...governance, approvedBy: "NEWS_DESK" } },
    ],
    ["an agent that the persona does not name", "DELEGATED, subagent_not_delegated", "researcher", { governance, env }],
    ["an agent that has no manifest below it", "SPAWN_PERMISSION", "legal_screener", { governance, env }],
  ])("is denied for %s", async (_, gate, type, given) => {
    records.length = 0;
    const { verdict, message } = await asked(start(type), given);
    expect([verdict, message]).toEqual(["deny", expect.stringContaining(`The policy denies "Agent": ${gate}`)]);
    expect(records).toMatchObject([{ disposition: "DENY", tool: "Agent" }]);
  });

  it("is denied where it cannot be decided", async () => {
    const { lineage: _, ...alone } = newsDesk;
    const chain = (types: string[]) => types.map((agent_type, spawn_depth) => ({ agent_type, spawn_depth }));
    for (const [input, given, caller, problem] of [
      [start("copy_editor"), NOTHING, newsDesk, "no `--governance`"],
      [start(undefined), undefined, newsDesk, "has no type: `subagent_type`"],
      [start(null), undefined, newsDesk, "has no type"],
      [start(" "), undefined, newsDesk, "has no type"],
      [start(["copy_editor"]), undefined, newsDesk, "has no type"],
      [start("copy_editor"), undefined, alone, "`--lineage` does not say who"],
      [start("copy_editor"), undefined, { ...newsDesk, lineage: [] }, "`--lineage` does not say who"],
      [{ ...start("copy_editor"), agent_id: "a", agent_type: "claim_checker" }, undefined, newsDesk, "starts no other"],
      [PAYLOADS.copilot("task", { agent_type: "copy_editor" }), undefined, newsDesk, "does not say which agent calls"],
      [PAYLOADS.opencode("task", { subagent_type: "copy_editor" }), undefined, newsDesk, "does not say which agent"],
      [PAYLOADS.gemini("invoke_agent", {}), undefined, newsDesk, "does not say which agent calls"],
      [PAYLOADS.cline("use_subagents", {}), undefined, newsDesk, "does not say which agent calls"],
      [PAYLOADS.cline("team_spawn_teammate", {}), undefined, newsDesk, "does not say which agent calls"],
    ] as const)
      expect((await asked(input, given, caller)).message).toContain(problem);
    const nested = { ...newsDesk, lineage: chain(["news_desk", "claim_checker"]) };
    expect((await asked(start("archive_reader"), undefined, nested)).message).toContain("PERSONA_ALLOWLIST");
    const ghost = { ...newsDesk, lineage: chain(["ghost"]) };
    expect((await asked(start("copy_editor"), undefined, ghost)).message).toContain("'GHOST' was not found");
  });

  it("is a call as well where its tool is mapped, and denied where it cannot be recorded", async () => {
    const mapped = (tool: string): ToolMap => new Map([["Agent", { tool, scope: new Map(), flags: [], writes: [] }]]);
    const from = (tools: ToolMap) => asked(start("copy_editor"), undefined, newsDesk, tools);
    expect(await from(mapped("draft.create"))).toMatchObject({ verdict: "allow" });
    expect((await from(mapped("payout.release"))).message).toContain("tool_not_delegable");
    const unmade = await asked(start("researcher"), undefined, newsDesk, mapped("draft.create"));
    expect(unmade.message).toContain("DELEGATED");
    const full = (): never => {
      throw new Error("disk full");
    };
    const host = { policy, caller: newsDesk, tools: NO_TOOLS, record: full, spawns: { policy, governance, env } };
    const text = JSON.stringify(start("copy_editor"));
    expect((await answerHook(text, host, { format: "auto", ask: false })).message).toContain("disk full");
  });

  it("of other tools of that name is a call like others", async () => {
    expect((await asked(PAYLOADS.generic("Task", { name: "x" }))).message).toContain("tool_not_delegable");
  });
});

describe("an answer", () => {
  it("is written down with session, call, agent and a digest of the arguments", async () => {
    const asked: unknown[] = [];
    const record: HookHost["record"] = (_, name, by) => void asked.push([name, by]);
    const digest = createHash("sha256").update('{"a":[1,"é",null],"b":{"c":true,"d":0.5}}').digest("hex");
    const args = { b: { d: 0.5, c: true }, a: [1, "é", null] };
    for (const host of HOSTS) await answer(PAYLOADS[host]("draft.create", args), {}, newsDesk, NO_TOOLS, record);
    const ids: Readonly<Record<string, object>> = {
      "claude-code": { session: "s", call: "toolu_1" },
      codex: { session: "s", call: "call_1" },
      gemini: { session: "s" },
      copilot: { session: "s" },
      cline: { session: "t", call: "call_1" },
      opencode: { session: "s", call: "call_1" },
    };
    expect(asked).toEqual(HOSTS.map((host) => ["draft.create", { host, ...ids[host], argsSha256: digest }]));
    asked.length = 0;
    const from = { agent_id: "a-1", agent_type: "copy_editor", session_id: "x".repeat(257) };
    await answer({ ...PAYLOADS["claude-code"]("draft.revise"), ...from }, {}, newsDesk, NO_TOOLS, record);
    await answer({ tool: "draft.create" }, {}, writer, NO_TOOLS, record);
    expect(asked).toMatchObject([
      ["draft.revise", { agentId: "a-1", agentType: "copy_editor", call: "toolu_1" }],
      ["draft.create", { host: "generic" }],
    ]);
    expect(asked).not.toMatchObject([["draft.revise", { session: expect.anything() }], expect.anything()]);
  });

  it("to Copilot CLI's own spelling reads the arguments from their text", async () => {
    const call = (toolArgs: unknown) => ({ sessionId: "s", timestamp: 1, cwd: "/", toolName: "draft", toolArgs });
    const scope = new Map([["story_id", "story"]]);
    const tools: ToolMap = new Map([["draft", { tool: "draft.create", scope, flags: [], writes: [] }]]);
    for (const [args, verdict] of [
      ['{"story":"s-118"}', "allow"],
      [{ story: "s-118" }, "allow"],
      ['{"story":"s-119"}', "deny"],
      ['{"story":"s-118","story":"s-118"}', "deny"],
      ["s-118", "deny"],
    ] as const)
      expect(await answer(call(args), {}, writer, tools), JSON.stringify(args)).toMatchObject({ verdict });
  });

  it("to Cline is about the call itself, not about its texts", async () => {
    const scope = new Map([["story_id", "story"]]);
    const tools: ToolMap = new Map([["draft", { tool: "draft.create", scope, flags: [], writes: [] }]]);
    for (const [story, verdict] of [
      ["s-118", "allow"],
      ["s-119", "deny"],
    ] as const) {
      const old = { taskId: "t", hookName: "PreToolUse", preToolUse: { toolName: "draft", parameters: { story } } };
      for (const input of [PAYLOADS.cline("draft", { story }), old])
        expect(await answer(input, {}, writer, tools), JSON.stringify(input)).toMatchObject({ verdict });
    }
  });

  it("of the generic format takes either name of a member, and ignores further ones", async () => {
    const more = { role: "MANAGING_EDITOR", hook_event_name: "beforeMCPExecution", __proto__: null };
    for (const input of [
      { tool: "draft.create", tool_input: {}, ...more },
      { tool_name: "draft.create", args: {}, ...more },
      { tool_name: "draft.create" },
    ])
      expect(await answer(input), JSON.stringify(input)).toMatchObject({ verdict: "allow" });
  });

  it("is a denial where the decision cannot be recorded", async () => {
    const full = (): never => {
      throw new Error("disk full");
    };
    expect(await answer({ tool: "draft.create" }, {}, writer, NO_TOOLS, full)).toMatchObject({
      verdict: "deny",
      output: { reason: expect.stringContaining("disk full") },
    });
  });

  it("stays short, whatever the call holds", async () => {
    const scope = new Map([["story_id", "story"]]);
    const tools: ToolMap = new Map([["draft", { tool: "draft.create", scope, flags: [], writes: [] }]]);
    const long = `a${"\u0301\u0316".repeat(50_000)}`;
    for (const input of [
      { tool: "draft", args: { [long]: 1 } },
      { tool: long },
      `{"tool":"draft.create","args":1e-${"9".repeat(100_000)}}`,
      `{"tool":"draft.create","${long}":1,"${long}":2}`,
    ]) {
      const { verdict, output, message } = await answer(input, {}, writer, tools);
      expect(verdict).toBe("deny");
      expect(message.length).toBeLessThan(2_100);
      expect(JSON.stringify(output).length).toBeLessThan(12_000);
    }
  });

  it.each<[string, unknown, HookFormat]>([
    ["nothing", "", "auto"],
    ["no JSON", "draft.create", "auto"],
    ["more than JSON", '{"tool":"draft.create"} x', "auto"],
    ["two members of one name", '{"tool":"draft.create","tool":"draft.create"}', "auto"],
    ["two members of one name, deep", '{"tool":"draft.create","args":{"a":{"b":1,"b":2}}}', "auto"],
    ["a number that a double rounds", '{"tool":"draft.create","args":{"a":[9007199254740993]}}', "auto"],
    ["a fraction that a double rounds", '{"tool":"draft.create","args":{"a":1.00000000000000000001}}', "auto"],
    ["a number that no double is near", '{"tool":"draft.create","args":{"a":1e400}}', "auto"],
    ["a number that a double takes for 0", '{"tool":"draft.create","args":{"a":1e-400}}', "auto"],
    ["a list", [{ tool: "draft.create" }], "auto"],
    ["a text", '"draft.create"', "auto"],
    ["null", "null", "auto"],
    ["no tool", { args: {} }, "auto"],
    ["two tools", { tool: "draft.create", tool_name: "payout.release" }, "generic"],
    ["two lists of arguments", { tool: "draft.create", args: {}, tool_input: {} }, "generic"],
    ["two tools of Cline", { ...PAYLOADS.cline("draft.create"), preToolUse: { toolName: "a" } }, "auto"],
    ["two tools of an older Cline", { taskId: "t", preToolUse: { tool: "a", toolName: "draft.create" } }, "auto"],
    ["a payload of Cline that is not a call", { ...PAYLOADS.cline("draft.create"), tool_call: 7 }, "auto"],
    ["no use of Cline", { ...PAYLOADS.cline("a"), preToolUse: undefined }, "cline"],
    ["a sub-agent of Cline", { ...PAYLOADS.cline("draft.create"), parent_agent_id: "agent_0" }, "cline"],
    ["another host", PAYLOADS.generic("draft.create"), "claude-code"],
    ["another host's event", PAYLOADS.gemini("draft.create"), "claude-code"],
    ["another host's event, turned around", PAYLOADS["claude-code"]("draft.create"), "gemini"],
    ["another event", { ...PAYLOADS.codex("draft.create"), hook_event_name: "PostToolUse" }, "codex"],
  ])("is a denial for %s", async (_, input, format) => {
    const { verdict, output, message } = await answer(input, { format, ask: true });
    expect(message).toMatch(/^The call cannot be decided, so it is denied: standard input /);
    expect([verdict, output]).toEqual(["deny", deny(message)]);
  });

  it("is no allow for any other value", async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.constantFrom(...HOOK_FORMATS), async (text, format) => {
        expect((await answer(text, { format, ask: true })).verdict).toBe("deny");
      }),
      { numRuns: 300 },
    );
  });
});

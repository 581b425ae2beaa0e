/** `portcullis hook`: an answer for every input, and no input but a call that the policy allows ends with 0. */

import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  HOOK_FORMATS,
  type HookFormat,
  type HookHost,
  NO_TOOLS,
  type ToolMap,
} from "../../../compiler/enforcement/gateway/index.ts";
import { answer, deny, HOSTS, newsDesk, PAYLOADS } from "./hook-payloads.ts";
import { writer } from "./session.ts";

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
    ["two spellings of the tool", { ...PAYLOADS["claude-code"]("draft.create"), toolName: "payout.release" }, "auto"],
    ["a tool of another host beside", { ...PAYLOADS.codex("draft.create"), tool: "payout.release" }, "codex"],
    ["arguments of another host beside", { ...PAYLOADS.gemini("draft.create"), toolArgs: "{}" }, "auto"],
    ["two spellings of the folder", { ...PAYLOADS.codex("draft.create"), Cwd: "/elsewhere" }, "auto"],
    ["two spellings of the session", { ...PAYLOADS.copilot("draft.create"), sessionId: "t" }, "auto"],
    ["a sub-agent in another spelling", { ...PAYLOADS.copilot("draft.create"), agentType: "news_desk" }, "auto"],
    ["two tools of Cline", { ...PAYLOADS.cline("draft.create"), preToolUse: { toolName: "a" } }, "auto"],
    ["two tools of an older Cline", { taskId: "t", preToolUse: { tool: "a", toolName: "draft.create" } }, "auto"],
    ["a payload of Cline that is not a call", { ...PAYLOADS.cline("draft.create"), tool_call: 7 }, "auto"],
    ["no use of Cline", { ...PAYLOADS.cline("a"), preToolUse: undefined }, "cline"],
    ["a sub-agent of Cline", { ...PAYLOADS.cline("draft.create"), parent_agent_id: "agent_0" }, "cline"],
    ["another host", PAYLOADS.generic("draft.create"), "claude-code"],
    ["another host's event", PAYLOADS.gemini("draft.create"), "claude-code"],
    ["another host's event, turned around", PAYLOADS["claude-code"]("draft.create"), "gemini"],
    ["another event", { ...PAYLOADS.codex("draft.create"), hook_event_name: "PostToolUseFailure" }, "codex"],
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

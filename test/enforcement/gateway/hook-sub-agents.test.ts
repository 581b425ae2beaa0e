/** `portcullis hook` and sub-agents: each calls as itself, and starts only where the subagent and the lineage decision allow it. */

import { type CallRecord, load } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { answerHook, type Caller, NO_TOOLS, type ToolMap } from "../../../compiler/enforcement/gateway/index.ts";
import { bundleOf } from "../limited-policy.ts";
import { answer, spawns as approved, HOSTS, newsDesk, PAYLOADS, policy } from "./hook-payloads.ts";

describe.each(HOSTS)("a call that %s asks about", (host) => {
  const call = PAYLOADS[host];

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
      ["DELEGATED", ["news_desk", "reviewer"], own],
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
  const { governance, env } = approved;
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
    for (const name of ["spawn_agent", "collaborationspawn_agent"])
      expect(await asked(PAYLOADS.codex(name, { agent_type: "copy_editor" }))).toMatchObject({ verdict: "allow" });
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

  it("is a call as well where the registry has a tool of its name: what that says holds", async () => {
    const registry = (enabled: boolean): string =>
      `tools: [{ tool_name: Agent, enabled: ${enabled}, implementation_status: implemented }]\n`;
    const files = {
      ...{ "limits.yaml": "limits: []\n", "portcullis.yaml": "{}\n", "AGENT_DESK.md": "AGENT_TYPE: 2\n" },
      "lanes.yaml": "lanes: [{ lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [Agent] } }]\n",
      "AGENT_LEAD.md": "---\nsubagents: [DESK]\n---\nAGENT_TYPE: 1\n",
      "manifests/lead.yaml": "can_spawn: [desk]\nmax_spawn_depth: 1\n",
      "manifests/desk.yaml": "can_spawn: []\n",
    };
    const caller = { role: "R", lane: "L", scope: {}, flags: [], lineage: [{ agent_type: "lead", spawn_depth: 0 }] };
    const started = async (tools: string): Promise<string> => {
      const by = await load(await bundleOf({ ...files, "tool_registry.yaml": tools }));
      const spawns = { policy: by, governance, env };
      const host = { policy: by, caller, tools: NO_TOOLS, record: () => {}, spawns };
      return (await answerHook(JSON.stringify(start("desk")), host, { format: "auto", ask: true })).message;
    };
    expect(await started("tools: []\n")).toBe("");
    expect(await started(registry(true))).toBe("");
    expect(await started(registry(false))).toContain("TOOL_ENABLED, tool_disabled");
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
      [PAYLOADS.copilot("Agent", { agent_type: "copy_editor" }), undefined, newsDesk, "does not say which agent calls"],
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

  // Without an id, by `agent` of settings, the session's own agent is such a one: a project's settings may say it.
  it.each([{ agent_id: "a-1" }, {}])(
    "for a skill, in a workflow or by settings is no call: nothing is called where it is denied: %j",
    async (id) => {
      const by = (agent_type: string) => ({ ...PAYLOADS["claude-code"]("draft.revise"), ...id, agent_type });
      expect((await asked(by("copy_editor"), NOTHING)).message).toContain("there is no `--governance`");
      records.length = 0;
      expect((await asked(by("copy_editor"), { governance })).message).toContain("ENVIRONMENT");
      expect((await asked(by("researcher"))).message).toContain("subagent_not_delegated");
      expect(records).toMatchObject([
        { disposition: "DENY", tool: "draft.revise", gate: "ENVIRONMENT", lineage: ["news_desk", "copy_editor"] },
        { disposition: "DENY", tool: "draft.revise", gate: "DELEGATED", lineage: ["news_desk", "researcher"] },
      ]);
      records.length = 0;
      expect(await asked(by("copy_editor"))).toMatchObject({ verdict: "allow" });
      expect(records).toMatchObject([{ disposition: "ALLOW", gate: "ALLOW", reason: "call_allowed" }]);
    },
  );

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

  it("is written down where it cannot be decided, and denied all the same where that cannot be written", async () => {
    records.length = 0;
    const { message } = await asked(start("copy_editor"), NOTHING);
    const { role, lane } = newsDesk;
    const fault = { gate: "INTERNAL_ERROR", reason: "invalid input" };
    expect(records).toEqual([
      {
        ...{ disposition: "DENY", role, lane, tool: "Agent", ...fault, evaluation_ms: 0 },
        lineage: ["news_desk"],
        details: { problem: expect.stringContaining("there is no `--governance`") },
      },
    ]);
    const full = (): never => {
      throw new Error("disk full");
    };
    const host = { policy, caller: newsDesk, tools: NO_TOOLS, record: full };
    const text = JSON.stringify(start("copy_editor"));
    expect(await answerHook(text, host, { format: "auto", ask: false })).toMatchObject({ verdict: "deny", message });
  });

  it("of other tools of that name is a call like others", async () => {
    expect((await asked(PAYLOADS.generic("Task", { name: "x" }))).message).toContain("tool_not_delegable");
  });
});

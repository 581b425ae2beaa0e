/** A call that an agent host asks `portcullis hook` about: allowed in silence, denied in what its host obeys, or a person is asked. */

import { type CallRecord, load } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { answerHook, type Caller, NO_TOOLS, type ToolMap } from "../../../compiler/enforcement/gateway/index.ts";
import { bundleOf } from "../limited-policy.ts";
import { answer, deny, HOSTS, PAYLOADS, words } from "./hook-payloads.ts";
import { writer } from "./session.ts";

const releasing: Caller = {
  ...{ role: "MANAGING_EDITOR", lane: "RIGHTS_AND_PAYOUTS", flags: [] },
  scope: { contributor_id: "c-9", run_id: "r-7" },
  lineage: [{ agent_type: "publisher", spawn_depth: 0 }],
};
const retracting: Caller = {
  ...{ ...releasing, lane: "PUBLISHING" },
  scope: { story_id: "s-118", run_id: "r-7", approval_ref: "AP-31" },
};

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

it("asks a person about nothing that authors' gates deny: those are asked behind the approval", async () => {
  const gates = [
    'must contains "SMALL" if { is_number(input.args.cents); input.args.cents <= 100 }',
    'deny contains {"gate": "NO_GIFT", "reason": "gift"} if input.args.text == "gift"',
    'must contains "SIGNED" if is_string(input.approval.by)',
  ];
  const policy = await load(
    await bundleOf({
      "limits.yaml": "limits: []\n",
      "gates.rego": `package portcullis.ext.call\n\n${gates.join("\n\n")}\n`,
    }),
  );
  const caller: Caller = { role: "R", lane: "L", scope: {}, flags: [] };
  const records: string[] = [];
  const record = ({ gate, disposition }: CallRecord): void => void records.push(`${disposition} ${gate}`);
  const asked = async (args: object): Promise<readonly unknown[]> => {
    records.length = 0;
    const text = JSON.stringify(PAYLOADS["claude-code"]("note", args));
    const host = { policy, caller, tools: NO_TOOLS, record };
    const { verdict, message } = await answerHook(text, host, { format: "auto", ask: true });
    return [verdict, message, ...records];
  };
  const required = words("note", 'APPROVAL, approval_required; approval "required"');
  expect(await asked({ cents: 100 })).toEqual(["ask", required, "DENY APPROVAL"]);
  for (const [args, gate, why] of [
    [{ cents: 101 }, "SMALL", "requirement_not_met"],
    [{ cents: 1, text: "gift" }, "NO_GIFT", "gift"],
  ] as const)
    expect(await asked(args)).toEqual(["deny", words("note", `${gate}, ${why}`), "DENY APPROVAL", `DENY ${gate}`]);
});

// A server `pay` with a tool `out_create` has the name of another's: `create` of a server `pay_out`.
it.each([
  [{ server_name: "pay", tool_name: "out_create" }, "allow"],
  [undefined, "allow"],
  [null, "allow"],
  [{ server_name: "pay_out", tool_name: "create" }, "deny"],
  [{ server_name: "pay out", tool_name: "create" }, "deny"],
  [{ server_name: "mail", tool_name: "create" }, "deny"],
  [{ tool_name: "create" }, "deny"],
  ["pay", "deny"],
] as const)(
  "a tool of a server of Gemini CLI is one where its name has one reading: %j",
  async (mcp_context, verdict) => {
    const name = "mcp_pay_out_create";
    const tools: ToolMap = new Map([[name, { tool: "draft.create", scope: new Map(), flags: [], writes: [] }]]);
    for (const format of ["auto", "gemini"] as const) {
      const decided = await answer({ ...PAYLOADS.gemini(name, {}), mcp_context }, { format }, writer, tools);
      expect(decided.verdict).toBe(verdict);
    }
  },
);

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
});

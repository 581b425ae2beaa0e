/** Names as people read them: what the table says, and that an engine that reads by it takes no agent for a person. */

import { describe, expect, it } from "vitest";
import { nameFolds } from "../../../compiler/governance/lower/name-folds.ts";
import { compile } from "../../../compiler/governance/pipeline.ts";
import { load, type Policy } from "../../../runtime/index.ts";
import { asRead } from "../../statements/agents.ts";
import { virtualHost } from "../sources/virtual-host.ts";

const FILES = {
  "portcullis.yaml": "call: { lineage: optional }\nsubagents: { approvers: human }\n",
  "roles.yaml": "roles: [{ role_id: CLERK_10, privileges: { lanes: [L] } }, { role_id: ВЕТЕР }, { role_id: 王 }]\n",
  "lanes.yaml": "lanes: [{ lane_id: L, allowed_callers: { roles: [CLERK_10] }, allowed_actions: { tools: [t] } }]\n",
  "tool_registry.yaml":
    "tools: [{ tool_name: t, enabled: true, implementation_status: implemented, approval: required }]\n",
  "AGENT_DESK.md": "---\nsubagents: [C]\n---\nAGENT_TYPE: 1\n",
  "AGENT_C.md": "AGENT_TYPE: 2\nAGENT_CLASS: TASK\n",
  "handoff.yaml": "agents: { master: [Zürich], sub: [DESK] }\n",
};

async function policyOf(files: Record<string, string>): Promise<{ policy: Policy; data: string }> {
  const { compiled, diagnostics } = await compile({ host: virtualHost({ p: files }), dirs: ["p"] });
  if (compiled === undefined) throw new Error(diagnostics.map((d) => d.message).join("\n"));
  return { policy: await load(compiled.bundle), data: JSON.stringify(compiled.data) };
}

const { policy } = await policyOf(FILES);

function reasonOf(by: unknown): string {
  return policy.call({ role: "CLERK_10", lane: "L", tool: "t", approval: { ref: "AP-1", by } } as never).reason;
}

function gateOf(approvedBy: unknown): string {
  const governance = { contextSealed: true, pipelineRunApproved: true, approvalRef: "AP-1", approvedBy };
  return policy.subagent({ persona: "DESK", env: { CHIRALITY_ENABLE_SUBAGENTS: "true" }, governance }).gate;
}

const AGENTS = [
  "CLERK_10",
  "clerk 10",
  " Clerk.10 ",
  "CLERK_10.",
  "CLERK\u200b_10",
  "CL\u00adERK_10",
  "\u202eCLERK_10\u202c",
  "ＣＬＥＲＫ＿１０",
  "𝐂𝐋𝐄𝐑𝐊10",
  "ⒸⓁⒺⓇⓀ⑩",
  "CLERK\u201010",
  "C\u0301LERK_10",
  // Cyrillic, Greek, Cherokee, a digit for a letter and the reverse.
  "\u0421L\u0415RK_10",
  "CLERΚ_10",
  "ᏟLERK_10",
  "C1ERK_IO",
  "C|erk_lo",
  "DESK",
  "agent_desk.md",
  "AGENT-DESK",
  "desk\ue000",
  "desk\u{1f600}",
  "ВЕТЕР",
  "ветер",
  "BETEP",
  "zu\u0308rich",
  "ZURICH",
  "王",
  "王。",
];

describe("an approval", () => {
  it.each(AGENTS)("by %j is no person's", (name) => {
    expect([reasonOf(name), gateOf(name)]).toEqual(["approval_not_human", "APPROVED_BY"]);
  });

  it.each(["m.ortiz", "CLERK", "CLERK_101", "王明", "李", "Ветеров", "clerk_10_and_me", "한국어", "Ünal"])(
    "by %j is",
    (name) => {
      expect([reasonOf(name), gateOf(name)]).toEqual(["call_allowed", "ALLOW"]);
    },
  );

  it.each(["\u200b", "\u2800", "...", "_", "\u0301", "\ue000", "\u{10ffff}", "😀"])("by %j is by nobody", (name) => {
    expect([reasonOf(name), gateOf(name)]).toEqual(["approval_malformed", "APPROVED_BY"]);
  });
});

describe("the table", () => {
  const whole = nameFolds(["abcdefghijklmnopqrstuvwxyz0123456789"]);

  it("has each character once", () => {
    const all = Object.values(whole.folds).flatMap((characters) => [...characters]);
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBeGreaterThan(3_000);
  });

  it("reads what it has read as it is", () => {
    const others = new RegExp(whole.others.replaceAll("\\x{", "\\u{"), "u");
    for (const letters of Object.keys(whole.folds)) {
      expect(others.test(letters)).toBe(false);
      expect([...letters].filter((letter) => Object.values(whole.folds).some((c) => c.includes(letter)))).toEqual([]);
    }
  });

  it("says of ASCII what the library says without it", () => {
    for (let code = 0; code < 128; code++) {
      const character = String.fromCharCode(code);
      const short = character.toLowerCase().replace(/[^a-z0-9|]/g, "");
      expect(asRead(character)).toBe(short.replace(/[l1|]/g, "i").replace("0", "o"));
    }
  });

  it("is in the data of a policy that compares names, and of no other", async () => {
    expect((await policyOf(FILES)).data).toContain("folds");
    const { "portcullis.yaml": _, ...rest } = FILES;
    const tools = FILES["tool_registry.yaml"].replace(", approval: required", "");
    expect((await policyOf({ ...rest, "tool_registry.yaml": tools })).data).not.toContain("folds");
  });
});

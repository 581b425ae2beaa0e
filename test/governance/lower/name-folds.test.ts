/** Names as people read them: an engine that reads by the table takes no agent for a person, in whatever case and form. */

import { describe, expect, it } from "vitest";
import { compile } from "../../../compiler/governance/pipeline.ts";
import { load, type Policy } from "../../../runtime/index.ts";
import { virtualHost } from "../sources/virtual-host.ts";

const FILES = {
  "portcullis.yaml": "call: { lineage: optional }\nsubagents: { approvers: human }\n",
  "roles.yaml":
    "roles: [{ role_id: CLERK_10, privileges: { lanes: [L] } }, { role_id: ВЕТЕР }, { role_id: 王 }, { role_id: νῃ-가 }, { role_id: Preiß }]\n",
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
  "agent:CLERK_10",
  "AGENT_ZURICH.md",
  "desk\ue000",
  "desk\u{1f600}",
  "ВЕТЕР",
  "ветер",
  "BETEP",
  "zu\u0308rich",
  "ZURICH",
  "王",
  "王。",
  // The other case of Greek letters looks otherwise, and the iota below is a letter of its own in capitals.
  "νῃ가",
  "ΝΗΙ가",
  "vηι가",
  "hnι가",
  "PREISS",
  "preiB",
  "Prei\u0412",
  "PREIẞ",
  // White on black, flags, and letters with hooks that have no decomposition.
  "🅓🅔🅢🅚",
  "🅳🅴🆂🅺",
  "🇩🇪🇸🇰",
  "CLERK➀⓿",
  "ᶑᶒᶊᶄ",
  // Letters that look like signs, fillers, and blanks among hieroglyphs.
  "DESKʼ",
  "DESKꞌ",
  "DESKǃ",
  "DESK\u3164",
  "DESK\uffa0",
  "DESK\u{13441}",
];

/** Hangul in letters, and letters that can be read as two that differ. */
const APART = [
  "\u1100\u1161",
  "νῃ\u1100\u1161",
  "한국어".normalize("NFD"),
  "가\u11a8",
  "ㄱ",
  "m.ortiz\u1175",
  "DEſK",
  "Ϭlerk",
  "ϭ",
];

describe("an approval", () => {
  it.each([...AGENTS, ...APART])("by %j is no person's", (name) => {
    expect([reasonOf(name), gateOf(name)]).toEqual(["approval_not_human", "APPROVED_BY"]);
  });

  it.each([
    "m.ortiz",
    "CLERK",
    "CLERK_101",
    "王明",
    "李",
    "Ветеров",
    "clerk_10_and_me",
    "한국어",
    "나",
    "Ünal",
    "Weiß",
    "יוסי",
    "Þór",
  ])("by %j is", (name) => {
    expect([reasonOf(name), gateOf(name)]).toEqual(["call_allowed", "ALLOW"]);
  });

  it.each(["\u200b", "\u2800", "...", "_", "\u0301", "\ue000", "\u{10ffff}", "😀", "\u3164", "ʼ"])(
    "by %j names no person",
    (name) => {
      expect([reasonOf(name), gateOf(name)]).toEqual(["approval_malformed", "APPROVED_BY"]);
    },
  );
});

describe("names in ASCII are read as all others are", async () => {
  // A role for each letter and digit, each of another length.
  const letters = [..."abcdefghijklmnopqrstuvwxyz0123456789|"];
  const prefix = (i: number): string => "4".repeat(i + 1);
  const roles = letters.map((letter, i) => `{ role_id: "${prefix(i)}${letter}" }`).join(", ");
  const all = `roles: [{ role_id: CLERK_10, privileges: { lanes: [L] } }, ${roles}]\n`;
  const { policy: ofLetters } = await policyOf({ ...FILES, "roles.yaml": all });
  const isPerson = (by: string): boolean =>
    ofLetters.call({ role: "CLERK_10", lane: "L", tool: "t", approval: { ref: "AP-1", by } } as never).allowed;

  it.each(letters.map((letter, i) => [letter, i] as const))("%s", (letter, i) => {
    const found = letters.filter((other) => !isPerson(prefix(i) + other));
    expect(found).toContain(letter);
    expect(letters.filter((other) => !isPerson(`${prefix(i)}${other}\u200b`))).toEqual(found);
    expect(letters.filter((other) => !isPerson(`${prefix(i)}${other.toUpperCase()}`))).toEqual(found);
  });
});

describe("the table", () => {
  it("is in the data of a policy that compares names, and of no other", async () => {
    expect((await policyOf(FILES)).data).toContain("folds");
    const { "portcullis.yaml": _, ...rest } = FILES;
    const tools = FILES["tool_registry.yaml"].replace(", approval: required", "");
    expect((await policyOf({ ...rest, "tool_registry.yaml": tools })).data).not.toContain("folds");
  });
});

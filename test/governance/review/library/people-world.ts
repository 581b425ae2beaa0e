/** Turns that are handed subagents (subagent.md), and whose name an approval may bear (approvals.md). */

import type { World } from "./world.ts";

const TURN = {
  persona: "NEWS_DESK",
  env: { CHIRALITY_ENABLE_SUBAGENTS: "true" },
  governance: { contextSealed: true, pipelineRunApproved: true, approvalRef: "AP-1", approvedBy: "m.ortiz" },
};
const told = (changed: object) => ({ governance: { ...TURN.governance, ...changed } });
const CALL = { role: "WRITER", lane: "DESK", tool: "sign", approval: { ref: "AP-1", by: "m.ortiz" } };

/** Names of agents, as people may write them. */
const AGENTS = [
  ...[
    "WRITER",
    "writer",
    "wRiTer",
    " WRITER.",
    "WR\u0406TER",
    "wr\u0131ter",
    "\uff37RITER",
    "W R I T E R",
    "WR1TER",
    "WRlTER",
    "WYITER",
  ],
  ...[
    "WRITER\u200b",
    "WRI\u00adTER",
    '"writer"',
    "NEWS_DESK",
    "NEWS-DESK",
    "AGENT_NEWS_DESK",
    "agent-news-desk.md",
    "news desk",
  ],
  ...[
    "\u039dEWS DESK",
    "\u03bdews desk",
    "hews desk",
    "news de5k",
    "rights_desk",
    "RIGHTS-DESK",
    "AGENT_WRITER",
    "agent:writer",
  ],
  ...[
    "AGENT_RIGHTS_DESK.md",
    "6OSS",
    "BOSS",
    "BO\u00df",
    "\u00dfOSS",
    "BO55",
    "wr|ter",
    "JOE",
    "3OE",
    "lead",
    "LEAD",
    "AGENT_LEAD.md",
  ],
];
/** Names that cannot be a person's, and names without a letter. */
const NAMELESS = ["m.ortiz\u017f", "\u1100\u1161", "\u017f", "._-", "\u200b", "\u2800"];

export const PEOPLE: World = {
  files: {
    "portcullis.yaml": "subagents: { approvers: human }\ncall: { lineage: optional }\n",
    "roles.yaml": "roles: [{ role_id: WRITER }]\n",
    "lanes.yaml":
      "lanes: [{ lane_id: DESK, allowed_callers: { roles: [WRITER] }, allowed_actions: { tools: [sign] } }]\n",
    "tool_registry.yaml":
      "tools: [{ tool_name: sign, enabled: true, implementation_status: implemented, approval: required }]\n",
    "manifests/rights_desk.yaml": "max_spawn_depth: 0\n",
    "manifests/boss.yaml": "max_spawn_depth: 0\n",
    "manifests/joe.yaml": "max_spawn_depth: 0\n",
    "handoff.yaml": "agents: { master: [lead], sub: [hand] }\n",
    "agents/AGENT_NEWS_DESK.md": "---\nsubagents: [HAND]\n---\n\nAGENT_TYPE: 1\n",
    "agents/AGENT_IDLE.md": "AGENT_TYPE: 1\n",
    "agents/AGENT_TASK.md": "---\nsubagents: [HAND]\n---\n\nAGENT_TYPE: 2\n",
    "agents/AGENT_BASE.md": "---\nsubagents: [HAND]\n---\n\nAGENT_TYPE: 0\n",
    "agents/AGENT_HAND.md": "AGENT_TYPE: 2\n",
  },
  gates: [],
  denied: [
    [
      "subagent",
      TURN,
      ...["IDLE", "TASK", "BASE", "HAND", "NOBODY", "", 7, null, true, ["NEWS_DESK"]].map((persona) => ({ persona })),
    ],
    [
      "subagent",
      TURN,
      ...["TRUE", "true ", " true", "1", "", "yes", "tru", true, 1, null].map((on) => ({
        env: { CHIRALITY_ENABLE_SUBAGENTS: on },
      })),
    ],
    [
      "subagent",
      TURN,
      { env: {} },
      { env: null },
      { env: "true" },
      { governance: null },
      { governance: [] },
      { governance: "x" },
      { governance: 1 },
      { governance: {} },
    ],
    [
      "subagent",
      TURN,
      ...[false, "true", 1, null, {}, "x"].flatMap((said) => [
        told({ contextSealed: said }),
        told({ pipelineRunApproved: said }),
      ]),
    ],
    [
      "subagent",
      TURN,
      ...["", " ", "\t\n", "\ufeff", "\u2003\u00a0\u3000", 7, true, null, {}, ["AP-1"]].map((approvalRef) =>
        told({ approvalRef }),
      ),
    ],
    ["subagent", TURN, ...[...AGENTS, ...NAMELESS, " WRITER "].map((approvedBy) => told({ approvedBy }))],
    ["call", CALL, ...[...AGENTS, ...NAMELESS, "", " ", 7, null, {}].map((by) => ({ approval: { ref: "AP-1", by } }))],
    [
      "call",
      CALL,
      { approval: null },
      { approval: {} },
      { approval: "AP-1" },
      { approval: true },
      { approval: { by: "m.ortiz" } },
    ],
    ["call", CALL, ...["", " ", "\u2003", 7, true].map((ref) => ({ approval: { ref, by: "m.ortiz" } }))],
  ],
  claims: [
    "never: { decision: subagent, persona: [IDLE, TASK, BASE, HAND] }",
    "never: { decision: subagent, persona: NEWS_DESK, subagent: TASK }",
  ],
};

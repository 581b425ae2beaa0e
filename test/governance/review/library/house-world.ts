/** Gates of authors (authors-gates.md): each decision denies what one of its own must not be, and what does not meet what must be. */

import type { World } from "./world.ts";

/** Who asks, by what a gate makes of them. */
const NAMES = ["GOOD", "FIRSTLESS", "SECONDLESS", "NEITHER", "SHUT"] as const;

const TURN = {
  env: { CHIRALITY_ENABLE_SUBAGENTS: "true" },
  governance: { contextSealed: true, pipelineRunApproved: true, approvalRef: "AP-1" },
};

/** What a decision reads who asks by, and a request. */
const DECISIONS = {
  lane: ["input.role", (role) => ({ role, lane: "DESK" })],
  tool: ["input.role", (role) => ({ role, lane: "DESK", tool: "draft" })],
  call: ["input.lineage[0].agent_type", (who) => ({ role: "GOOD", lane: "DESK", tool: "draft", ...chain(who) })],
  lineage: ["input.lineage[0].agent_type", chain],
  subagent: ["input.persona", (persona) => ({ persona, ...TURN })],
} as const satisfies Readonly<Record<string, readonly [who: string, request: (who: string) => object]>>;

function chain(agent_type: string): object {
  return { lineage: [{ agent_type, spawn_depth: 0 }] };
}

const rules = (decision: string, who: string): string => `package portcullis.ext.${decision}

must contains "FIRST" if not ${who} in {"FIRSTLESS", "NEITHER"}

must contains "SECOND" if not ${who} in {"SECONDLESS", "NEITHER"}

deny contains {"gate": "SHUT", "reason": "shut"} if ${who} == "SHUT"
`;

/** One decision has gates of its author's: another that it is composed of would deny first. */
export const houseOf = (decision: keyof typeof DECISIONS): World => {
  const [who, request] = DECISIONS[decision];
  return {
    files: {
      "portcullis.yaml": "call: { lineage: optional }\n",
      "roles.yaml": `roles: [${NAMES.map((name) => `{ role_id: ${name} }`).join(", ")}]\n`,
      "lanes.yaml": `lanes: [{ lane_id: DESK, allowed_callers: { roles: [${NAMES}] }, allowed_actions: { tools: [draft] } }]\n`,
      "tool_registry.yaml": "tools: [{ tool_name: draft, enabled: true, implementation_status: implemented }]\n",
      ...Object.fromEntries(NAMES.map((name) => [`manifests/${name}.yaml`, "max_spawn_depth: 0\n"])),
      ...Object.fromEntries(
        NAMES.map((name) => [`agents/AGENT_${name}.md`, "---\nsubagents: [HAND]\n---\n\nAGENT_TYPE: 1\n"]),
      ),
      "agents/AGENT_HAND.md": "AGENT_TYPE: 2\n",
      [`ext/${decision}.rego`]: rules(decision, who),
    },
    gates: [],
    denied: [[decision, request("GOOD"), ...NAMES.slice(1).map(request)]],
  };
};

/** A hospital's policy set without a finding, for mistakes to be made in. */

export interface Mistake {
  readonly name: string;
  /** Files that take the place of the set's own, or are new. `null`: the file is not there. */
  readonly files: Readonly<Record<string, string | null>>;
  /** `code file:line:column marked`. */
  readonly found: string;
  readonly help?: string;
}

export const ROLES = `roles:
  - role_id: PHYSICIAN
    class: human
    privileges: { lanes: [WARD, PHARMACY] }
  - role_id: NURSE
    class: agent
    privileges: { lanes: [WARD] }
`;

export const LANES = `lanes:
  - lane_id: WARD
    allowed_callers: { roles: [PHYSICIAN, NURSE] }
    allowed_actions: { tools: [chart.read, dose.request] }
  - lane_id: PHARMACY
    allowed_callers: { roles: [PHYSICIAN] }
    allowed_actions:
      tools: [dose.release]
      writes:
        - { table: doses, mode: append }
`;

export const TOOLS = `tools:
  - tool_name: chart.read
    enabled: true
    implementation_status: implemented
  - tool_name: dose.request
    enabled: true
    implementation_status: implemented
    allowed_lanes: [WARD]
  - tool_name: dose.release
    enabled: true
    implementation_status: implemented
    approval: required
    write_targets: [doses]
`;

export const WARD_DESK = `---
subagents: [CHARTER]
---
# Ward desk

AGENT_TYPE: 1
`;

export const CHARTER = `# Charter

AGENT_TYPE: 2
AGENT_CLASS: TASK
`;

export const EXEC = `modes: [round, mode-init]
inline_modes: [mode-init]
staging_root: /srv/queue
`;

export const HANDOFF = "required_fields: [severity]\n";
export const SETTINGS = "lineage: { roots: [desk], require: true }\n";
export const DESK = "agent_type: desk\ncan_spawn: [clerk]\nmax_spawn_depth: 1\nallowed_tools: [chart.read]\n";
export const CLERK = 'agent_type = "clerk"\nallowed_tools = ["chart.read"]\n';
export const DENY = `package portcullis.ext.tool

deny contains {"gate": "DOSE", "reason": "dose_needs_physician"} if {
	input.tool == "dose.release"
	not input.role == "PHYSICIAN"
	input.scope.amount > data.hospital.limit
	is_number(input.scope.amount)
}

deny contains {"gate": "DOSE", "reason": "amount_is_no_number"} if {
	input.tool == "dose.release"; not input.scope.amount
}
`;
export const TESTS =
  "decision: lane\ncases:\n  - name: a nurse\n    input: { role: NURSE, lane: WARD }\n    expect: { allowed: true }\n";

/** A set without a finding. */
export const RIGHT: Readonly<Record<string, string>> = {
  "portcullis.yaml": SETTINGS,
  "roles.yaml": ROLES,
  "lanes.yaml": LANES,
  "tool_registry.yaml": TOOLS,
  "AGENT_WARD_DESK.md": WARD_DESK,
  "AGENT_CHARTER.md": CHARTER,
  "exec.yaml": EXEC,
  "handoff.yaml": HANDOFF,
  "manifests/desk.yaml": DESK,
  "manifests/clerk.toml": CLERK,
  "hospital/data.yaml": "limit: 10\n",
  "dose.rego": DENY,
  "tests/lane.yaml": TESTS,
};

export const roles = (from: string, to: string): Record<string, string> => ({ "roles.yaml": swap(ROLES, from, to) });
export const lanes = (from: string, to: string): Record<string, string> => ({ "lanes.yaml": swap(LANES, from, to) });
export const tools = (from: string, to: string): Record<string, string> => ({
  "tool_registry.yaml": swap(TOOLS, from, to),
});
export const deny = (from: string, to: string): Record<string, string> => ({ "dose.rego": swap(DENY, from, to) });
export const exec = (from: string, to: string): Record<string, string> => ({ "exec.yaml": swap(EXEC, from, to) });

export function swap(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`no ${from} in the text`);
  return text.replace(from, to);
}

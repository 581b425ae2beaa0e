/** Sources with a fault, and what the parts of them are made of. */

import type { Files } from "../../sources/virtual-host.ts";

export interface Fixture {
  readonly files: Files;
  /** `path:line:column` of each finding with the code, in order; `-` for a finding without a place. */
  readonly at: readonly string[];
  readonly marked?: string;
  readonly message?: string;
  readonly help?: string;
  readonly severity?: "error" | "warning";
}

/** A lane `L` for role `R` with tool `t`, in which nothing is wrong. */
export const HARNESS = {
  "roles.yaml": "roles:\n  - { role_id: R, privileges: { lanes: [L] } }\n",
  "lanes.yaml": "lanes:\n  - lane_id: L\n    allowed_callers: { roles: [R] }\n    allowed_actions: { tools: [t] }\n",
  "tool_registry.yaml": "tools:\n  - { tool_name: t, enabled: true, implementation_status: implemented }\n",
};

export const TASK = "AGENT_TYPE: 2\nAGENT_CLASS: TASK\n";
export const persona = (subagents: string): string => `---\nsubagents: ${subagents}\n---\nAGENT_TYPE: 1\n`;
export const DROP = "subagents: { unresolved: drop }\n";
export const lane = (rest: string): Files => ({
  ...HARNESS,
  "lanes.yaml": `lanes:\n  - lane_id: L\n    allowed_callers: { roles: [R] }\n${rest}`,
});
export const tool = (rest: string): Files => ({
  ...HARNESS,
  "tool_registry.yaml": `tools:\n  - tool_name: t\n${rest}`,
});

export function pick(files: Files): Files {
  return { "tool_registry.yaml": files["tool_registry.yaml"] as string };
}

export function matrix(axes: string, allow: string): Files {
  return {
    "tests/a.yaml": `decision: lane\nmatrices:\n  - name: n\n    axes: { ${axes} }\n    allow: [ { ${allow.replace(/^\{\}$/, "")} } ]\n`,
  };
}

/** By code. */
export type Fixtures = { readonly [code: string]: Fixture | readonly Fixture[] };

/** Claims that a solver proves or refutes, and a small policy set to make them of. */

import { type OpenedPolicy, type Property, prove, type Solver } from "../../../compiler/governance/review/index.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { native } from "./solvers.ts";

const noSolver: Solver = () => Promise.reject(new Error("no solver"));
export const z3 = native ?? noSolver;

/** What comes of each claim, as YAML. */
export async function claimed(
  policy: OpenedPolicy,
  claims: readonly string[],
  solver: Solver = z3,
): Promise<readonly Property[]> {
  const text = `claims:\n${claims.map((claim) => `  - ${claim}\n`).join("")}`;
  const result = await prove(policy, { claims: new SourceFile("claims.yaml", text), removals: 0, solver });
  if (!result.ok) throw new Error(result.problem.message);
  return result.value.properties.slice(-claims.length);
}

export const verdictOf = ({ counterexamples, unknown }: Property): string =>
  counterexamples.length > 0 ? "refuted" : unknown === undefined ? "proved" : "unknown";

export const SMALL = {
  "roles.yaml": "roles: [{ role_id: WRITER }, { role_id: EDITOR }]\n",
  "lanes.yaml": `lanes:
  - { lane_id: DESK, allowed_callers: { roles: [WRITER] }, allowed_actions: { tools: [draft, erase, plan, send] } }
  - { lane_id: BACK, allowed_callers: { roles: [EDITOR] }, allowed_actions: { tools: [draft] } }
`,
  "tool_registry.yaml": `tools:
  - { tool_name: draft, enabled: true, implementation_status: implemented }
  - { tool_name: erase, enabled: false, implementation_status: implemented }
  - { tool_name: plan, enabled: true, implementation_status: planned }
  - { tool_name: send, enabled: true, implementation_status: implemented }
`,
};

/** The small set with a rule of its author's about tools. */
export const EXTENDED = (rule: string): Record<string, string> => ({
  ...SMALL,
  "ext/tool.rego": `package portcullis.ext.tool\n\n${rule}\n`,
});
export const DRAFTS = "never: { decision: tool, role: WRITER, tool: draft }";

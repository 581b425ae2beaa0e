/** Policy sets in memory, checked as `portcullis check` does. */

import { check } from "../../../compiler/governance/pipeline.ts";
import type { Diagnostic } from "../../../compiler/rego/diagnostics/diagnostic.ts";
import { type Files, virtualHost } from "../sources/virtual-host.ts";

/** A small hospital: two lanes, three tools, one of which releases a dose. */
export const HOSPITAL: Files = {
  "roles.yaml": `roles:
  - { role_id: PHYSICIAN, class: human, privileges: { lanes: [WARD, PHARMACY] } }
  - { role_id: NURSE, class: agent, privileges: { lanes: [WARD] } }
`,
  "lanes.yaml": `lanes:
  - lane_id: WARD
    allowed_callers: { roles: [PHYSICIAN, NURSE] }
    allowed_actions: { tools: [chart.read, dose.request] }
  - lane_id: PHARMACY
    allowed_callers: { roles: [PHYSICIAN] }
    allowed_actions: { tools: [dose.release, chart.read] }
`,
  "tool_registry.yaml": `tools:
  - { tool_name: chart.read, enabled: true, implementation_status: implemented, allowed_lanes: [WARD, PHARMACY] }
  - { tool_name: dose.request, enabled: true, implementation_status: implemented, allowed_lanes: [WARD] }
  - { tool_name: dose.release, enabled: true, implementation_status: implemented, allowed_lanes: [PHARMACY] }
`,
};

export async function findings(files: Files): Promise<readonly Diagnostic[]> {
  const { diagnostics } = await check({ host: virtualHost({ p: files }), dirs: ["p"] });
  // A set of a few files lacks parts; that is said of every one of them.
  return diagnostics.filter((d) => d.code !== "model/absent-part");
}

/** `code file:line:column`, with what is marked: `pipeline/unknown-input a.rego:3:7 tol`. */
export function brief({ code, span }: Diagnostic): string {
  if (span === undefined) return code;
  const { line, column } = span.file.positionAt(span.start);
  const marked = span.file.text.slice(span.start, span.end).split("\n")[0] as string;
  return `${code} ${span.file.name.replace(/^p\//, "")}:${line}:${column} ${marked}`;
}

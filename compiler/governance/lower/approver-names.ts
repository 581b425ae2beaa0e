/** Names of approvers, as people read them: each a person's to the library's `agents.rego`, and no two alike. */

import type { Diagnostic } from "@portcullis/rego/diagnostics";
import type { Model, Named } from "../model/index.ts";
import { lowerDiagnostic } from "./codes.ts";
import { readingsOf } from "./name-folds.ts";

/** `agents`: every name that is an agent's. */
export function approverNames({ approvers }: Model, agents: readonly Named[]): Diagnostic[] {
  if (approvers.size === 0) return [];
  const known = new Map<string, Named>();
  for (const agent of agents)
    for (const name of [agent.name, `AGENT_${agent.name}`, `AGENT_${agent.name}.md`])
      for (const reading of readingsOf(name) ?? []) known.set(reading, agent);
  const met = new Map<string, Named>();
  const findings: Diagnostic[] = [];
  for (const { id } of approvers.values()) {
    const readings = readingsOf(id.name) ?? [];
    const agent = readings.map((reading) => known.get(reading)).find((one) => one !== undefined);
    const other = readings.map((reading) => met.get(reading)).find((one) => one !== undefined);
    for (const reading of readings) met.set(reading, id);
    if (readings.length === 0 || readings.includes(""))
      findings.push(lowerDiagnostic("lower/approver-unreadable", { name: id.name }, id.span));
    else if (agent !== undefined) findings.push(about("lower/approver-is-agent", id, agent, "the agent is named here"));
    else if (other !== undefined) findings.push(about("lower/approvers-alike", id, other, "the other approver"));
  }
  return findings;
}

function about(
  code: "lower/approver-is-agent" | "lower/approvers-alike",
  { name, span }: Named,
  other: Named,
  message: string,
): Diagnostic {
  return lowerDiagnostic(code, { name, other: other.name }, span, { related: [{ message, span: other.span }] });
}

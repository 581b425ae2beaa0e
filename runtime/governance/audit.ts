/** One audit line and one structured record a subagent decision. */

import type { DelegationAnswer } from "./guard-turn.ts";
import type { SubagentMembers } from "./members.ts";

/** What is kept of one subagent decision: the outcome, and on an allow who was delegated to and who approved. */
export interface AuditRecord {
  readonly disposition: "ALLOW" | "DENY";
  readonly persona: string;
  readonly gate: string;
  /** Milliseconds, rounded to 3 decimals. */
  readonly evaluation_ms: number;
  /** On denial. */
  readonly reason?: string;
  /** On allow. */
  readonly delegatedSubagents?: readonly string[];
  readonly approvalRef?: string;
  readonly approvedBy?: string;
}

export function auditRecord(decision: DelegationAnswer, persona: string, milliseconds: number): AuditRecord {
  const head = { persona, gate: decision.gate, evaluation_ms: Math.round(milliseconds * 1000) / 1000 };
  if (decision.allowed !== true) return { disposition: "DENY", ...head, reason: decision.reason };
  return {
    disposition: "ALLOW",
    ...head,
    delegatedSubagents: decision.delegatedSubagents,
    ...approvalOf(decision as Partial<SubagentMembers>),
  };
}

function approvalOf({
  approvalRef,
  approvedBy,
}: Partial<SubagentMembers>): Pick<AuditRecord, "approvalRef" | "approvedBy"> {
  return {
    ...(approvalRef === undefined ? {} : { approvalRef }),
    ...(approvedBy === undefined ? {} : { approvedBy }),
  };
}

/** Free text is JSON-quoted, so that a persona or an approval cannot forge a second line. */
export function auditLine(record: AuditRecord): string {
  const parts = [
    `subagent-governance ${record.disposition}`,
    `persona=${quote(record.persona)}`,
    `gate=${record.gate}`,
    `evaluation_ms=${record.evaluation_ms.toFixed(3)}`,
  ];
  if (record.reason !== undefined) parts.push(`reason=${quote(record.reason)}`);
  if (record.delegatedSubagents !== undefined) parts.push(`delegated=${quote(record.delegatedSubagents)}`);
  if (record.approvalRef !== undefined) parts.push(`approvalRef=${quote(record.approvalRef)}`);
  if (record.approvedBy !== undefined) parts.push(`approvedBy=${quote(record.approvedBy)}`);
  return parts.join(" ");
}

/** JSON, with the separators that some log readers take for line ends escaped too. */
export function quote(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

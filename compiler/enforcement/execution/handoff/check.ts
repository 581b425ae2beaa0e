/** One record, its evidence, and the policy's decision about it. */

import { isJsonObject } from "@portcullis/documents";
import type { HandoffDecision, Policy } from "@portcullis/runtime";
import { Contents, collectEvidence } from "./evidence.ts";
import type { DeliveredRecord } from "./records.ts";

/** What the handoff decision says of one record, with the evidence from the disk. */
export interface CheckedRecord {
  readonly file: string;
  /** As the record has it; `null` when it has no text there. */
  readonly handoffId: string | null;
  readonly allowed: boolean;
  readonly gate: string;
  readonly reason: string;
  readonly violations: HandoffDecision["violations"];
  readonly problem: string | undefined;
  readonly milliseconds: number;
}

/** `root` canonical, or `undefined` for no evidence at all. `contents` is shared by the records of a run. Never throws. */
export function checkRecord(
  policy: Pick<Policy, "handoff">,
  root: string | undefined,
  delivered: DeliveredRecord,
  contents = new Contents(),
): CheckedRecord {
  const started = performance.now();
  const { file, record, problem } = delivered;
  const decision = policy.handoff({ record, artifacts: collectEvidence(root, record, contents) });
  return {
    file,
    handoffId: handoffIdOf(record),
    allowed: decision.allowed === true,
    gate: decision.gate,
    reason: decision.reason,
    // A fault's denial has none.
    violations: decision.violations ?? [],
    problem,
    milliseconds: performance.now() - started,
  };
}

function handoffIdOf(record: unknown): string | null {
  const id = isJsonObject(record) ? record["handoff_id"] : undefined;
  return typeof id === "string" ? id : null;
}

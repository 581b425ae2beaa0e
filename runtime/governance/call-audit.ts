/** One audit line and one structured record a call decision. */

import { own } from "../host/own.ts";
import { quote } from "./audit.ts";
import type { Decision } from "./decision.ts";

/** What is kept of one guarded call: who called what, the outcome and the time. It holds no arguments. */
export interface CallRecord {
  readonly disposition: "ALLOW" | "DENY";
  /** As given; empty where the context has none. */
  readonly role: string;
  readonly lane: string;
  readonly tool: string;
  readonly gate: string;
  readonly reason: string;
  /** Milliseconds, rounded to 3 decimals. */
  readonly evaluation_ms: number;
  /** The revision of the policy that decided, if it has one. */
  readonly revision?: string;
  /** Agent types from the root to the one that calls. */
  readonly lineage?: readonly string[];
  /** On allow, where an approval was given. */
  readonly approvalRef?: string;
  readonly approvedBy?: string;
  /** What the decision says beside gate and reason, on denial. */
  readonly details?: { readonly [name: string]: unknown };
}

export function callRecord(
  decision: Decision,
  request: { readonly [name: string]: unknown },
  revision: string | undefined,
  milliseconds: number,
): CallRecord {
  const { allowed, gate, reason, ...details } = decision;
  const approval = allowed === true ? request["approval"] : undefined;
  return {
    disposition: allowed === true ? "ALLOW" : "DENY",
    role: text(request["role"]) ?? "",
    lane: text(request["lane"]) ?? "",
    tool: text(request["tool"]) ?? "",
    gate,
    reason,
    evaluation_ms: Math.round(milliseconds * 1000) / 1000,
    ...present("revision", revision),
    ...present("lineage", agentTypes(request["lineage"])),
    ...present("approvalRef", text(own(approval, "ref"))),
    ...present("approvedBy", text(own(approval, "by"))),
    ...present("details", Object.keys(details).length === 0 ? undefined : details),
  };
}

/** Free text is JSON-quoted, so that an id or an approval cannot forge a second line. */
export function callLine(record: CallRecord): string {
  const { disposition, gate, evaluation_ms, ...rest } = record;
  const parts = Object.entries(rest).map(([name, value]) => `${name}=${quote(value)}`);
  const plain = /^\w+$/.test(gate) ? gate : quote(gate);
  return [`tool-call ${disposition}`, `gate=${plain}`, `evaluation_ms=${evaluation_ms.toFixed(3)}`, ...parts].join(" ");
}

function agentTypes(lineage: unknown): readonly string[] | undefined {
  return Array.isArray(lineage) ? lineage.map((agent) => text(own(agent, "agent_type")) ?? "") : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function present<Key extends string, Value>(key: Key, value: Value | undefined): { readonly [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [K in Key]?: Value });
}

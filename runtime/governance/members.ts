/**
 * What decisions say beside `allowed`, gate and reason. Which answer has which of these is read from the library's Rego, and
 * stands in `answers.ts`: an answer with a member that is not described here does not compile.
 */

import type { LaneDecision, LineageDecision } from "./decision.ts";
import type { FileOperation } from "./requests.ts";

/** Members of the tool decision. */
export interface ToolMembers {
  /** Why the lane was refused. */
  readonly lane_reason: LaneDecision["reason"];
}

/** Members of the subagent decision. */
export interface SubagentMembers<Subagent extends string = string> {
  /** Those that the persona's file lists; with or without a file of their own, as the policy says. */
  readonly allowlistedSubagents: readonly string[];
  /** Those that may be handed to the turn; empty on every denial. */
  readonly delegatedSubagents: readonly Subagent[];
  /** The approval's reference, without blanks around it. */
  readonly approvalRef: string;
  /** Who approved, where the request says it. */
  readonly approvedBy: string;
}

/** Members of the lineage decision. */
export interface LineageMembers {
  /** Places of parent and child in the chain. */
  readonly pair: readonly [number, number];
  /** The parent's agent type. */
  readonly parent: string;
  /** The child's agent type. */
  readonly child: string;
  /** The child's depth. */
  readonly depth: number;
  /** The depth that the parent's manifest allows; absent for a manifest without one. */
  readonly max: number;
  /** Place in the chain of the agent at fault. */
  readonly index: number;
}

/** One fault of a handoff record. */
export interface HandoffViolation<Gate extends string = string, Reason extends string = string> {
  /** The gate that the record fails. */
  readonly gate: Gate;
  /** Why it fails it. */
  readonly reason: Reason;
  /** A JSON Pointer into the record; empty for the record as a whole. */
  readonly path: string;
}

/** Members of the handoff decision. */
export interface HandoffMembers {
  /** All faults, in the order of the contract; the first is the decision's gate and reason. Empty on an allow. */
  readonly violations: readonly HandoffViolation[];
}

/** Members of the exec decision. */
export interface ExecMembers<Detail extends string = string> {
  /** `S`: go on. `D`: denied. */
  readonly reply: "S" | "D";
  /** Code of the reply, as protocols log it. */
  readonly code: string;
  /** What exactly is wrong, where a reason has several causes. */
  readonly detail: Detail;
}

/** Members of the close decision. */
export interface CloseMembers {
  /** `S`: reconciled. `I`: something needs a person. */
  readonly reply: "S" | "I";
  /** Code of the reply, as protocols log it. */
  readonly code: string;
  /** Whether the commit must not be made; `true` on every denial. */
  readonly commit_blocked: boolean;
  /** Changed files outside of the declared targets, sorted. */
  readonly undeclared: readonly string[];
  /** What was done and not declared, by path. */
  readonly operations: readonly { readonly path: string; readonly operation: FileOperation | null | (string & {}) }[];
}

/** Members of the call decision. */
export interface CallMembers {
  /** Why the lineage was refused. */
  readonly lineage_reason: LineageDecision["reason"];
  /** Place of the agent, of the write, or of the argument's element, at fault. */
  readonly index: number;
  /** Keys that the scope lacks, sorted. */
  readonly missing: readonly string[];
  /** Prohibited flags that were raised, sorted. */
  readonly flags: readonly string[];
  /** The argument at fault. */
  readonly argument: string;
  /** The member of the tool's `arguments` that refused it. */
  readonly rule: "one_of" | "pattern" | "max_length" | "min" | "max" | "paths" | "hosts" | "schemes" | "commands";
  /** A host may ask a person, and call again: with a name, or with an approval of this very call (`bound`). */
  readonly approval: "required" | "bound";
  /** The digest of the call, to be approved. */
  readonly call_sha256: string;
  /** The limit that is not kept. */
  readonly limit: string;
  /** Milliseconds after which there may be room again, by the time in `facts.now`. */
  readonly retry_after_ms: number;
}

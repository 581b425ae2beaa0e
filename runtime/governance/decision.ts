/**
 * Requests and decisions, as types. The one shape of every decision is `{ allowed, gate, reason, … }`: `gate` is the stable
 * id of the first gate that failed, or `ALLOW`; `reason` is a stable string. `generated/types.ts` narrows the ids of a
 * request to those of one policy set.
 */

import { DECISION_KINDS, type DecisionKind } from "../abi/decisions.ts";

export { DECISION_KINDS, type DecisionKind };

export interface Decision {
  readonly allowed: boolean;
  readonly gate: string;
  readonly reason: string;
}

export interface LaneRequest<Role extends string = string, Lane extends string = string> {
  readonly role: Role;
  readonly lane: Lane;
}

export type LaneDecision = Decision;

export interface ToolRequest<Role extends string = string, Lane extends string = string, Tool extends string = string> {
  readonly role: Role;
  readonly lane: Lane;
  readonly tool: Tool;
}

export interface ToolDecision extends Decision {
  /** Why the lane was refused; only with gate `LANE_AUTHORIZATION`. */
  readonly lane_reason?: string;
}

export interface SubagentRequest<Persona extends string = string> {
  readonly persona: Persona;
  /** `opts.subagentGovernance` exactly as the caller sent it. */
  readonly governance?: unknown;
  readonly env: { readonly CHIRALITY_ENABLE_SUBAGENTS?: unknown };
}

export interface SubagentDecision extends Decision {
  readonly allowlistedSubagents: readonly string[];
  /** Empty on every denial. */
  readonly delegatedSubagents: readonly string[];
  readonly approvalRef?: string;
  readonly approvedBy?: string;
}

export interface LineageAgent<AgentType extends string = string> {
  readonly agent_type: AgentType;
  /** Integer, 0 at the root. */
  readonly spawn_depth: number;
  readonly agent_id?: string;
}

export interface LineageRequest<AgentType extends string = string> {
  /** Root first; `null` and absent mean the same. */
  readonly lineage?: readonly LineageAgent<AgentType>[] | null;
}

export interface LineageDecision extends Decision {
  /** Indexes of parent and child, when a pair was refused. */
  readonly pair?: readonly [number, number];
  readonly parent?: string;
  readonly child?: string;
  readonly depth?: number;
  readonly max?: number;
  readonly index?: number;
}

export interface HandoffRequest {
  readonly record: unknown;
  /** Evidence about the record's artifact paths, collected by the host; a path without evidence does not exist. */
  readonly artifacts: {
    readonly [path: string]: {
      readonly exists: boolean;
      /** A regular file that could be read to its end. */
      readonly file: boolean;
      readonly contained: boolean;
      /** Where it lies, links resolved: a path from the root, with `/`. Read where the policy forbids paths to subs. */
      readonly resolved?: string;
      /** Of its bytes, in lower-case hex: what a record that names a digest is held to. */
      readonly sha256?: string;
      /** In bytes. */
      readonly size?: number;
    };
  };
}

export interface HandoffDecision extends Decision {
  readonly violations: readonly { readonly gate: string; readonly reason: string; readonly path: string }[];
}

export interface ExecRequest {
  readonly mode: string;
  readonly kind: "inline" | "script";
  readonly session: { readonly valid: boolean };
  readonly script: { readonly path: string | null; readonly sha256: string | null };
  readonly contract: null | {
    readonly contract_id: string;
    readonly status: string;
    readonly signature_valid: boolean;
    readonly expired: boolean;
    readonly mode: string;
    readonly declared_targets: readonly string[];
    readonly declared_operations: readonly string[];
  };
  readonly hat: null | {
    readonly script_sha256: string;
    readonly contract_id: string;
    readonly declared_targets: readonly string[];
    readonly mode: string;
    readonly timestamp: string;
    readonly signature_valid: boolean;
    /** A packet of version 2 names operations as well; one without a version is of the first. */
    readonly version?: number;
    readonly declared_operations?: readonly string[];
    /** Time since `timestamp` by the host's clock; needed where the policy limits a packet's life. */
    readonly age_seconds?: number;
  };
}

export interface ExecDecision extends Decision {
  readonly reply: "S" | "D";
  readonly code: string;
  readonly detail?: string;
}

/** What was done to a file: it came, its content changed, it went, it moved unchanged, its mode changed. */
export type FileOperation = "CREATE" | "WRITE" | "DELETE" | "RENAME" | "MODE";

export interface CloseRequest {
  readonly baseline_sha: string | null;
  /** `expired`: at the last commit. `"unsigned"`: nobody asked for a signature. Absent, it counts as an invalid one. */
  readonly contract?: "unsigned" | { readonly signature_valid: boolean; readonly expired: boolean };
  readonly contract_root: string;
  readonly declared_targets: readonly string[];
  readonly declared_operations?: readonly string[];
  /** A file to which several things were done stands there several times. */
  readonly changed_files:
    | null
    | readonly { readonly path: string; readonly resolved: string | null; readonly operation?: FileOperation }[];
}

export interface CloseDecision extends Decision {
  readonly reply: "S" | "I";
  readonly code: string;
  readonly commit_blocked: boolean;
  readonly undeclared?: readonly string[];
  /** What was done and not declared, by path; only with reason `undeclared_operation`. */
  readonly operations?: readonly { readonly path: string; readonly operation: string | null }[];
}

export interface CallRequest<
  Role extends string = string,
  Lane extends string = string,
  Tool extends string = string,
  AgentType extends string = string,
> extends ToolRequest<Role, Lane, Tool>,
    LineageRequest<AgentType> {
  /** The subject of the call; lanes and tools name the keys that it must have. `null` and absent mean the same, here and below. */
  readonly scope?: { readonly [key: string]: unknown } | null;
  readonly flags?: readonly string[] | null;
  readonly writes?: readonly { readonly table: string; readonly mode: string }[] | null;
  /** A person's: `by` may name no role, agent or agent type of the policy. */
  readonly approval?: { readonly ref: string; readonly by: string } | null;
  /** The tool's own arguments, for authors' rules. */
  readonly args?: unknown;
}

export interface CallDecision extends ToolDecision, Omit<LineageDecision, keyof Decision> {
  /** Why the lineage was refused; only with reason `lineage_not_permitted`. */
  readonly lineage_reason?: string;
  /** Keys that the scope lacks, sorted. */
  readonly missing?: readonly string[];
  /** Prohibited flags that were raised, sorted. */
  readonly flags?: readonly string[];
  /** Only with reason `approval_required`: a host may ask a person, and call again. */
  readonly approval?: "required";
}

/** Request and decision of every decision kind, by its name. */
export interface DecisionKinds {
  lane: { request: LaneRequest; decision: LaneDecision };
  tool: { request: ToolRequest; decision: ToolDecision };
  subagent: { request: SubagentRequest; decision: SubagentDecision };
  lineage: { request: LineageRequest; decision: LineageDecision };
  handoff: { request: HandoffRequest; decision: HandoffDecision };
  exec: { request: ExecRequest; decision: ExecDecision };
  close: { request: CloseRequest; decision: CloseDecision };
  call: { request: CallRequest; decision: CallDecision };
}

/** Whole strings: one put together for each decision would have to be hashed for each look-up. */
const ENTRYPOINTS = Object.fromEntries(DECISION_KINDS.map((kind) => [kind, `portcullis/${kind}/decision`])) as Readonly<
  Record<DecisionKind, string>
>;

/** `portcullis/tool/decision` for `tool`. */
export function entrypointOf(kind: DecisionKind): string {
  return ENTRYPOINTS[kind];
}

/**
 * Decisions, as types. Every decision is `{ allowed, gate, reason, … }`: a union of what the library can answer, which
 * narrows by `allowed`, by `gate` and by `reason`. `gate` is the stable id of the first gate that failed, or `ALLOW`. The
 * library's part of each union is in `answers.ts`, written from its Rego; authors' rules add denials of their own.
 */

import { DECISION_KINDS, type DecisionKind } from "../abi/index.ts";
import type {
  CallAllowed,
  CallDenied,
  CloseAllowed,
  CloseDenied,
  CloseDeniedMembers,
  ExecAllowed,
  ExecDenied,
  ExecDeniedMembers,
  HandoffAllowed,
  HandoffDenied,
  HandoffDeniedMembers,
  LaneAllowed,
  LaneDenied,
  LineageAllowed,
  LineageDenied,
  SubagentAllowed,
  SubagentDenied,
  SubagentDeniedMembers,
  ToolAllowed,
  ToolDenied,
} from "./answers.ts";
import type { ArgsOf, DenialOf, Id, PolicyIds, ScopeOf } from "./policy-ids.ts";
import type {
  CallRequest,
  CloseRequest,
  ExecRequest,
  HandoffRequest,
  LaneRequest,
  LineageRequest,
  SubagentRequest,
  ToolRequest,
} from "./requests.ts";

export { DECISION_KINDS, type DecisionKind };

/** No gate failed. */
export interface Allowed<Reason extends string = string> {
  /** Ask `=== true`: whatever else stands there is a denial. */
  readonly allowed: true;
  /** No gate failed. */
  readonly gate: "ALLOW";
  /** Which way it was allowed: a stable text. */
  readonly reason: Reason;
}

/** A gate failed, or the evaluation did. */
export interface Denied<Gate extends string = string, Reason extends string = string> {
  /** Nothing of what was asked may happen. */
  readonly allowed: false;
  /** The first gate that failed: a stable id. */
  readonly gate: Gate;
  /** Why it failed: a stable text. */
  readonly reason: Reason;
}

/** What every decision has. */
export type Decision = Allowed | Denied;

/**
 * A gate or a reason of an author's rule, where the policy set is not known. It is a text, and no literal can be compared
 * with it, since TypeScript compares members of an enumeration with nothing else: a misspelt gate does not compile.
 * `load<typeof ids>` puts the policy set's own literals in its place. A type alone: there is no such object.
 */
export declare enum AuthoredText {
  /** Stands for any. */
  text = "a text of the authors",
}

/** A denial by a rule of the policy's authors. */
export type AuthoredDenial = Denied<AuthoredText, AuthoredText>;

/** The answer to a lane request. `Own`: denials of the authors' rules, as in every decision. */
export type LaneDecision<Own extends Denied = AuthoredDenial> = LaneAllowed | LaneDenied | Own;

/** The answer to a tool request. */
export type ToolDecision<Own extends Denied = AuthoredDenial> = ToolAllowed | ToolDenied | Own;

/** The answer to a subagent request. */
export type SubagentDecision<Own extends Denied = AuthoredDenial, Subagent extends string = string> =
  | SubagentAllowed<Subagent>
  | SubagentDenied<Subagent>
  | (Own & SubagentDeniedMembers<Subagent>);

/** The answer to a lineage request. */
export type LineageDecision<Own extends Denied = AuthoredDenial> = LineageAllowed | LineageDenied | Own;

/** The answer to a handoff request. */
export type HandoffDecision<Own extends Denied = AuthoredDenial> =
  | HandoffAllowed
  | HandoffDenied
  | (Own & HandoffDeniedMembers);

/** The answer to an exec request. */
export type ExecDecision<Own extends Denied = AuthoredDenial> = ExecAllowed | ExecDenied | (Own & ExecDeniedMembers);

/** The answer to a close request. */
export type CloseDecision<Own extends Denied = AuthoredDenial> =
  | CloseAllowed
  | CloseDenied
  | (Own & CloseDeniedMembers);

/** The answer to a call request. `Own`: of the authors' rules for calls and for tools. */
export type CallDecision<Own extends Denied = AuthoredDenial> = CallAllowed | CallDenied | Own;

/** Request and decision of every decision kind, by its name; of one policy set, where `Ids` is the `typeof ids` of its types. */
export interface DecisionKinds<Ids extends PolicyIds = PolicyIds> {
  /** May this role work in this lane? */
  lane: { request: LaneRequest<Id<Ids, "roles">, Id<Ids, "lanes">>; decision: LaneDecision<DenialOf<Ids, "lane">> };
  /** May this role use this tool in this lane? */
  tool: {
    request: ToolRequest<Id<Ids, "roles">, Id<Ids, "lanes">, Id<Ids, "tools">, ScopeOf<Ids>, ArgsOf<Ids>>;
    decision: ToolDecision<DenialOf<Ids, "tool">>;
  };
  /** May this persona's turn be handed subagents, and which? */
  subagent: {
    request: SubagentRequest<Id<Ids, "personas">>;
    decision: SubagentDecision<DenialOf<Ids, "subagent">, Id<Ids, "subagents">>;
  };
  /** Did every agent of the chain have the permission to spawn the next one? */
  lineage: { request: LineageRequest<Id<Ids, "agentTypes">>; decision: LineageDecision<DenialOf<Ids, "lineage">> };
  /** Is this record of a handoff a valid delivery? */
  handoff: { request: HandoffRequest; decision: HandoffDecision<DenialOf<Ids, "handoff">> };
  /** May this code run? */
  exec: { request: ExecRequest<Id<Ids, "modes">>; decision: ExecDecision<DenialOf<Ids, "exec">> };
  /** Does what changed lie inside what was declared? */
  close: { request: CloseRequest; decision: CloseDecision<DenialOf<Ids, "close">> };
  /** May this tool be called now, by this chain of agents? */
  call: {
    request: CallRequest<
      Id<Ids, "roles">,
      Id<Ids, "lanes">,
      Id<Ids, "tools">,
      Id<Ids, "agentTypes">,
      ScopeOf<Ids>,
      ArgsOf<Ids>
    >;
    decision: CallDecision<DenialOf<Ids, "call" | "tool">>;
  };
}

/** Whole strings: one put together for each decision would have to be hashed for each look-up. */
const ENTRYPOINTS = Object.fromEntries(DECISION_KINDS.map((kind) => [kind, `portcullis/${kind}/decision`])) as Readonly<
  Record<DecisionKind, string>
>;

/** `portcullis/tool/decision` for `tool`. */
export function entrypointOf(kind: DecisionKind): string {
  return ENTRYPOINTS[kind];
}

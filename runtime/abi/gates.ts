/** What is known of a gate of the library: `runtime/governance/gates.ts` has them all, written from the METADATA of the library's Rego. */

/**
 * What a gate's answer depends on. `data`: the policy's data alone, for the ids that a request names - role, lane, tool, persona,
 * agents of the chain - so that it is the same for every request with these ids. `request`: on what one request says besides.
 * `facts`: on what the host found out: a signature, the age of a packet, what lies on the disk.
 */
export type GateDepends = "data" | "request" | "facts";

/** All of them. */
export const GATE_DEPENDS: readonly GateDepends[] = ["data", "request", "facts"];

/** What some gates judge, of which hosts and reviews have to know. */
export type GateJudges = "contract" | "approval" | "history";

/** All of them. */
export const GATE_JUDGES: readonly GateJudges[] = ["contract", "approval", "history"];

/** A gate of a decision of the library. */
export interface GateDescription {
  /** Its stable id, as `gate` of a denial. */
  readonly gate: string;
  /** What holds where it passes, in words. */
  readonly rule: string;
  /** What its answer depends on. */
  readonly depends: GateDepends;
  /**
   * `contract`: of what it reads, a contract declares what can make it deny, so that such a contract is not signed. `approval`: who
   * has approved the call. `history`: what came before it.
   */
  readonly judges?: GateJudges;
  /**
   * By the `reason` of a denial, a sentence without a period. `{name}` stands for a member of the answer, or of the request; `…` in
   * a reason for a text of the request.
   */
  readonly says: { readonly [reason: string]: string };
}

/**
 * What can go wrong, kept apart: a LoadError says that a policy was refused before it could decide anything; a Fault says
 * that an evaluation failed, and is a value, because deciding never throws.
 */

export type LoadErrorCode =
  | "not-a-policy"
  | "bundle-corrupt"
  | "bundle-too-large"
  | "bundle-incomplete"
  | "bundle-mismatch"
  | "module-invalid"
  | "module-tampered"
  | "abi-mismatch"
  | "missing-builtin"
  | "memory-limit"
  | "signature-missing"
  | "signature-invalid"
  | "revision-rolled-back";

/** Thrown by `load` alone. `message` names the fault of the bytes; nothing was loaded. */
export class LoadError extends Error {
  override readonly name = "LoadError";
  readonly code: LoadErrorCode;

  constructor(code: LoadErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Why an evaluation failed. Each is answered with the entrypoint's denial. */
export type FaultCode =
  /** The policy contradicts itself on this input (two values for one document). */
  | "conflict"
  /** The step budget or the recursion limit was used up. */
  | "budget"
  /** The memory ceiling was reached. */
  | "memory"
  /** The input cannot be a policy value: a cycle, a function, half of a surrogate pair in a key, nesting beyond the limit. */
  | "input"
  /** The module or the host failed: a trap, a broken result. */
  | "internal"
  /** The entrypoint does not exist in this policy. */
  | "entrypoint"
  /** The policy denies, because its source has not been heard of for too long (`follow` with `stale: "deny"`). */
  | "stale"
  /** The decision could not be recorded, and the policy was loaded with `unrecorded: "deny"`. */
  | "unrecorded";

/**
 * An evaluation that failed, as `Policy.lastFault` keeps it. Deciding never throws: this is where the reason is found.
 */
export interface Fault {
  readonly code: FaultCode;
  readonly message: string;
}

/** The result of a function that can fail for a reason that concerns its caller: a value or a problem, never an exception. */

export interface Problem<Code extends string = string> {
  /** Names the reason, in kebab-case; stable. */
  readonly code: Code;
  /** Lower case, no final period, the caller's own words in backticks. */
  readonly message: string;
  /** The next step. */
  readonly help?: string;
}

/** A value, or the problem that stands in its way. Functions that return one do not throw for the reasons that `Code` names. */
export type Result<T, Code extends string = string> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: Problem<Code> };

export function success<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

export function failure<Code extends string>(
  code: Code,
  message: string,
  help?: string,
): { readonly ok: false; readonly problem: Problem<Code> } {
  return { ok: false, problem: help === undefined ? { code, message } : { code, message, help } };
}

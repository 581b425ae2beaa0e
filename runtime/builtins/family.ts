/** How a family of builtins is written down: typed operands, and what a failure is to a rule. */

import type { BuiltinFamily, BuiltinTable, EvaluationSources, HostBuiltin, JsonLike } from "@portcullis/runtime/host";

/**
 * Thrown inside a builtin where OPA would raise a builtin error. It never leaves a builtin: `total` makes it undefined,
 * which is what a builtin error is to a rule.
 */
export class BuiltinError extends Error {
  override readonly name = "BuiltinError";
}

export function fail(reason: string): never {
  throw new BuiltinError(reason);
}

/** Thrown where OPA has a value and we have none. It ends the evaluation: were it undefined, `not` would make an answer of it. */
class BeyondLimits extends Error {
  override readonly name = "BeyondLimits";
}

export function giveUp(reason: string): never {
  throw new BeyondLimits(reason);
}

/** The value; throws a builtin error for `undefined`. */
export function need<T>(value: T | undefined, reason: string): T {
  return value === undefined ? fail(reason) : value;
}

/** A builtin whose failures, foreseen or not, are undefined. */
export function total(builtin: HostBuiltin): HostBuiltin {
  const call: HostBuiltin = (args) => {
    try {
      return builtin(args);
    } catch (error) {
      if (error instanceof BeyondLimits) throw error;
      return undefined;
    }
  };
  return Object.assign(call, { sample: builtin.sample });
}

/** A family whose builtins are all total. `make` leaves out builtins whose sources are missing. */
export function family(make: (sources: EvaluationSources) => BuiltinTable): BuiltinFamily {
  return (sources) =>
    Object.fromEntries(Object.entries(make(sources)).map(([name, builtin]) => [name, total(builtin)]));
}

export function text(args: readonly JsonLike[], position: number): string {
  const value = args[position];
  return typeof value === "string" ? value : fail(`operand ${position + 1} must be a string`);
}

/** Passes over the IR, in order. Each is a function of its own in a file of its own; the result of each is valid IR. */

import type { Value } from "../base/value.ts";
import type { Policy } from "../plan/ir.ts";

export interface OptimizeOptions {
  /** The data of the bundle: an object. References to what is in it are constants. */
  readonly data: Value;
}

export interface Pass {
  readonly name: string;
  readonly run: (policy: Policy, options: OptimizeOptions) => Policy;
}

export const passes: readonly Pass[] = [];

export function optimize(policy: Policy, options: OptimizeOptions): Policy {
  return passes.reduce((p, pass) => pass.run(p, options), policy);
}

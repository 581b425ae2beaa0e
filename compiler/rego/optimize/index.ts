/** The optimiser: an ordered list of passes from policy to policy. INVARIANT: no pass changes an answer of an entrypoint. */

import type { Policy } from "../plan/index.ts";
import type { Value } from "../value/index.ts";
import { boundScans } from "./bounded-scans.ts";
import { eliminateCommonSubexpressions } from "./common-subexpressions.ts";
import { evaluateConstantRules } from "./constant-evaluation.ts";
import { foldConstantSwitches } from "./constant-switches.ts";
import { eliminateDeadCode } from "./dead-code.ts";
import { addDecideFunctions } from "./decide-functions.ts";
import type { BuiltinCall } from "./evaluator.ts";
import { findFirstElements } from "./first-elements.ts";
import { foldConstants } from "./fold-constants.ts";
import { foldData } from "./fold-data.ts";
import { inlineCalls } from "./inline-calls.ts";
import { chooseKeyedCalls } from "./keyed-calls.ts";
import { hoistInvariants } from "./loop-invariants.ts";
import { outlineRuns } from "./outline.ts";
import { unlessHuge } from "./unless-huge.ts";
import { unrollScans } from "./unroll-scans.ts";

export { type BuiltinCall, type Documents, Evaluator } from "./evaluator.ts";
export { foldData };

export interface OptimizeOptions {
  /** The bundle's own data, an object: the values of its top-level keys are constant, whatever data the host supplies. */
  readonly data: Value;
  /** How builtins are called with constants; without it no rule is evaluated while compiling. */
  readonly callBuiltin?: BuiltinCall;
}

export type Pass = (policy: Policy, options: OptimizeOptions) => Policy;

export const PASSES: readonly (readonly [name: string, pass: Pass])[] = [
  ["fold-data", (policy, { data }) => foldData(policy, data)],
  ["fold-constants", foldConstants],
  ["constant-evaluation", (policy, { callBuiltin }) => evaluateConstantRules(policy, callBuiltin)],
  ["keyed-calls", chooseKeyedCalls],
  ["common-calls", unlessHuge(eliminateCommonSubexpressions)],
  ["inline-calls", inlineCalls],
  ["unroll-scans", unrollScans],
  ["fold-unrolled", foldConstants],
  ["outline", outlineRuns],
  ["loop-invariants", hoistInvariants],
  ["common-subexpressions", unlessHuge(eliminateCommonSubexpressions)],
  ["dead-code", eliminateDeadCode],
  ["constant-switches", foldConstantSwitches],
  ["bounded-scans", boundScans],
  ["first-elements", findFirstElements],
  ["decide-functions", addDecideFunctions],
];

export function optimize(policy: Policy, options: OptimizeOptions): Policy {
  return PASSES.reduce((current, [, pass]) => pass(current, options), policy);
}
export { calleesFirst } from "./call-order.ts";
export { foldableLocals } from "./collections.ts";
export { constantOf } from "./constants.ts";
export { decideName } from "./decide-functions.ts";
export type { Footprint } from "./footprint.ts";
export { footprintOf } from "./footprint-of.ts";
export { type Ask, BUILTIN_LIMITS, NotKnown, PlannedAnswers } from "./planned-answers.ts";

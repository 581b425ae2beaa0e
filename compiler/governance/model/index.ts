/** The model stage: `buildModel`, `checkModel`, decision tests, and the types of the model. */

export type { Adapters, EnvoyAdapter, MappedCall, Route, ScopeSource } from "./adapters.ts";
export type {
  Argument,
  ArgumentApproval,
  ArgumentRule,
  ArgumentType,
  Limit,
  Members,
  PathRule,
  ToolArguments,
} from "./arguments.ts";
export { type BuildResult, buildModel } from "./build.ts";
export { endOfDay } from "./build-approvers.ts";
export { merged } from "./build-arguments.ts";
export { checkModel } from "./check.ts";
export { modelCodes } from "./codes.ts";
export { type CommandPattern, type PatternWord, parseCommandPattern } from "./command-pattern.ts";
export { resolveAllowlist } from "./delegates.ts";
export type { HostEntry } from "./host-entry.ts";
export { type CallLimit, WEEKDAYS, windowOf } from "./limits.ts";
export * from "./model.ts";
export type { Offered, Offers } from "./offers.ts";
export type { PublicKey } from "./public-key.ts";
export type { ModelOf } from "./read-fields.ts";
export {
  DEFAULT_REASON,
  isGateName,
  type RequiredGates,
  type RequiringRule,
  requiredGates,
  requiringRules,
} from "./required-gates.ts";
export { buildTests, type DecisionTest, type TestsResult } from "./tests.ts";
export { vocabulariesOf } from "./vocabularies.ts";
export { ZONES_SINCE, type ZoneOffset, zoneOffsets } from "./zones.ts";

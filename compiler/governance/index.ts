/** ROOM */

export {
  type CheckResult,
  type Compiled,
  type CompileOptions,
  type CompileResult,
  check,
  compile,
  compileSet,
} from "./pipeline.ts";
export { knownFacts, readPolicySet } from "./policy-set.ts";
export { compileSetQuery, type SetQueryOptions } from "./query.ts";
export { generateTypes, type PolicyNames } from "./types.ts";

/**
 * The stages in their order, one call each: module texts to a checked policy, to a plan, to a WebAssembly module.
 *
 * INVARIANT: a fault of a source is a diagnostic, never an exception. Knows nothing of files, hosts or governance.
 */

export { analyzeModules, type ModuleSources, nondeterministicBuiltins } from "./analyze-modules.ts";
export {
  type CompiledModules,
  compileModules,
  emitPlanned,
  type ModulesInput,
  type ModulesResult,
  type PlannedModules,
  planModules,
} from "./compile-modules.ts";
export { type CompiledQuery, compileQuery, type QueryInput, type QueryModule } from "./compile-query.ts";
export { EMIT_NAMES, type EmitName, type EmittedText } from "./emitted.ts";

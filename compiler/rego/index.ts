/** ROOM */

export { analyzeModules, type ModuleSources } from "./analyze-modules.ts";
export {
  type CompiledModules,
  compileModules,
  emitPlanned,
  type ModulesInput,
  type ModulesResult,
  type PlannedModules,
  planModules,
} from "./compile-modules.ts";
export { EMIT_NAMES, type EmitName, type EmittedText } from "./emitted.ts";

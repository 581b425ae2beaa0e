/**
 * `@portcullis/runtime`: loads a policy and decides. No dependencies; runs where WebAssembly does (Node 20+, Bun, Deno,
 * Workers, browsers). Read `load.ts` first, then `policy.ts`.
 */

export { Interned, type WithHandles } from "./encode/interned.ts";
export { type Fault, type FaultCode, LoadError, type LoadErrorCode } from "./errors.ts";
export type { Limits } from "./evaluate/instance.ts";
export type { AuditRecord } from "./governance/audit.ts";
export { auditLine } from "./governance/audit.ts";
export { type CallRecord, callLine } from "./governance/call-audit.ts";
export * from "./governance/decision.ts";
export {
  type CallContext,
  type CallDecider,
  type GuardedTool,
  type GuardedTools,
  guardTool,
  guardTools,
  type Tool,
  type ToolDenial,
  type ToolGuardOptions,
  type ToolOutcome,
  type ToolRun,
  type Tools,
} from "./governance/guard-tool.ts";
export {
  type GuardedResult,
  type GuardedSubagents,
  type GuardedTurn,
  type GuardOptions,
  guardTurn,
  type SubagentDecider,
} from "./governance/guard-turn.ts";
export type { Replaceable } from "./governance/guarding.ts";
export * from "./governance/harness/index.ts";
export type { BuiltinFamily, BuiltinTable, EvaluationSources, HostBuiltin, HostSources } from "./host/builtin.ts";
export { HostNumber, type JsonArray, type JsonLike, type JsonObject, type JsonSet } from "./host/value.ts";
export { type BundleDescription, describeBundle } from "./load/describe.ts";
export { type LoadOptions, load } from "./load/load.ts";
export type { PolicySource } from "./load/source.ts";
export { readBundle } from "./load/tar.ts";
export { ReloadablePolicy, type ReloadResult } from "./operate/reload.ts";
export type { Declared, WasmModule } from "./platform.ts";
export { type Evaluator, Policy, type PolicyFacts, type PolicyVersions } from "./policy.ts";

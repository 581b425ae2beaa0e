/**
 * `@portcullis/runtime`: loads a policy and decides. No dependencies; runs where WebAssembly does (Node 20+, Bun, Deno,
 * Workers, browsers). Read `load.ts` first, then `policy.ts`.
 */

export type { AuditRecord } from "./audit.ts";
export { auditLine } from "./audit.ts";
export type { HostBuiltin, JsonLike } from "./builtins/index.ts";
export * from "./decision.ts";
export { type BundleDescription, describeBundle } from "./describe.ts";
export { type Fault, type FaultCode, LoadError, type LoadErrorCode } from "./errors.ts";
export {
  type GuardedResult,
  type GuardedTurn,
  type GuardOptions,
  guardTurn,
  type SubagentDecider,
} from "./guard-turn.ts";
export * from "./harness/index.ts";
export type { Limits } from "./instance.ts";
export { Interned, type WithHandles } from "./interned.ts";
export { type LoadOptions, load } from "./load.ts";
export { Policy } from "./policy.ts";
export { ReloadablePolicy, type ReloadResult } from "./reload.ts";
export type { PolicySource } from "./source.ts";
export { readBundle } from "./tar.ts";

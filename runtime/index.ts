/**
 * `@portcullis/runtime`: loads a policy and decides. No dependencies; runs where WebAssembly does (Node 20+, Bun, Deno,
 * Workers, browsers). Read `load.ts` first, then `policy.ts`.
 */

export type { ApproverKey, GateDepends, GateDescription, GateJudges, PolicyApprovals } from "./abi/index.ts";
export { Interned, type WithHandles } from "./encode/interned.ts";
export { type Fault, type FaultCode, LoadError, type LoadErrorCode } from "./errors.ts";
export type { Limits } from "./evaluate/instance.ts";
export {
  APPROVAL_TYPE,
  type ApprovalNonce,
  type ApprovalSource,
  approvalBytes,
  type CallFacts,
  callDigest,
  callFacts,
  type FactHost,
  type FactPolicy,
  type FoundApproval,
  findApproval,
  historyKey,
  LONGEST_NAME,
  lookAlike,
  lookAlikeAmong,
  NotCanonical,
  type PathArguments,
  type PathFacts,
  type PathResolver,
  type ResolvedPath,
  type SignatureFacts,
} from "./facts/index.ts";
export type {
  CallAllowed,
  CallDenied,
  CloseAllowed,
  CloseDenied,
  CloseDeniedMembers,
  ExecAllowed,
  ExecDenied,
  ExecDeniedMembers,
  HandoffAllowed,
  HandoffDenied,
  HandoffDeniedMembers,
  LaneAllowed,
  LaneDenied,
  LineageAllowed,
  LineageDenied,
  SubagentAllowed,
  SubagentDenied,
  SubagentDeniedMembers,
  ToolAllowed,
  ToolDenied,
} from "./governance/answers.ts";
export { FAULTS } from "./governance/answers.ts";
export type { AuditRecord } from "./governance/audit.ts";
export { auditLine } from "./governance/audit.ts";
export { type CallRecord, callLine } from "./governance/call-audit.ts";
export type * from "./governance/decision.ts";
export { DECISION_KINDS, entrypointOf } from "./governance/decision.ts";
export { denialSentence, denialText } from "./governance/denial-sentence.ts";
export { GATES } from "./governance/gates.ts";
export {
  type AnyCall,
  type CallContext,
  type CallDecider,
  type CallFault,
  type GuardedTool,
  type GuardedTools,
  guardTool,
  guardTools,
  type KnownTools,
  type Tool,
  type ToolDenial,
  type ToolGuardOptions,
  type ToolOutcome,
  type ToolRun,
  type Tools,
} from "./governance/guard-tool.ts";
export {
  type DelegationAnswer,
  type DelegationFault,
  type GuardedResult,
  type GuardedSubagents,
  type GuardedTurn,
  type GuardOptions,
  guardTurn,
  type SubagentDecider,
} from "./governance/guard-turn.ts";
export type { Replaceable } from "./governance/guarding.ts";
export * from "./governance/harness/index.ts";
export { isCall } from "./governance/is-call.ts";
export type * from "./governance/members.ts";
export { overruled } from "./governance/overruled.ts";
export type {
  AdapterPath,
  ArgsOf,
  DecisionOf,
  DecisionPath,
  DeclaredDenial,
  DenialOf,
  EntrypointInput,
  EntrypointPath,
  EntrypointValue,
  Id,
  IdList,
  Known,
  KnownAs,
  PolicyIds,
  RequestOf,
  ScopeOf,
} from "./governance/policy-ids.ts";
export type * from "./governance/requests.ts";
export type { FoundId, SearchedKind, SearchedMember, SearchRequest } from "./governance/search.ts";
export {
  chainWith,
  type Delegation,
  decideSpawn,
  type SpawnAnswer,
  type SpawnDecider,
  type SpawnRequest,
} from "./governance/spawn.ts";
export type { ClearedHistory, HistoryEntry, KeptHistory } from "./history/kept-history.ts";
export { type MemoryHistoryOptions, memoryHistory } from "./history/memory-history.ts";
export type { IdSet, PolicyLimit, PolicyLimits } from "./history/policy-limits.ts";
export type * from "./history/store.ts";
export type {
  Answers,
  BuiltinFamily,
  BuiltinTable,
  EvaluationSources,
  HostBuiltin,
  HostSources,
  PlainBuiltin,
  PlainBuiltins,
} from "./host/builtin.ts";
export type { PlainValue } from "./host/plain-value.ts";
export { HostNumber, type JsonArray, type JsonLike, type JsonObject, type JsonSet } from "./host/value.ts";
export { strictJson } from "./json/strict-json.ts";
export { type BundleDescription, describeBundle, type Fit } from "./load/describe.ts";
export type { BundleLimits } from "./load/limits.ts";
export { type LoadOptions, load } from "./load/load.ts";
export type { BundleManifest } from "./load/manifest.ts";
export { shareable } from "./load/shareable.ts";
export type { PolicySource, SourceOptions } from "./load/source.ts";
export { readBundle } from "./load/tar.ts";
export type { DecisionEvent, DecisionFacts } from "./observe/decision-event.ts";
export type { DecisionEvents, DecisionListener, ObserveOptions, Overruling } from "./observe/observe.ts";
export type { ShadowAnswer, ShadowCounts, ShadowPolicy } from "./observe/shadow.ts";
export {
  type AuditLedger,
  type AuditLedgerOptions,
  type AuditLedgerStatus,
  auditLedger,
} from "./operate/audit-ledger.ts";
export {
  type BundleSource,
  type BundleStore,
  type FetchedBundle,
  SourceError,
  type SourceErrorCode,
} from "./operate/bundle-source.ts";
export type { DecisionLabels } from "./operate/decision-labels.ts";
export {
  type DecisionLog,
  type DecisionLogOptions,
  type DecisionLogStatus,
  decisionLog,
} from "./operate/decision-log.ts";
export { eventText } from "./operate/event-text.ts";
export type { FollowStatus } from "./operate/follower.ts";
export { type HttpHeaders, type HttpRequest, type HttpSourceOptions, httpSource } from "./operate/http-source.ts";
export type { CryptoKeyLike, LedgerKey } from "./operate/ledger-signer.ts";
export { type LoggedDecision, loggedDecisions, type UnaskableDecision } from "./operate/logged-decision.ts";
export type { MaskRule } from "./operate/mask.ts";
export {
  type Counts,
  type DecisionCount,
  type DurationHistogram,
  type Metrics,
  type MetricsSnapshot,
  metrics,
} from "./operate/metrics.ts";
export { type OpenTelemetryApi, openTelemetry, type TelemetryAttributes } from "./operate/open-telemetry.ts";
export { BatchRefused, type OutboxOptions, type OutboxStatus } from "./operate/outbox.ts";
export { type FollowOptions, ReloadablePolicy, type ReloadOptions, type ReloadResult } from "./operate/reload.ts";
export {
  type BatchFacts,
  type EventSink,
  type HttpSinkOptions,
  httpSink,
  type NodeWritable,
  streamSink,
  type WebWritable,
} from "./operate/sinks.ts";
export {
  type LedgerChecks,
  type LedgerDecider,
  type LedgerProblem,
  type LedgerVerification,
  verifyLedger,
} from "./operate/verify-ledger.ts";
export type { Wake, WakeEnd } from "./operate/wake.ts";
export type { Declared, PlatformAbortSignal, PlatformFetch, WasmModule } from "./platform.ts";
export { type Evaluator, Policy, type PolicyFacts, type PolicyVersions } from "./policy.ts";
export type { JsonWebKeyLike, SignatureAlgorithm, Verification, VerificationKey } from "./trust/verification.ts";

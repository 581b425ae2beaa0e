/**
 * `@portcullis/compiler`: compile policy sets and Rego modules, review, test and sign compiled policies, and collect the facts
 * for their decisions on scripts and handoffs. Nothing else is public. Files are read through a `Host`:
 * `@portcullis/compiler/node` has that of Node.
 *
 * Faults of sources are diagnostics; any other failure that concerns the caller is a `Result` with its problem.
 */

export type {
  CheckedPolicy,
  CheckedQuery,
  PlacedAnnotation,
  RuleDefinition,
  RuleGraph,
  RuleGroup,
  RuleKind,
  Schemas,
} from "./analyze/index.ts";
export type { ModuleSources } from "./analyze-modules.ts";
export type { Brand } from "./base/brand.ts";
export type { CodeEntry, OpaCode, Severity } from "./base/codes.ts";
export { type Diagnostic, hasErrors, sortDiagnostics } from "./base/diagnostic.ts";
export type { Host } from "./base/host.ts";
export type { JsonObject } from "./base/json-object.ts";
export type { Problem, Result } from "./base/result.ts";
export { type Position, type RegoVersion, SourceFile } from "./base/source-file.ts";
export type { Span } from "./base/span.ts";
export type { Value } from "./base/value.ts";
export { BUNDLE_TARGETS, type BundleFile, type BundleTarget, packBundle } from "./bundle/index.ts";
export {
  type CompiledModules,
  compileModules,
  type ModulesInput,
  type ModulesResult,
} from "./compile-modules.ts";
export {
  type CompiledTests,
  type CompileTestsOptions,
  type CompileTestsResult,
  type CoveringModule,
  compileTests,
  type HandoffSample,
} from "./compile-tests.ts";
export type { EmitName, EmittedText } from "./emitted.ts";
export {
  type CheckedRecord,
  type CheckedSample,
  type CloseFacts,
  type ContractFile,
  checkRecord,
  closeFacts,
  type DeliveredRecord,
  type ExecFacts,
  type ExecSituation,
  execFacts,
  type HatPacket,
  type PacketOptions,
  type PayloadVersion,
  parseContract,
  parseRecord,
  realPath,
  type SessionSecret,
  type Signatory,
  type SignContractProblem,
  type SignedScript,
  type SigningOptions,
  type SignScriptProblem,
  selfTest,
  sessionSecret,
  signContract,
  signScript,
} from "./execution/index.ts";
export { allCodes } from "./findings/index.ts";
export type { DecisionTest } from "./model/index.ts";
export {
  type CheckResult,
  type Compiled,
  type CompileOptions,
  type CompileResult,
  check,
  compile,
} from "./pipeline.ts";
export type { TestRule } from "./policy/index.ts";
/** The nodes of a module's syntax tree, in OPA's words: `ast.Rule`, `ast.Term`. */
export type * as ast from "./rego/ast.ts";
export type { Module } from "./rego/ast.ts";
export type { BuiltinParameter, BuiltinType, Declaration } from "./rego/builtin-types.ts";
export type { Builtin, Builtins } from "./rego/builtins.ts";
export {
  CapabilitiesError,
  type FormattedModule,
  formatModule as format,
  type Language,
  type LanguageImports,
  readCapabilities,
  readLanguage,
} from "./rego/index.ts";
export {
  type Answer,
  type Change,
  type ChangeKind,
  type ContentChange,
  type Counterexample,
  type Decider,
  type DiffOptions,
  diffPolicies,
  type ExplainInput,
  type ExplainProblem,
  type ExplainRequest,
  type Explanation,
  explain,
  type FoundChange,
  type OpenedPolicy,
  openBundle,
  type Path,
  type Place,
  type Places,
  type PolicyDiff,
  type PolicyLoader,
  type Proof,
  type Property,
  type ProveOptions,
  type ProveProblem,
  prepareExplain,
  prove,
  type Read,
  type RegoProblem,
  type Remedies,
  type Remedy,
  type RemedyChange,
  type Space,
  type SpaceName,
  type Step,
  type StepStatus,
  type Told,
  type Unseen,
  type Watch,
} from "./review/index.ts";
export {
  ALGORITHMS,
  type Algorithm,
  type Key,
  type KeyOptions,
  type KeyProblem,
  type SignOptions,
  signFiles,
  signingKey,
  type VerifyOptions,
  verificationKey,
  verifyFiles,
} from "./signing/index.ts";
export {
  type Coverage,
  type FileCoverage,
  type Outcome,
  runTests,
  type TestCase,
  type TestOptions,
  type TestReport,
  type TestResult,
} from "./testing/index.ts";

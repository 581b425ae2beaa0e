/**
 * `@portcullis/compiler`: compile policy sets and Rego modules, review, test and sign compiled policies, and collect the facts
 * for their decisions on scripts and handoffs. Nothing else is public. Files are read through a `Host`:
 * `@portcullis/compiler/node` has that of Node.
 *
 * Faults of sources are diagnostics; any other failure that concerns the caller is a `Result` with its problem.
 */

export type { Host } from "@portcullis/documents";
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
} from "@portcullis/enforcement/execution";
export {
  type CheckResult,
  type Compiled,
  type CompileOptions,
  type CompileResult,
  check,
  compile,
} from "@portcullis/governance";
export { allCodes } from "@portcullis/governance/checks";
export type { DecisionTest } from "@portcullis/governance/model";
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
} from "@portcullis/governance/review";
export {
  type CompiledTests,
  type CompileTestsOptions,
  type CompileTestsResult,
  type Coverage,
  type CoveringModule,
  compileTests,
  type FileCoverage,
  type HandoffSample,
  runTests,
  type TestOptions,
  type TestReport,
  type TestResult,
} from "@portcullis/governance/testing";
/** `ast`: the nodes of a module's syntax tree, in OPA's words: `ast.Rule`, `ast.Term`. */
export type { ast } from "@portcullis/rego";
export type {
  CheckedPolicy,
  CheckedQuery,
  PlacedAnnotation,
  RuleDefinition,
  RuleGraph,
  RuleGroup,
  RuleKind,
  Schemas,
  TestRule,
} from "@portcullis/rego/analyze";
export { BUNDLE_TARGETS, type BundleFile, type BundleTarget, packBundle } from "@portcullis/rego/bundle";
export {
  type Brand,
  type CodeEntry,
  type Diagnostic,
  hasErrors,
  type OpaCode,
  type Position,
  type Problem,
  type RegoVersion,
  type Result,
  type Severity,
  SourceFile,
  type Span,
  sortDiagnostics,
} from "@portcullis/rego/diagnostics";
export {
  type CompiledModules,
  compileModules,
  type EmitName,
  type EmittedText,
  type ModuleSources,
  type ModulesInput,
  type ModulesResult,
} from "@portcullis/rego/pipeline";
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
} from "@portcullis/rego/signing";
export {
  type Builtin,
  type BuiltinParameter,
  type Builtins,
  type BuiltinType,
  CapabilitiesError,
  type Declaration,
  type FormattedModule,
  formatModule as format,
  type Language,
  type LanguageImports,
  type Module,
  readCapabilities,
  readLanguage,
} from "@portcullis/rego/syntax";
export type { Outcome, TestCase, TestResult as RuleTestResult } from "@portcullis/rego/testing";
export type { JsonObject, Value } from "@portcullis/rego/value";

/**
 * `@portcullis/rego`: compile, check, format, test and parse Rego, over texts. No file is read and nothing is printed.
 *
 * A fault of a source is a diagnostic with its place, never an exception. The package's other entry points are its rooms, for
 * @portcullis/compiler: they promise nothing.
 */

export { type CheckOptions, type CheckResult, check } from "./check.ts";
export { type Compiled, type CompileOptions, type CompileResult, compile } from "./compile.ts";
export {
  type CauseRule,
  type Diagnostic,
  type DiagnosticPaint,
  diagnosticText,
  type Edit,
  type Fix,
  hasErrors,
  type OpaCode,
  type Position,
  type RegoVersion,
  type Severity,
  SourceFile,
  type Span,
} from "./diagnostics/index.ts";
export { type FormatResult, format, type ParseResult, parse } from "./parse.ts";
export { type QueryOptions, type QueryResult, type QuerySolution, query } from "./query.ts";
export type { Sources } from "./sources.ts";
/** The nodes of a module's syntax tree, in OPA's words: `ast.Rule`, `ast.Term`. */
export type * as ast from "./syntax/index.ts";
export { CapabilitiesError, type Module } from "./syntax/index.ts";
export { type TestOptions, type TestReport, test } from "./test.ts";
export type { ExpressionProfile, FailureCause, Outcome, TestCase, TestResult } from "./testing/index.ts";
export type { JsonObject, Value } from "./value/index.ts";

/** `@portcullis/compiler`: compile policy sets and Rego modules; nothing else is public. */

export type { CodeEntry, Severity } from "./base/codes.ts";
export { type Diagnostic, hasErrors, sortDiagnostics } from "./base/diagnostic.ts";
export type { Host } from "./base/host.ts";
export { SourceFile } from "./base/source-file.ts";
export type { Position, Span } from "./base/span.ts";
export type { Value } from "./base/value.ts";
export type { BundleFile } from "./bundle/tar.ts";
export { allCodes } from "./codes.ts";
export { type CompiledModules, compileModules, type ModulesInput } from "./compile-modules.ts";
export {
  type CheckResult,
  type Compiled,
  type CompileOptions,
  type CompileResult,
  check,
  compile,
} from "./pipeline.ts";
export { type FormattedModule, formatModule as format } from "./rego/index.ts";

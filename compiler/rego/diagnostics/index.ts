/** Findings and what they point at: files, places, codes, code frames, and results that carry a problem. */

export { assert, InternalError, unreachable } from "./assert.ts";
export type { Brand } from "./brand.ts";
export { codeFrame } from "./code-frame.ts";
export {
  anchorOf,
  type CauseRule,
  type CodeEntry,
  defineCodes,
  type OpaCode,
  type ParamsOf,
  type Severity,
} from "./codes.ts";
export { confusable, lookalike, mixedAlphabet } from "./confusables.ts";
export { type Diagnostic, diagnosticsOf, type Extra, hasErrors, sortDiagnostics } from "./diagnostic.ts";
export { type DiagnosticPaint, diagnosticText } from "./diagnostic-text.ts";
export { type Edit, type Fix, rewriting } from "./fix.ts";
export { escapeCharacter, escapeUnprintable, INVISIBLE } from "./printable.ts";
export { requoted } from "./requote.ts";
export { failure, type Problem, type Result, success } from "./result.ts";
export { type Position, type RegoVersion, SourceFile } from "./source-file.ts";
export { joinSpans, type Span, sourceText, span } from "./span.ts";
export { didYouMean, didYouMeanOf, editDistance, meaning, nearest, type Suggestion, slipOf } from "./suggest.ts";

/** `parse` and `format`: one module, as a tree and in canonical form. */

import { type Diagnostic, SourceFile } from "./diagnostics/index.ts";
import { formatModule, type Module, parseModule } from "./syntax/index.ts";

/** The tree of a module, or the findings that stand in its way. */
export interface ParseResult {
  /** `undefined` for a text that is not a module. Nodes have OPA's names and a `span`; `ast` has their types. */
  readonly module: Module | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The syntax tree of one Rego v1 module, with its comments and METADATA blocks, and with the place of every node.
 *
 * `name` is the file that findings name. Errors: every statement that is not Rego is a diagnostic. Cost: linear in the text.
 */
export function parse(text: string, name = "policy.rego"): ParseResult {
  const { module, diagnostics } = parseModule(new SourceFile(name, text));
  return { module, diagnostics };
}

/** The canonical text of a module, or the findings that stand in its way. */
export interface FormatResult {
  /** `undefined` for a text that is not a module. */
  readonly text: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The text as `opa fmt` writes it. Comments are kept, and to format twice changes nothing.
 *
 * `name` is the file that findings name. Errors: a text that is not a module has diagnostics and no text. Cost: that of `parse`
 * several times, since what is printed is read again.
 */
export function format(text: string, name = "policy.rego"): FormatResult {
  return formatModule(new SourceFile(name, text));
}

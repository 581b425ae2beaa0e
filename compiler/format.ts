/** `format`: a Rego module in canonical form. */

import type { Diagnostic } from "./base/diagnostic.ts";
import type { SourceFile } from "./base/source-file.ts";
import { formatModule } from "./rego/index.ts";

export interface FormatResult {
  /** `undefined` when the module does not parse. */
  readonly text: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** Comments are kept, and formatting what was formatted changes nothing. */
export function format(file: SourceFile): FormatResult {
  return formatModule(file);
}

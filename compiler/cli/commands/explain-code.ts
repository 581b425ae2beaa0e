/** `portcullis --explain CODE`: the long form of a finding. */

import { allCodes } from "@portcullis/governance/checks";
import { didYouMean } from "@portcullis/rego/diagnostics";
import { CliError, EXIT_OK, EXIT_USAGE, type ExitCode } from "../exit.ts";
import type { Terminal } from "../terminal.ts";

/** Prints the explanation; `list` prints every code with its message. */
export function explainCode(terminal: Terminal, code: string): ExitCode {
  if (code === "list") {
    for (const [name, entry] of [...allCodes].sort(([a], [b]) => (a < b ? -1 : 1)))
      terminal.out(`${name} (${entry.severity}): ${entry.message}\n`);
    return EXIT_OK;
  }
  const entry = allCodes.get(code);
  if (entry === undefined) {
    const help = didYouMean(code, allCodes.keys()).help ?? "`portcullis --explain list` prints them all";
    throw new CliError(`no diagnostic code \`${code}\``, EXIT_USAGE, help);
  }
  const opa = entry.opa === undefined ? "" : ` (OPA: ${entry.opa})`;
  terminal.out(`${terminal.paint.bold(code)}: ${entry.severity}${opa}\n\n  ${entry.message}\n\n${entry.explain}\n`);
  return EXIT_OK;
}

/** What the runtime refuses, as an error of the command line. */

import { LoadError, type LoadErrorCode } from "@portcullis/runtime";
import { CliError, EXIT_USAGE } from "../exit.ts";

/** Says which file it was that the runtime refused. Throws CliError. */
export async function refusing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    throw new CliError(
      `\`${path}\` was refused: ${error.message}`,
      EXIT_USAGE,
      `code ${error.code}; ${HELP[error.code] ?? "build it from its sources with `portcullis build`, or fetch it again"}`,
    );
  }
}

const HELP: { readonly [code in LoadErrorCode]?: string } = {
  "signature-missing": "`portcullis sign` signs it",
  "signature-invalid":
    "sign it with a key that is given here; of several keys a signature names one: `portcullis sign --verification-key-id NAME`",
  "missing-builtin":
    "of all commands only `eval` and `test` have a clock and chance, and take builtins of your own with `--builtin`",
};

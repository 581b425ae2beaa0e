/** Exit codes and the errors that carry them. */

import type { Result } from "@portcullis/rego/diagnostics";

export const EXIT_OK = 0;
/** Findings, failed tests, or denials that the caller asked to fail on. */
export const EXIT_FINDINGS = 1;
/** Wrong usage, a file that cannot be read or written, or an internal error. */
export const EXIT_USAGE = 2;

export type ExitCode = 0 | 1 | 2;

/** Ends a command with a message for a person, and no stack trace. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly exitCode: ExitCode;
  /** The next step. */
  readonly help: string | undefined;

  constructor(message: string, exitCode: ExitCode = EXIT_USAGE, help?: string) {
    super(message);
    this.exitCode = exitCode;
    this.help = help;
  }
}

export interface ProblemReport<Code extends string> {
  /** Default: 2. */
  readonly exitCode?: ExitCode;
  /** The remedy at the command line, by the problem's code; default: the problem's own. */
  readonly help?: { readonly [C in Code]?: string };
}

/** The value of a result; a problem becomes a CliError. */
export function orFail<T, Code extends string>(result: Result<T, Code>, report: ProblemReport<Code> = {}): T {
  if (result.ok) return result.value;
  const { code, message, help } = result.problem;
  throw new CliError(message, report.exitCode, report.help?.[code] ?? help);
}

/** The failure of a file operation, in words: `ENOENT` means nothing to many people. */
export function fileProblem(error: unknown): string {
  const code = (error as { code?: unknown }).code;
  switch (code) {
    case "ENOENT":
      return "no such file or folder";
    case "EACCES":
    case "EPERM":
      return "permission denied";
    case "EISDIR":
      return "is a folder";
    case "ENOTDIR":
      return "is not a folder";
    case "ENOSPC":
      return "no space left on the device";
    case "EROFS":
      return "the file system is read-only";
    case "EFBIG":
      return "the file would be too large";
    case "ENAMETOOLONG":
      return "the name is too long";
    case "ELOOP":
      return "its symbolic links lead in a circle";
    case "EEXIST":
      return "something of this name is there already";
    default:
      return error instanceof Error ? error.message : String(error);
  }
}

/** `portcullis fmt FILE|DIR…`: Rego in canonical form. Flags as in `opa fmt`. */

import { lstatSync } from "node:fs";
import { convertModule } from "@portcullis/rego/analyze";
import { SourceFile } from "@portcullis/rego/diagnostics";
import { type FormattedModule, formatModule } from "@portcullis/rego/syntax";
import type { Command } from "commander";
import type { Context } from "../context.ts";
import { CliError, EXIT_OK, EXIT_USAGE } from "../exit.ts";
import { expandPaths } from "../files.ts";
import { reportDiagnostics } from "../render/report.ts";
import { unifiedDiff } from "../unified-diff.ts";
import { writeAtomic } from "../write.ts";
import { readText } from "./read.ts";

/** As of `opa fmt`: scripts that ask one ask the other. */
const EXIT_UNFORMATTED = 2;

interface FmtFlags {
  readonly write: boolean;
  readonly list: boolean;
  readonly diff: boolean;
  readonly fail: boolean;
  readonly v0V1: boolean;
  readonly v1Compatible: boolean;
  readonly dropV0Imports: boolean;
}

export function registerFmt(root: Command, context: Context): void {
  root
    .command("fmt")
    .description("print Rego modules in canonical form; comments are kept, and formatting twice changes nothing")
    .argument("[path...]", "`.rego` files, folders with such files, or - for standard input (default: -)")
    .option("-w, --write", "rewrite the files instead of printing", false)
    .option("-l, --list", "only list the files that are not formatted", false)
    .option("-d, --diff", "only print what would change, as a unified diff", false)
    .option("--fail", "exit 2 when a file is not formatted; such a file is neither printed nor written", false)
    .option("--v0-v1", "read Rego v0, and write what v0 and v1 both read", false)
    .option("--v1-compatible", "with --v0-v1: read Rego v1", false)
    .option(
      "--drop-v0-imports",
      "leave out `rego.v1` and `future.keywords`, where v1 reads the file without them",
      false,
    )
    .addHelpText(
      "after",
      `
Examples:
  portcullis fmt policies/extensions/freeze.rego
  portcullis fmt -w policies
  portcullis fmt --list --fail policies      # in CI
  portcullis fmt --diff policies | patch -p0 # look, then change
  portcullis fmt -w --v0-v1 old              # Rego v0 to v1; what only a person can change is said

All files are looked at: \`opa fmt\` ends with the first that is not as it should be. What is printed is always read again, and
must be the same module.

Exit codes: 0 formatted; 2, as of \`opa fmt\`, a file does not parse, or with --fail one is not formatted; also wrong usage,
unreadable files, and a folder without Rego.`,
    )
    .action(async (paths: string[], flags: FmtFlags) => {
      if (flags.v0V1 && flags.dropV0Imports)
        throw new CliError(
          "`--v0-v1` adds the imports that `--drop-v0-imports` leaves out: run one after the other",
          EXIT_USAGE,
        );
      const format = formatter(flags);
      let broken = false;
      let changed = 0;
      const named = paths.length === 0 ? ["-"] : paths;
      for (const path of named.flatMap(filesOf)) {
        const text = await readText(context.terminal, path).catch((error: unknown) => {
          if (error instanceof CliError) return error;
          throw error;
        });
        if (text instanceof CliError) {
          context.terminal.err(`error: ${text.message}\n`);
          broken = true;
          continue;
        }
        const result = format(new SourceFile(path, text));
        if (result.text === undefined) {
          reportDiagnostics(context.terminal, result.diagnostics, "human");
          broken = true;
          continue;
        }
        const differs = result.text !== text;
        if (differs) changed++;
        if (flags.list) {
          if (differs) context.terminal.out(`${path}\n`);
        } else if (flags.diff) {
          context.terminal.outBytes(new TextEncoder().encode(unifiedDiff(path, text, result.text)));
        } else if (flags.fail && differs) {
          context.terminal.err(`${path}: not formatted\n`);
        } else if (flags.write) {
          if (differs) rewrite(context, path, result.text, !named.includes(path));
        } else {
          context.terminal.outBytes(new TextEncoder().encode(result.text));
        }
      }
      context.finish(broken || (flags.fail && changed > 0) ? EXIT_UNFORMATTED : EXIT_OK);
    });
}

/** Throws CliError for a path that stands for no file: a misspelt folder in CI must not pass. */
function filesOf(path: string): readonly string[] {
  if (path === "-") return [path];
  const files = expandPaths([path], ".rego");
  if (files.length === 0)
    throw new CliError(`\`${path}\` has nothing to format`, EXIT_USAGE, "name a folder with `.rego` files");
  return files;
}

/** A link stays one: what it leads to is formatted where it is named, or is of the same folder. */
function rewrite({ terminal }: Context, path: string, text: string, isListed: boolean): void {
  if (!lstatSync(path).isSymbolicLink()) return writeAtomic(path, text);
  const message = `\`${path}\` is a link and is left as it is: format the file behind it`;
  if (!isListed) throw new CliError(message);
  terminal.err(`${message}\n`);
}

function formatter({ v0V1, v1Compatible, dropV0Imports }: FmtFlags): (file: SourceFile) => FormattedModule {
  if (v0V1 && !v1Compatible) return convertModule;
  return (file) => formatModule(file, v0V1 ? "add" : dropV0Imports ? "drop" : "keep");
}

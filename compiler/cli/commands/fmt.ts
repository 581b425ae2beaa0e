/** `portcullis fmt FILE|DIR…`: Rego in canonical form. Flags as in `opa fmt`. */

import type { Command } from "commander";
import { SourceFile } from "../../base/source-file.ts";
import { formatModule } from "../../rego/index.ts";
import type { Context } from "../context.ts";
import { EXIT_FINDINGS, EXIT_OK } from "../exit.ts";
import { expandPaths } from "../files.ts";
import { reportDiagnostics } from "../report.ts";
import { VERSION } from "../version.ts";
import { writeAtomic } from "../write.ts";
import { readText } from "./read.ts";

interface FmtFlags {
  readonly write: boolean;
  readonly list: boolean;
  readonly fail: boolean;
}

export function registerFmt(root: Command, context: Context): void {
  root
    .command("fmt")
    .description("print Rego modules in canonical form; comments are kept, and formatting twice changes nothing")
    .argument("<path...>", "`.rego` files, folders with such files, or - for standard input")
    .option("-w, --write", "rewrite the files instead of printing", false)
    .option("-l, --list", "only list the files that are not formatted", false)
    .option("--fail", "exit 1 when a file is not formatted", false)
    .addHelpText(
      "after",
      `
Examples:
  portcullis fmt policies/extensions/freeze.rego
  portcullis fmt -w policies
  portcullis fmt --list --fail policies      # in CI

Exit codes: 0 formatted; 1 a file does not parse, or with --fail one is not formatted; 2 wrong usage, unreadable files.`,
    )
    .action(async (paths: string[], flags: FmtFlags) => {
      let broken = false;
      let changed = 0;
      for (const path of paths.flatMap((p) => (p === "-" ? [p] : expandPaths([p], ".rego")))) {
        const text = await readText(context.terminal, path);
        const result = formatModule(new SourceFile(path, text));
        if (result.text === undefined) {
          reportDiagnostics(context.terminal, result.diagnostics, "human", VERSION);
          broken = true;
          continue;
        }
        const differs = result.text !== text;
        if (differs) changed++;
        if (flags.list) {
          if (differs) context.terminal.out(`${path}\n`);
        } else if (flags.write) {
          if (differs) writeAtomic(path, result.text);
        } else {
          context.terminal.outBytes(new TextEncoder().encode(result.text));
        }
      }
      context.finish(broken || (flags.fail && changed > 0) ? EXIT_FINDINGS : EXIT_OK);
    });
}

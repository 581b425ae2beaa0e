/** `portcullis check DIR…`: everything that `build` checks, and nothing written. */

import type { Host } from "@portcullis/documents";
import { nodeHost } from "@portcullis/documents/node";
import { hasErrors } from "@portcullis/rego/diagnostics";
import { type Command, Option } from "commander";
import type { Context } from "../context.ts";
import { CliError, EXIT_FINDINGS, EXIT_OK, EXIT_USAGE } from "../exit.ts";
import { fixFindings } from "../fixing.ts";
import { ignoring } from "../ignoring.ts";
import { checkPolicies } from "../policy/compile.ts";
import { BUILTIN_OPTION, type BuiltinFlags, CAPABILITIES_OPTION, readOwnBuiltins } from "../policy/own-builtins.ts";
import { readSchemas, SCHEMA_OPTION } from "../policy/schemas.ts";
import { FINDING_FORMATS, type FindingFormat, printNotes, reportDiagnostics } from "../render/report.ts";
import { watching } from "../watching.ts";
import { collect, STRICT_OPTION } from "./options.ts";

interface CheckFlags extends BuiltinFlags {
  readonly entrypoint: string[];
  readonly strict: boolean;
  readonly denyWarnings: boolean;
  readonly format: FindingFormat;
  readonly verbose: boolean;
  readonly watch: boolean;
  readonly fix: boolean;
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly allowBuiltin: string[];
  readonly ignore: string[];
  readonly schema?: string;
}

export function registerCheck(root: Command, context: Context): void {
  root
    .command("check")
    .description("check policy sources and report every finding at once")
    .argument("<dir...>", "folders with the sources")
    .option("-e, --entrypoint <pkg/rule>", "an entrypoint that must exist (may be repeated)", collect, [])
    .option(...STRICT_OPTION)
    .option("--deny-warnings", "warnings stay warnings, and exit 1: for CI", false)
    .option(
      "--allow-builtin <name>",
      "allow a non-deterministic builtin that the host will supply (may be repeated)",
      collect,
      [],
    )
    .option(...SCHEMA_OPTION)
    .option(...CAPABILITIES_OPTION)
    .option(...BUILTIN_OPTION)
    .option("-w, --watch", "check again whenever a file changes, until Ctrl-C", false)
    .option(
      "--fix",
      "show the names that were meant, and rules written again so that they fall shut; write them after a yes",
      false,
    )
    .option("--yes", "with --fix: write without asking", false)
    .option("--dry-run", "with --fix: show, and write nothing", false)
    .option("--ignore <glob>", "leave out files and folders of this name, e.g. '*.yaml' (may be repeated)", collect, [])
    .option("--verbose", "say which files were ignored", false)
    .addOption(new Option("--format <format>", "how to print findings").choices(FINDING_FORMATS).default("human"))
    .addHelpText(
      "after",
      `
Examples:
  portcullis check policies
  portcullis check policies --deny-warnings --format github      # in CI
  portcullis check policies --watch
  portcullis check policies --fix                                 # --yes in scripts, --dry-run to look
  portcullis check rules --capabilities capabilities.json

Records in handoff-samples are held against the contract, as \`test\` does, but for those whose decision needs a builtin of the
host's. Whether a policy is too large for a module is found by \`build\` alone.

Exit codes: 0 no errors (no findings at all with --strict or --deny-warnings), 1 findings, 2 wrong usage.`,
    )
    .action(async (dirs: string[], flags: CheckFlags) => {
      if ((flags.yes || flags.dryRun) && !flags.fix)
        throw new CliError("`--yes` and `--dry-run` belong to `--fix`", EXIT_USAGE);
      if (flags.fix && flags.watch) throw new CliError("`--fix` runs once, without `--watch`", EXIT_USAGE);
      const run = (): Promise<void> => checkOnce(context, dirs, flags);
      await (flags.watch ? watching(context.terminal, dirs, run) : run());
    });
}

async function checkOnce(context: Context, dirs: readonly string[], flags: CheckFlags): Promise<void> {
  const { declared, allowed } = await readOwnBuiltins(flags);
  const compiled = (host: Host) =>
    checkPolicies(context.terminal, {
      host: ignoring(host, flags.ignore),
      dirs,
      entrypoints: flags.entrypoint,
      strict: flags.strict,
      allowBuiltins: [...flags.allowBuiltin, ...allowed],
      ...readSchemas(flags.schema),
      ...declared,
    });
  let { diagnostics, notes } = await compiled(nodeHost);
  if (flags.fix) {
    const written = await fixFindings(
      context.terminal,
      nodeHost,
      diagnostics,
      flags,
      async (host) => (await compiled(host)).diagnostics,
    );
    if (written) ({ diagnostics, notes } = await compiled(nodeHost));
  }
  printNotes(context.terminal, notes, flags.verbose);
  reportDiagnostics(context.terminal, diagnostics, flags.format);
  const failed = hasErrors(diagnostics) || (flags.denyWarnings && diagnostics.length > 0);
  if (!failed && flags.format === "human" && diagnostics.length === 0) context.terminal.out("no findings\n");
  context.finish(failed ? EXIT_FINDINGS : EXIT_OK);
}

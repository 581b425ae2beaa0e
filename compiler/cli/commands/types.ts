/** `portcullis types DIR|BUNDLE -o FILE`: the ids of a policy set as TypeScript types. */

import { existsSync } from "node:fs";
import { nodeHost } from "@portcullis/documents/node";
import { hasErrors } from "@portcullis/rego/diagnostics";
import type { Command } from "commander";
import type { Context } from "../context.ts";
import { CliError, EXIT_FINDINGS, EXIT_OK, EXIT_USAGE } from "../exit.ts";
import { isFolder } from "../files.ts";
import { isGeneratedTypes, type OutputKind, REPLACES, refuseOthersFile } from "../output-file.ts";
import { compilePolicies } from "../policy/compile.ts";
import { reportDiagnostics } from "../render/report.ts";
import type { Terminal } from "../terminal.ts";
import { writeAtomic } from "../write.ts";
import { readText } from "./read.ts";

interface TypesFlags {
  readonly output?: string;
  readonly check: boolean;
}

const OUTPUT: OutputKind = { command: "types", option: "-o", names: "file", wrote: isGeneratedTypes };

export function registerTypes(root: Command, context: Context): void {
  root
    .command("types")
    .description("write TypeScript types for a policy set: its ids, guards for them, and every request and decision")
    .argument("<policy>", "a folder of sources, or a bundle.tar.gz")
    .option("-o, --output <file>", "file to write (default: standard output)")
    .option("--check", "write nothing; exit 1 when the file is not current", false)
    .addHelpText(
      "after",
      `
Examples:
  portcullis types policies -o src/policy-types.ts
  portcullis types out/bundle.tar.gz > src/policy-types.ts
  portcullis types policies -o src/policy-types.ts --check      # in CI

From a bundle, names of agents have \`_\` for every \`-\`, as in its data.
${REPLACES}

Exit codes: 0 written, or current with --check; 1 findings in the sources, or not current; 2 wrong usage, no policy set.`,
    )
    .action(async (policy: string, flags: TypesFlags) => {
      if (flags.check && flags.output === undefined)
        throw new CliError("`--check` needs the file to check", EXIT_USAGE, "name it with `-o`");
      if (flags.output !== undefined && !flags.check) await refuseOthersFile(flags.output, OUTPUT);
      const text = await typesOf(context.terminal, policy);
      if (text === undefined) return context.finish(EXIT_FINDINGS);
      if (flags.output === undefined) context.terminal.out(text);
      else if (!flags.check) writeAtomic(flags.output, text);
      else if (!existsSync(flags.output) || (await readText(context.terminal, flags.output)) !== text) {
        context.terminal.err(
          `\`${flags.output}\` is not current: run \`portcullis types ${policy} -o ${flags.output}\`\n`,
        );
        return context.finish(EXIT_FINDINGS);
      }
      context.finish(EXIT_OK);
    });
}

/** `undefined`: the sources have findings, and they are printed. */
async function typesOf(terminal: Terminal, path: string): Promise<string | undefined> {
  if (!isFolder(path)) {
    const [{ openPolicyArgument }, { bundleFacts, policyNames }] = await Promise.all([
      import("../policy/policy-argument.ts"),
      import("@portcullis/governance/review"),
    ]);
    const opened = await openPolicyArgument(terminal, path);
    const names = opened && policyNames(opened);
    if (opened === undefined || names === undefined) throw noPolicySet(path);
    const { generateTypes } = await import("@portcullis/governance");
    return generateTypes(names, bundleFacts(opened));
  }
  const { types, diagnostics } = await compilePolicies(terminal, { host: nodeHost, dirs: [path], checkOnly: true });
  if (hasErrors(diagnostics)) {
    reportDiagnostics(terminal, diagnostics, "human");
    return undefined;
  }
  if (types === undefined) throw noPolicySet(path);
  return types;
}

function noPolicySet(path: string): CliError {
  return new CliError(
    `\`${path}\` holds no policy set, so there are no ids to make types of`,
    EXIT_USAGE,
    "types come from roles, lanes, tools, agents and manifests; Rego and data alone have none",
  );
}

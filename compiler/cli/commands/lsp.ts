/** `portcullis lsp`: the language server, on standard input and output. */

import { fileURLToPath, pathToFileURL } from "node:url";
import { nodeHost } from "@portcullis/documents/node";
import { type Machine, serve } from "@portcullis/governance/editor";
import type { Command } from "commander";
import { createConnection, ProposedFeatures } from "vscode-languageserver/node";
import type { Context } from "../context.ts";
import { checkPolicies } from "../policy/compile.ts";
import { VERSION } from "../version.ts";

export function registerLsp(root: Command, context: Context): void {
  root
    .command("lsp")
    .description("serve editors: the language server protocol on standard input and output")
    .option("--stdio", "standard input and output, which is the only way there is")
    .option("--clientProcessId <id>", "the editor's process, with which the server ends")
    .addHelpText(
      "after",
      `
An editor starts it; editors/vscode does for VS Code. It finds the policy sets in the editor's folders, and tells findings as
you type, across YAML, TOML, front matter and Rego. It offers hover, completion of keys and ids, definitions, references,
renaming of ids at every place, quick fixes, formatting and highlighting of Rego.

Examples:
  portcullis lsp --stdio

Exit codes: 0 the editor ended it; 1 the editor went away without a word; 2 wrong usage.`,
    )
    .action(() => {
      const connection = createConnection(ProposedFeatures.all, process.stdin, process.stdout);
      const quiet = { ...context.terminal, interactive: false };
      serve(connection, { ...machine, check: (sources) => checkPolicies(quiet, sources) }, VERSION);
      // The connection ends the process when the editor says so, or goes.
      return new Promise<void>(() => {});
    });
}

const machine: Omit<Machine, "check"> = {
  host: nodeHost,
  toPath: (uri) => {
    try {
      return fileURLToPath(uri).replaceAll("\\", "/");
    } catch {
      // Another scheme: a document that is in no folder.
      return undefined;
    }
  },
  toUri: (path) => pathToFileURL(path).href,
};

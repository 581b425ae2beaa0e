/** Options of the commands that decide calls for somebody: who, where, on whose behalf, and which tools are which. */

import { readFileSync } from "node:fs";
import { type Caller, callerOf, NO_TOOLS, readToolMap, type ToolMap, withNames } from "@portcullis/enforcement/gateway";
import { SourceFile } from "@portcullis/rego/diagnostics";
import type { Command } from "commander";
import { CliError, fileProblem, orFail } from "../exit.ts";
import { collect } from "./options.ts";

export interface CallerFlags {
  readonly policy: string;
  readonly role: string;
  readonly lane: string;
  readonly scope: readonly string[];
  readonly flag: readonly string[];
  readonly lineage?: string;
  readonly map: readonly string[];
  readonly tools?: string;
  readonly decisionLog?: string;
}

export function addCallerOptions(command: Command): Command {
  return command
    .requiredOption("--policy <path>", "bundle, or folder of sources")
    .requiredOption("--role <role>", "role of everyone who calls")
    .requiredOption("--lane <lane>", "lane of all calls")
    .option("--lineage <types>", "agent types from the root to the one that calls, with commas between them")
    .option(
      "--scope <key=value>",
      "a key of the scope; an argument that says otherwise is denied (repeatable)",
      collect,
      [],
    )
    .option("--flag <flag>", "a flag that every call raises (repeatable)", collect, [])
    .option("--map <name=id>", "a tool's name, and its id in the registry (repeatable)", collect, [])
    .option("--tools <file>", "YAML file with such names, and which arguments hold the scope")
    .option("--decision-log <file>", "append each decision as a line of JSON; what cannot be recorded is denied");
}

/** Throws CliError for words and files that cannot be read. */
export function readCaller(flags: CallerFlags): { readonly caller: Caller; readonly tools: ToolMap } {
  const caller = orFail(callerOf({ ...flags, flags: flags.flag }));
  const named = flags.tools === undefined ? NO_TOOLS : orFail(readToolMap(sourceOf(flags.tools)));
  return { caller, tools: orFail(withNames(named, flags.map)) };
}

function sourceOf(path: string): SourceFile {
  try {
    return new SourceFile(path, readFileSync(path, "utf8"));
  } catch (error) {
    throw new CliError(`cannot read \`${path}\`: ${fileProblem(error)}`);
  }
}

/** Options of the commands that decide calls for somebody: who, where, on whose behalf, and which tools are which. */

import { type Caller, callerOf, NO_TOOLS, type ToolMap, withNames } from "@portcullis/enforcement/gateway";
import { orFail } from "./exit.ts";
import { HISTORY_OPTION } from "./history.ts";
import type { OptionWord } from "./option-words.ts";
import { STATE_OPTIONS, type StateFlags } from "./state.ts";

export interface CallerFlags extends StateFlags {
  readonly policy: string;
  readonly role: string;
  readonly lane: string;
  readonly scope: readonly string[];
  readonly flag: readonly string[];
  readonly lineage?: string;
  readonly map: readonly string[];
  readonly tools?: string;
  readonly root?: string;
  readonly decisionLog?: string;
}

export const CALLER_OPTIONS: readonly OptionWord[] = [
  { name: "role", value: "<role>", text: "role of everyone who calls", isRequired: true },
  { name: "lane", value: "<lane>", text: "lane of all calls", isRequired: true },
  {
    ...{ name: "lineage", value: "<types>" },
    text: "agent types from the root to the one that calls, with commas between them",
  },
  {
    ...{ name: "scope", value: "<key=value>", isMany: true },
    text: "a key of the scope; an argument that says otherwise is denied (repeatable)",
  },
  { name: "flag", value: "<flag>", text: "a flag that every call raises (repeatable)", isMany: true },
  { name: "map", value: "<name=id>", text: "a tool's name, and its id in the registry (repeatable)", isMany: true },
  {
    ...{ name: "tools", value: "<file>", isPath: true },
    text: "YAML file with such names, and which arguments hold the scope",
  },
  {
    ...{ name: "root", value: "<dir>", isPath: true },
    text: "the project's folder, from which `paths` of the policy count; without it they are denied",
  },
  {
    ...{ name: "decision-log", value: "<file>", isPath: true },
    text: "append each decision as a line of JSON; what cannot be recorded is denied",
  },
  HISTORY_OPTION,
  {
    ...{ name: "approvals", value: "<dir>", isPath: true },
    text: "where approvals of calls are found by digest, and calls kept that wait for one; --history tells used ones",
  },
  ...STATE_OPTIONS,
];

/** Throws CliError for words and files that cannot be read. The reader of YAML is loaded where there is a file. */
export async function readCaller(flags: CallerFlags): Promise<{ readonly caller: Caller; readonly tools: ToolMap }> {
  const caller = orFail(callerOf({ ...flags, flags: flags.flag }));
  const named =
    flags.tools === undefined ? NO_TOOLS : (await import("./tool-map-file.ts")).readToolMapFile(flags.tools);
  return { caller, tools: orFail(withNames(named, flags.map)) };
}

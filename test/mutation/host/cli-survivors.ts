/** Mutants of commands that cannot be noticed, each with the reason. */
import { OURS, TYPES } from "./reasons.ts";
import type { Survivor } from "./survivor.ts";

export const cliSurvivors: readonly Survivor[] = [
  {
    file: "cli/policy/sample-findings.ts",
    operation: "condition is true",
    written: "error instanceof NotKnown",
    reason: OURS,
  },
  {
    file: "cli/init/agent-hosts/json-hooks.ts",
    operation: "conjunct dropped",
    written: 'typeof entry["command"] === "string" && isHookLine(entry["command"])',
    to: 'isHookLine(entry["command"])',
    reason: TYPES,
  },
];

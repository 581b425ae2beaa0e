/** Mutants of the runtime's agents, and of spawns, that cannot be noticed, each with the reason. */
import { THROWS, TYPES } from "./reasons.ts";
import type { Survivor } from "./survivor.ts";

export const agentSurvivors: readonly Survivor[] = [
  {
    file: "runtime/agents/claude.ts",
    operation: "condition is false",
    written: "delegation === undefined",
    reason: THROWS,
  },
  {
    file: "runtime/agents/claude.ts",
    operation: "condition is false",
    written: 'typeof type !== "string"',
    on: 'if (typeof type !== "string") throw new Error("the sub-agent has no type");',
    reason: THROWS,
  },
  {
    file: "runtime/agents/claude.ts",
    operation: "condition is false",
    written: "!Array.isArray(lineage)",
    reason: THROWS,
  },
  {
    file: "runtime/agents/claude.ts",
    operation: "condition is false",
    written: "asked.subagent === undefined || asked.lineage === undefined",
    reason: THROWS,
  },
  {
    file: "runtime/agents/claude.ts",
    operation: "other operator",
    written: "||",
    on: "if (asked.subagent === undefined || asked.lineage === undefined)",
    to: "&&",
    reason: THROWS,
  },
  {
    file: "runtime/agents/claude.ts",
    operation: "conjunct dropped",
    written: "asked.subagent === undefined || asked.lineage === undefined",
    to: "asked.subagent === undefined",
    reason: THROWS,
  },
  {
    file: "runtime/agents/claude.ts",
    operation: "conjunct dropped",
    written: "asked.subagent === undefined || asked.lineage === undefined",
    to: "asked.lineage === undefined",
    reason: THROWS,
  },
  {
    file: "runtime/governance/spawn.ts",
    operation: "condition is false",
    written: "turn === undefined",
    reason: TYPES,
  },
  {
    file: "runtime/agents/admission.ts",
    operation: "condition is true",
    written: "!outcome.allowed",
    reason: "what was admitted is not resolved again",
  },
];

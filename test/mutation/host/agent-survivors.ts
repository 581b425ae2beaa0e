/** Mutants of the runtime's agents, and of spawns, that cannot be noticed, each with the reason. */
import { THROWS, TYPES } from "./reasons.ts";
import type { Survivor } from "./survivor.ts";

/** `holdSpawn` asks the same of every sub-agent that calls. */
const ASKED = "a sub-agent without a type or a chain is refused where its start is asked about, too";

export const agentSurvivors: readonly Survivor[] = [
  {
    file: "runtime/agents/claude.ts",
    operation: "conjunct dropped",
    written: 'typeof type !== "string" || type.trim() === ""',
    to: 'type.trim() === ""',
    reason: THROWS,
  },
  {
    file: "runtime/agents/claude.ts",
    operation: "condition is false",
    written: 'typeof type !== "string" || type.trim() === ""',
    reason: ASKED,
  },
  {
    file: "runtime/agents/claude.ts",
    operation: "other operator",
    written: "||",
    on: 'if (typeof type !== "string" || type.trim() === "") throw new Error("the sub-agent has no type");',
    to: "&&",
    reason: ASKED,
  },
  {
    file: "runtime/agents/claude.ts",
    operation: "conjunct dropped",
    written: 'typeof type !== "string" || type.trim() === ""',
    to: 'typeof type !== "string"',
    reason: ASKED,
  },
  {
    file: "runtime/agents/claude.ts",
    operation: "condition is false",
    written: "!Array.isArray(lineage) || lineage.length === 0",
    reason: ASKED,
  },
  {
    file: "runtime/agents/claude.ts",
    operation: "other operator",
    written: "||",
    on: "if (!Array.isArray(lineage) || lineage.length === 0)",
    to: "&&",
    reason: ASKED,
  },
  {
    file: "runtime/agents/claude.ts",
    operation: "conjunct dropped",
    written: "!Array.isArray(lineage) || lineage.length === 0",
    to: "!Array.isArray(lineage)",
    reason: ASKED,
  },
  {
    file: "runtime/agents/claude.ts",
    operation: "conjunct dropped",
    written: "!Array.isArray(lineage) || lineage.length === 0",
    to: "lineage.length === 0",
    reason: ASKED,
  },
  {
    file: "runtime/agents/claude.ts",
    operation: "off by one",
    written: "0",
    on: "if (!Array.isArray(lineage) || lineage.length === 0)",
    to: "(-1)",
    reason: ASKED,
  },
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
    file: "runtime/agents/claude.ts",
    operation: "conjunct dropped",
    written: 'typeof value === "object" && value !== null && "isError" in value',
    to: 'typeof value === "object" && value !== null',
    reason: TYPES,
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

/** The decisions by entrypoint, each a function from a policy and any input to the answer that the specification demands. */
import { call } from "./call.ts";
import { close } from "./close.ts";
import { exec } from "./exec.ts";
import { handoff } from "./handoff.ts";
import { lane } from "./lane.ts";
import { lineage } from "./lineage.ts";
import type { PolicyData } from "./policy.ts";
import { subagent } from "./subagent.ts";
import { tool } from "./tool.ts";
import type { Decision } from "./values.ts";

export type DecisionName = "lane" | "tool" | "subagent" | "lineage" | "handoff" | "exec" | "close" | "call";

export type Statement = (policy: PolicyData, input: unknown) => Decision;

export const statements: Readonly<Record<DecisionName, Statement>> = {
  lane,
  tool,
  subagent,
  lineage,
  handoff,
  exec,
  close,
  call,
};

export const decisionNames: readonly DecisionName[] = [
  "lane",
  "tool",
  "subagent",
  "lineage",
  "handoff",
  "exec",
  "close",
  "call",
];

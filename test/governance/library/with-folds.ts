/** The data of a policy as lowering makes it: with the table by which names are compared. */
import { nameFolds } from "../../../compiler/governance/lower/name-folds.ts";
import type { DecisionName } from "../../statements/index.ts";
import type { PolicyData } from "../../statements/policy.ts";
import type { Batch } from "./evaluator.ts";

const made = new WeakMap<PolicyData, PolicyData>();

export function withFolds(policy: PolicyData): PolicyData {
  const known = made.get(policy);
  if (known !== undefined) return known;
  const tables = [policy.roles, policy.agents, policy.manifests, policy.handoff.agents ?? {}];
  const whole = { names: nameFolds(["AGENT_.md", ...tables.flatMap((table) => Object.keys(table))]), ...policy };
  made.set(policy, whole);
  return whole;
}

/** The data of a batch's policy: with the names and reasons of what its author demands. */
export function demanding(decision: DecisionName, { policy, requirements }: Omit<Batch, "inputs">): object {
  const whole = withFolds(policy);
  return requirements === undefined ? whole : { ...whole, gates: { [decision]: requirements.gates } };
}

/** The data of a policy as lowering makes it: with the table by which names are compared. */
import { nameFolds } from "../../../compiler/governance/lower/name-folds.ts";
import type { PolicyData } from "../../statements/policy.ts";

const made = new WeakMap<PolicyData, PolicyData>();

export function withFolds(policy: PolicyData): PolicyData {
  const known = made.get(policy);
  if (known !== undefined) return known;
  const tables = [policy.roles, policy.agents, policy.manifests, policy.handoff.agents ?? {}];
  const whole = { names: nameFolds(["AGENT_.md", ...tables.flatMap((table) => Object.keys(table))]), ...policy };
  made.set(policy, whole);
  return whole;
}

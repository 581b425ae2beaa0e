/**
 * Signing contracts. A person signs what will decide, so what no decision would count is refused before: the close decision
 * itself is asked whether a target can hold a file, and whether an operation is one.
 */

import { isAbsolute, normalize } from "node:path";
import type { FileOperation, Policy } from "@portcullis/runtime";
import { failure, type Result, success } from "../base/result.ts";
import { didYouMean } from "../base/suggest.ts";
import type { ContractFile } from "./contract.ts";
import { instant } from "./instant.ts";
import { contractPayload, type PayloadVersion } from "./payloads.ts";
import { policyPath } from "./real-path.ts";
import { type SessionSecret, sign } from "./session.ts";

/** The operations that a contract may declare. */
export const OPERATIONS: readonly FileOperation[] = ["CREATE", "WRITE", "DELETE", "RENAME", "MODE"];

/** Why a contract is not signed: its baseline, targets or times would be denied later. */
export type SignContractProblem = "unsignable";

/** The policy that says what may be declared, and the text that the signature covers. */
export interface SigningOptions {
  /** Any policy: every one holds the close decision, which says what can be declared. */
  readonly policy: Policy;
  /** Default: `v2`. */
  readonly payload?: PayloadVersion;
}

/** The contract with this session's signature; an old one is replaced. `name`: its name in messages. */
export function signContract(
  name: string,
  contract: ContractFile,
  secret: SessionSecret,
  { policy, payload = "v2" }: SigningOptions,
): Result<ContractFile, SignContractProblem> {
  const fault =
    payload === "v2"
      ? faultOf(contract, policy)
      : faultOfTargets(contract["declared_targets"], rootOf(contract), policy);
  if (fault !== undefined) return failure("unsignable", `\`${name}\` cannot be signed: ${fault.problem}`, fault.help);
  const text = contractPayload(contract, payload);
  if (text !== undefined) return success({ ...contract, signature: sign(secret, text) });
  const help = "`contract_id` and `created_at` must be strings without `|`, and every text well-formed Unicode";
  return failure("unsignable", `\`${name}\` cannot be signed`, help);
}

/** The founding payload needs none. */
function rootOf({ contract_root }: ContractFile): string {
  return typeof contract_root === "string" && isAbsolute(contract_root) ? contract_root : "/";
}

interface Fault {
  readonly problem: string;
  readonly help?: string | undefined;
}

function faultOf(contract: ContractFile, policy: Policy): Fault | undefined {
  for (const field of ["contract_id", "mode"]) {
    if (!isName(contract[field])) return { problem: `\`${field}\` is no string that can be signed` };
  }
  for (const field of ["created_at", "expires_at"]) {
    if (instant(contract[field]) === undefined)
      return { problem: `\`${field}\` is no time`, help: "write ISO 8601 to the second, as 2026-03-02T09:00:00Z" };
  }
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(String(contract["baseline_sha"])))
    return { problem: "`baseline_sha` is no full commit hash", help: "it is what `git rev-parse HEAD` prints" };
  const root = contract["contract_root"];
  if (typeof root !== "string" || !isAbsolute(root) || normalize(root) !== root || /.[\\/]$/.test(root))
    return { problem: "`contract_root` is no canonical absolute path" };
  return (
    faultOfTargets(contract["declared_targets"], root, policy) ??
    faultOfOperations(contract["declared_operations"], policy)
  );
}

function faultOfTargets(targets: unknown, root: string, policy: Policy): Fault | undefined {
  if (!Array.isArray(targets)) return { problem: "`declared_targets` is no list of strings" };
  for (const [i, target] of (targets as readonly unknown[]).entries()) {
    if (typeof target !== "string" || !canHold(policy, root, target))
      return {
        problem: `${JSON.stringify(target)} is no target`,
        help: "name files and folders by canonical paths: no `.`, no `..`, no slash at the end, not the root itself, nothing outside of it",
      };
    if (targets.indexOf(target) !== i) return { problem: `${JSON.stringify(target)} is declared twice` };
  }
  return undefined;
}

/** A file in the target's own place is contained by it. */
function canHold(policy: Policy, root: string, target: string): boolean {
  const place = isAbsolute(target) ? policyPath(target) : `${policyPath(root)}/${target}`.replace(/^\/\//, "/");
  return declares(policy, { root: policyPath(root), target, place, operation: "WRITE" });
}

function faultOfOperations(operations: unknown, policy: Policy): Fault | undefined {
  if (!Array.isArray(operations)) return { problem: "`declared_operations` is no list of strings" };
  const unknown = (operations as readonly unknown[]).find((operation) => !isOperation(policy, operation));
  if (unknown === undefined) return undefined;
  return {
    problem: `${JSON.stringify(unknown)} is no operation`,
    help: didYouMean(String(unknown), OPERATIONS).help ?? `the operations are ${OPERATIONS.join(", ")}`,
  };
}

function isOperation(policy: Policy, operation: unknown): boolean {
  return declares(policy, { root: "/r", target: "t", place: "/r/t", operation: operation as FileOperation });
}

interface Change {
  readonly root: string;
  readonly target: string;
  readonly place: string;
  readonly operation: FileOperation;
}

/** Whether a change would be reconciled by a declaration of just its target and its operation. */
function declares(policy: Policy, { root, target, place, operation }: Change): boolean {
  const decision = policy.close({
    baseline_sha: "any",
    contract: "unsigned",
    contract_root: root,
    declared_targets: [target],
    declared_operations: [operation],
    changed_files: [{ path: target, resolved: place, operation }],
  });
  return decision.gate !== "CONTAINMENT" && decision.gate !== "OPERATIONS" && decision.gate !== "INTERNAL_ERROR";
}

function isName(value: unknown): boolean {
  return typeof value === "string" && value !== "" && !/\p{Surrogate}/u.test(value);
}

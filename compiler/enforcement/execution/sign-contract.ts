/**
 * Signing contracts. A person signs what will decide, so what can never be met is refused before: the exec decision itself is
 * asked about the mode and the contract, and the close decision whether a target can hold a file, and whether an operation is
 * one.
 */

import { isAbsolute } from "node:path";
import { didYouMean, failure, type Result, success } from "@portcullis/documents";
import { denialSentence, type ExecRequest, FAULTS, type FileOperation, GATES, type Policy } from "@portcullis/runtime";
import { holdOptions, type TableOf } from "@portcullis/runtime/trust";
import { requireCommit } from "./changed-files.ts";
import { isCanonicalFolder } from "./close-request.ts";
import { type ContractFile, contractFacts } from "./contract.ts";
import { instant } from "./instant.ts";
import { contractPayload, type PayloadVersion } from "./payloads.ts";
import { policyPath } from "./real-path.ts";
import { GitError } from "./repository/index.ts";
import { type SessionSecret, sign } from "./session.ts";

/** The operations that a contract may declare. */
export const OPERATIONS: readonly FileOperation[] = ["CREATE", "WRITE", "DELETE", "RENAME", "MODE"];

/** Why a contract is not signed: its baseline, targets or times would be denied later. */
export type SignContractProblem = "unsignable";

/** Who says what can be met. */
export interface Meeting {
  readonly policy: Policy;
  /** Milliseconds since 1970; default: the clock's. */
  readonly now?: number;
}

/** Who says what can be met, and the text that the signature covers. */
export interface SigningOptions extends Meeting {
  /** Default: `v2`. */
  readonly payload?: PayloadVersion;
}

const SIGNING_OPTIONS: TableOf<SigningOptions> = { policy: "object", now: "number?", payload: ["v1", "v2", undefined] };

/** The contract with this session's signature; an old one is replaced. `name`: its name in messages. */
export function signContract(
  name: string,
  contract: ContractFile,
  secret: SessionSecret,
  options: SigningOptions,
): Result<ContractFile, SignContractProblem> {
  holdOptions(options, SIGNING_OPTIONS);
  const { payload = "v2", ...meeting } = options;
  const met = canBeMet(name, contract, meeting);
  if (!met.ok) return met;
  const text = contractPayload(contract, payload);
  if (text !== undefined) return success({ ...contract, signature: sign(secret, text) });
  const help = "`contract_id` and `created_at` must be strings without `|`, and every text well-formed Unicode";
  return failure("unsignable", `\`${name}\` cannot be signed`, help);
}

/**
 * A contract that some work can meet: open, in time, in a mode that there is, with a baseline, a root, targets and operations.
 * Reads the repository. `name`: its name in messages.
 */
export function canBeMet(name: string, contract: ContractFile, meeting: Meeting): Result<ContractFile, "unsignable"> {
  const problem = problemOf(contract, meeting);
  if (problem === undefined) return success(contract);
  return failure("unsignable", `\`${name}\` cannot be met: ${problem.problem}`, problem.help);
}

interface SigningProblem {
  readonly problem: string;
  readonly help?: string | undefined;
}

function problemOf(contract: ContractFile, meeting: Meeting): SigningProblem | undefined {
  const root = contract["contract_root"];
  return (
    problemOfNames(contract) ??
    problemOfTimes(contract) ??
    problemOfDecision(contract, meeting) ??
    problemOfPlace(root, contract["baseline_sha"]) ??
    problemOfTargets(contract["declared_targets"], root as string, meeting.policy) ??
    problemOfOperations(contract["declared_operations"], meeting.policy)
  );
}

function problemOfNames(contract: ContractFile): SigningProblem | undefined {
  const field = ["contract_id", "mode"].find((one) => !isName(contract[one]));
  return field === undefined ? undefined : { problem: `\`${field}\` is no string that can be signed` };
}

function problemOfTimes(contract: ContractFile): SigningProblem | undefined {
  for (const field of ["created_at", "expires_at"]) {
    if (instant(contract[field]) === undefined)
      return { problem: `\`${field}\` is no time`, help: "write ISO 8601 to the second, as 2026-03-02T09:00:00Z" };
  }
  const [created, expires] = [contract["created_at"], contract["expires_at"]].map(instant) as [number, number];
  return created < expires ? undefined : { problem: "it expires before it is created" };
}

/** What the exec decision says of the contract, whatever script would run. */
function problemOfDecision(contract: ContractFile, { policy, now = Date.now() }: Meeting): SigningProblem | undefined {
  const mode = contract["mode"] as string;
  const facts = { ...contractFacts(contract, { secret: undefined }, now), signature_valid: true, mode };
  const decision = policy.exec({
    mode,
    kind: "script",
    session: { valid: true },
    script: { path: null, sha256: null },
    // The policy holds every field to its type.
    contract: facts as ExecRequest["contract"],
    hat: null,
  });
  if (!judgesContract("exec", decision.gate)) return undefined;
  const detail = "detail" in decision ? (decision.detail ?? "") : "";
  const says = denialSentence("exec", decision, decision, { mode });
  return { problem: DETAILS[detail] ?? says ?? `it would not count (${detail || decision.reason})` };
}

/** Whether a denial is one that the contract itself causes. A fault may be, too. */
function judgesContract(kind: "exec" | "close", denying: string): boolean {
  return (
    denying === FAULTS[kind].gate || GATES[kind].some(({ gate, judges }) => gate === denying && judges === "contract")
  );
}

const DETAILS: { readonly [detail: string]: string } = {
  malformed_contract_id: "`contract_id` may hold letters, digits and `.`, `_`, `-` alone",
  contract_not_open: "`status` is not `open`",
  contract_expired: "it has expired",
};

function problemOfPlace(root: unknown, baseline: unknown): SigningProblem | undefined {
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(String(baseline)))
    return { problem: "`baseline_sha` is no full commit hash", help: "it is what `git rev-parse HEAD` prints" };
  if (!isCanonicalFolder(root))
    return { problem: "`contract_root` is no canonical absolute path of a folder that exists" };
  try {
    requireCommit(root, baseline as string);
    return undefined;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return { problem: `\`baseline_sha\` is no commit of the repository: ${error.message}` };
  }
}

function problemOfTargets(targets: unknown, root: string, policy: Policy): SigningProblem | undefined {
  if (!Array.isArray(targets)) return { problem: "`declared_targets` is no list of strings" };
  if (targets.length === 0) return { problem: "`declared_targets` names nothing: no change would be declared" };
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

function problemOfOperations(operations: unknown, policy: Policy): SigningProblem | undefined {
  if (!Array.isArray(operations)) return { problem: "`declared_operations` is no list of strings" };
  if (operations.length === 0) return { problem: "`declared_operations` names nothing: no change would be declared" };
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
  return !judgesContract("close", decision.gate);
}

function isName(value: unknown): boolean {
  return typeof value === "string" && value !== "" && !/\p{Surrogate}/u.test(value);
}

/** The facts of a close request: the changes of the repository since the baseline, and the contract's declaration. */

import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { CloseRequest } from "@portcullis/runtime";
import { holdOptions, type TableOf } from "@portcullis/runtime/trust";
import { type Changes, changedFiles } from "./changed-files.ts";
import { type ContractFile, closedContractFacts, SIGNATORY, type Signatory } from "./contract.ts";
import { policyPath, realPath } from "./real-path.ts";
import type { Judged } from "./repository/index.ts";

/** The close request that a repository gives, and what could not be found out. */
export interface CloseFacts {
  /** The request for `policy.close(request)`. */
  readonly request: CloseRequest;
  /** Why the changes are unknown, for a person; the policy blocks the commit then. */
  readonly warnings: readonly string[];
  /** What `commitJudged` commits, if the decision allows; `undefined` where the changes are unknown. */
  readonly judged: Judged | undefined;
}

/** The time by which the contract must not have expired. */
export interface ClosingTime {
  /** Milliseconds since 1970; default: the clock's. */
  readonly now?: number;
  /** A commit is about to be made: the contract must not have expired by then. Default: by the last commit. */
  readonly isCommitting?: boolean;
}

const TIME: TableOf<ClosingTime> = { now: "number?", isCommitting: "boolean" };

/**
 * Asks git, with nothing of the repository's configuration. `by`: whose signature the contract has to carry, or `"unsigned"`
 * for no question about it. Throws TypeError for an option that is unknown or of another type, and for nothing else.
 *
 * Cost: reads every file of the work tree that the baseline has.
 */
export function closeFacts(contract: ContractFile, by: Signatory | "unsigned", time: ClosingTime = {}): CloseFacts {
  holdOptions(time, TIME);
  if (by !== "unsigned") holdOptions(by, SIGNATORY);
  const { now = Date.now(), isCommitting = false } = time;
  const { baseline_sha, contract_root, declared_targets, declared_operations } = contract;
  const warnings: string[] = [];
  const changes = changesOr(contract_root, baseline_sha, (message) => warnings.push(message));
  const lastCommit = changes?.lastCommit ?? now;
  const at = isCommitting ? Math.max(now, lastCommit) : lastCommit;
  const facts = {
    baseline_sha: baseline_sha ?? null,
    contract: by === "unsigned" ? by : closedContractFacts(contract, by, at),
    contract_root: forPolicy(contract_root),
    declared_targets: Array.isArray(declared_targets) ? declared_targets.map(forPolicy) : declared_targets,
    declared_operations,
    changed_files: changes?.files ?? null,
  };
  // The policy holds every field to its type.
  return { request: facts as CloseRequest, warnings, judged: changes?.judged };
}

/** `undefined` when the changes are unknown. */
function changesOr(root: unknown, baseline: unknown, warn: (message: string) => void): Changes | undefined {
  if (typeof baseline !== "string") return undefined;
  if (!isCanonicalFolder(root)) {
    warn("`contract_root` is no absolute path of a folder that exists, without a link on the way");
    return undefined;
  }
  try {
    return changedFiles(root, baseline);
  } catch (error) {
    // Whatever it was: git, or a disk that is full.
    warn(`cannot tell what changed: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

/** A folder where its path says: one that is reached by a link is, or was, elsewhere. A real path is absolute. */
export function isCanonicalFolder(path: unknown): path is string {
  return typeof path === "string" && realPath(path) === path && isFolder(path);
}

function forPolicy(path: unknown): unknown {
  return typeof path === "string" && isAbsolute(path) ? policyPath(path) : path;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The facts of a close request: the changes of the repository since the baseline, and the contract's declaration. */

import { isAbsolute, relative, sep } from "node:path";
import type { CloseRequest } from "@portcullis/runtime";
import { type Changes, changedFiles } from "./changed-files.ts";
import { type ContractFile, closedContractFacts, type Signatory } from "./contract.ts";
import { liesIn, policyPath, realPath } from "./real-path.ts";

/** The close request that a repository gives, and what could not be found out. */
export interface CloseFacts {
  /** The request for `policy.close(request)`. */
  readonly request: CloseRequest;
  /** Why the changes are unknown, for a person; the policy blocks the commit then. */
  readonly warnings: readonly string[];
}

/**
 * Asks git, with nothing of the repository's configuration. `by`: whose signature the contract has to carry, or `"unsigned"`
 * for no question about it; `now` in milliseconds since 1970, for where the last commit is unknown. Never throws.
 *
 * Cost: reads every file of the work tree that the baseline has.
 */
export function closeFacts(contract: ContractFile, by: Signatory | "unsigned", now = Date.now()): CloseFacts {
  const { baseline_sha, contract_root, declared_targets, declared_operations } = contract;
  const root = typeof contract_root === "string" && isAbsolute(contract_root) ? realPath(contract_root) : undefined;
  const warnings: string[] = [];
  const changes = changesOr(root, baseline_sha, (message) => warnings.push(message));
  const facts = {
    baseline_sha: baseline_sha ?? null,
    contract: by === "unsigned" ? by : closedContractFacts(contract, by, changes?.lastCommit ?? now),
    contract_root: root === undefined ? contract_root : policyPath(root),
    declared_targets: targetsIn(contract_root, root, declared_targets),
    declared_operations,
    changed_files: changes?.files ?? null,
  };
  // The policy holds every field to its type.
  return { request: facts as CloseRequest, warnings };
}

/** `undefined` when the changes are unknown. */
function changesOr(root: string | undefined, baseline: unknown, warn: (message: string) => void): Changes | undefined {
  if (typeof baseline !== "string") return undefined;
  if (root === undefined) {
    warn("`contract_root` is no absolute path of a folder that exists");
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

/**
 * Absolute targets below the contract root as it is written, below the root as it is: the root may be reached by a link.
 * Targets themselves are not resolved: a link that came into their place since would declare something else.
 */
function targetsIn(written: unknown, root: string | undefined, targets: unknown): unknown {
  if (typeof written !== "string" || !Array.isArray(targets)) return targets;
  return targets.map((target: unknown) => {
    if (typeof target !== "string" || !isAbsolute(target)) return target;
    if (root === undefined || target.split(sep).includes("..") || !liesIn(target, written)) return policyPath(target);
    const below = policyPath(relative(written, target));
    return below === "/" ? policyPath(root) : policyPath(root).replace(/\/$/, "") + below;
  });
}

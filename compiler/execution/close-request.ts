/** The facts of a close request: the changes of the repository since the baseline, and the contract's declaration. */

import { isAbsolute, relative, sep } from "node:path";
import type { CloseRequest } from "@portcullis/runtime";
import { changedFiles } from "./changed-files.ts";
import type { ContractFile } from "./contract.ts";
import { liesIn, policyPath, realPath } from "./real-path.ts";

export interface CloseFacts {
  /** The request for `policy.close(request)`. */
  readonly request: CloseRequest;
  /** Why the changes are unknown, for a person; the policy blocks the commit then. */
  readonly warnings: readonly string[];
}

/**
 * Asks git, with nothing of the repository's configuration. Never throws.
 *
 * Cost: reads every file of the work tree.
 */
export function closeFacts(contract: ContractFile): CloseFacts {
  const { baseline_sha, contract_root, declared_targets } = contract;
  const root = typeof contract_root === "string" && isAbsolute(contract_root) ? realPath(contract_root) : undefined;
  const warnings: string[] = [];
  const facts = {
    baseline_sha: baseline_sha ?? null,
    contract_root: root === undefined ? contract_root : policyPath(root),
    declared_targets: targetsBelow(contract_root, declared_targets),
    changed_files: changesOr(root, baseline_sha, (message) => warnings.push(message)),
  };
  // The policy holds every field to its type.
  return { request: facts as CloseRequest, warnings };
}

/** `null` when the changes are unknown. */
function changesOr(
  root: string | undefined,
  baseline: unknown,
  warn: (message: string) => void,
): CloseRequest["changed_files"] {
  if (typeof baseline !== "string") return null;
  if (root === undefined) {
    warn("`contract_root` is no absolute path of a folder that exists");
    return null;
  }
  try {
    return changedFiles(root, baseline);
  } catch (error) {
    // Whatever it was: git, or a disk that is full.
    warn(`cannot tell what changed: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

/**
 * Targets below the contract root as it is written, relative to it: the root may be reached by a link. Targets themselves are
 * not resolved: a link that came into their place since would declare something else.
 */
function targetsBelow(root: unknown, targets: unknown): unknown {
  if (typeof root !== "string" || !Array.isArray(targets)) return targets;
  return targets.map((target: unknown) => {
    if (typeof target !== "string") return target;
    if (!isAbsolute(target)) return sep === "\\" ? target.replaceAll("\\", "/") : target;
    if (target.split(sep).includes("..") || !liesIn(target, root)) return policyPath(target);
    const below = relative(root, target);
    return below === "" ? "." : policyPath(below).slice(1);
  });
}

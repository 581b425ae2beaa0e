import type { CloseDecision, CloseRequest } from "@portcullis/runtime";
import { folderOf, isCanonical, isInside } from "./paths.ts";
import { isWritten } from "./text.ts";

export function closeOf(): (request: CloseRequest) => CloseDecision {
  return ({ baseline_sha, contract_root, declared_targets, changed_files }) => {
    if (!isWritten(baseline_sha)) return blocked("BASELINE", "no_baseline");
    if (!Array.isArray(changed_files) || !changed_files.every((file) => typeof file?.path === "string"))
      return blocked("DIFF", "diff_unavailable");
    if (
      typeof contract_root !== "string" ||
      !Array.isArray(declared_targets) ||
      !declared_targets.every((target) => typeof target === "string")
    )
      return blocked("INTERNAL_ERROR", "invalid input");

    const root = folderOf(contract_root);
    const targets: string[] = [];
    for (const target of declared_targets) {
      const place = placeOfTarget(contract_root, target);
      if (place !== undefined) targets.push(place);
    }
    const undeclared = new Set<string>();
    for (const { path, resolved } of changed_files) {
      const contained =
        root !== undefined &&
        isCanonical(resolved) &&
        isInside(resolved, root) &&
        targets.some((target) => isInside(resolved, target));
      if (!contained) undeclared.add(path);
    }
    if (undeclared.size > 0) return blocked("CONTAINMENT", "undeclared_changes", [...undeclared].sort());
    return {
      allowed: true,
      gate: "ALLOW",
      reason: "reconciled",
      reply: "S",
      code: "CT-GATE-S-004",
      commit_blocked: false,
      undeclared: [],
    };
  };
}

/** Where a target lies; a relative one starts at the contract's root, and one that shows nothing is none. */
function placeOfTarget(root: string, target: string): string | undefined {
  if (target.startsWith("/")) return folderOf(target);
  return isWritten(target) ? folderOf(`${root}/${target}`) : undefined;
}

function blocked(gate: string, reason: string, undeclared: readonly string[] = []): CloseDecision {
  return { allowed: false, gate, reason, reply: "I", code: "CT-GATE-I-004", commit_blocked: true, undeclared };
}

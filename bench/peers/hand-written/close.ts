import type { CloseRequest } from "@portcullis/runtime";
import type { Answer } from "./constant.ts";
import { folderOf, isCanonical, isInside, isTarget } from "./paths.ts";
import { isWritten } from "./text.ts";

export function closeOf(): (request: CloseRequest) => Answer {
  return ({ baseline_sha, contract, contract_root, declared_targets, declared_operations, changed_files }) => {
    if (!isWritten(baseline_sha)) return blocked("BASELINE", "no_baseline");
    if (contract !== "unsigned") {
      if (contract?.signature_valid !== true) return blocked("CONTRACT", "contract_signature_invalid");
      if (contract.expired !== false) return blocked("CONTRACT", "contract_expired");
    }
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
    const operations = undeclaredOperations(changed_files, declared_operations);
    if (operations.length > 0) return { ...blocked("OPERATIONS", "undeclared_operation"), operations };
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

/** Where a target lies; a relative one starts at the contract's root, and one that is not canonical has no place. */
function placeOfTarget(root: string, target: string): string | undefined {
  if (!isTarget(target)) return undefined;
  return folderOf(target.startsWith("/") ? target : `${root}/${target}`);
}

const OPERATIONS: ReadonlySet<unknown> = new Set(["CREATE", "WRITE", "DELETE", "RENAME", "MODE"]);

/** What was done without being declared, by path; an operation without a name is shown as `null`. */
function undeclaredOperations(
  files: NonNullable<CloseRequest["changed_files"]>,
  declared: unknown,
): readonly { readonly path: string; readonly operation: string | null }[] {
  const allowed = new Set<unknown>(
    Array.isArray(declared) && declared.every((operation) => typeof operation === "string") ? declared : [],
  );
  const found = new Map<string, { readonly path: string; readonly operation: string | null }>();
  for (const { path, operation } of files) {
    if (OPERATIONS.has(operation) && allowed.has(operation)) continue;
    const named = typeof operation === "string" ? operation : null;
    found.set(JSON.stringify([path, named]), { path, operation: named });
  }
  if (found.size === 0) return [];
  return [...found.values()].sort((a, b) => compared(a.path, b.path) || compared(a.operation ?? "", b.operation ?? ""));
}

function compared(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function blocked(gate: string, reason: string, undeclared: readonly string[] = []): Answer {
  return { allowed: false, gate, reason, reply: "I", code: "CT-GATE-I-004", commit_blocked: true, undeclared };
}

/** The close decision, stated from `exec.md`. It reads no policy. */
import type { PolicyData } from "./policy.ts";
import { isTarget } from "./target.ts";
import { type Decision, field, isWritten, type Json } from "./values.ts";

const isText = (value: unknown): value is string => typeof value === "string";

/** An absolute folder written in whatever way, as `/a/b`; `undefined` when it climbs or is relative. */
function folder(path: string): string | undefined {
  if (!path.startsWith("/") || /(^|\/)\.\.(\/|$)/.test(path)) return undefined;
  const clean = path.replace(/\/(\.?\/)+/g, "/").replace(/\/\.?$/, "");
  return clean === "" ? "/" : clean;
}

/** `path` is `base` or below it; both are clean. */
function holds(base: string, path: string): boolean {
  return base === "/" || path === base || path.startsWith(`${base}/`);
}

function contained(root: string | undefined, targets: readonly string[], resolved: unknown): boolean {
  if (!isText(resolved) || root === undefined) return false;
  if (folder(resolved) !== resolved) return false;
  if (!holds(root, resolved)) return false;
  return targets.some((target) => {
    if (!isTarget(target)) return false;
    const base = folder(target.startsWith("/") ? target : `${root}/${target}`);
    return base !== undefined && holds(base, resolved);
  });
}

const operationNames = ["CREATE", "WRITE", "DELETE", "RENAME", "MODE"];

/** What was done without having been declared, as `[path, operation]`. */
function undeclaredOperations(files: readonly unknown[], declared: unknown): Map<string, Json> {
  const allowed = Array.isArray(declared) && declared.every(isText) ? declared : [];
  const found = new Map<string, [string, string | null]>();
  for (const file of files) {
    const path = field(file, "path");
    const operation = field(file, "operation");
    if (!isText(path)) continue;
    if (isText(operation) && operationNames.includes(operation) && allowed.includes(operation)) continue;
    const named = isText(operation) ? operation : null;
    found.set(JSON.stringify([path, named]), [path, named]);
  }
  const inOrder = [...found.entries()].sort(([, a], [, b]) => byCodePoint(a[0], b[0]) || byName(a[1], b[1]));
  return new Map(inOrder.map(([key, [path, operation]]) => [key, { path, operation }]));
}

/** What has no name comes first. */
function byName(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  return byCodePoint(a, b);
}

export function close(_policy: PolicyData, input: unknown): Decision {
  const block = (gate: string, reason: string, undeclared: Json = []): Decision => ({
    allowed: false,
    gate,
    reason,
    reply: "I",
    code: "CT-GATE-I-004",
    commit_blocked: true,
    undeclared,
  });
  if (!isWritten(field(input, "baseline_sha"))) return block("BASELINE", "no_baseline");
  const contract = field(input, "contract");
  if (contract !== "unsigned") {
    if (field(contract, "signature_valid") !== true) return block("CONTRACT", "contract_signature_invalid");
    if (field(contract, "expired") !== false) return block("CONTRACT", "contract_expired");
  }
  const files = field(input, "changed_files");
  if (!Array.isArray(files) || !files.every((file) => isText(field(file, "path")))) {
    return block("DIFF", "diff_unavailable");
  }
  const root = field(input, "contract_root");
  const targets = field(input, "declared_targets");
  if (!isText(root) || !Array.isArray(targets) || !targets.every(isText)) {
    return block("INTERNAL_ERROR", "invalid input");
  }
  const stray = new Set<string>();
  for (const file of files) {
    const path = field(file, "path");
    if (isText(path) && !contained(folder(root), targets, field(file, "resolved"))) stray.add(path);
  }
  if (stray.size > 0) return block("CONTAINMENT", "undeclared_changes", [...stray].sort(byCodePoint));
  const done = undeclaredOperations(files, field(input, "declared_operations"));
  if (done.size > 0) return { ...block("OPERATIONS", "undeclared_operation"), operations: [...done.values()] };
  return {
    allowed: true,
    gate: "ALLOW",
    reason: "reconciled",
    reply: "S",
    code: "CT-GATE-S-004",
    commit_blocked: false,
    undeclared: [],
  };
}

function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** The close decision, stated from `exec.md`. It reads no policy. */
import type { PolicyData } from "./policy.ts";
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
    if (!isWritten(target)) return false;
    const base = folder(target.startsWith("/") ? target : `${root}/${target}`);
    return base !== undefined && holds(base, resolved);
  });
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

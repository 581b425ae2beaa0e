/** Who stands behind the calls of a gateway: given by the host that starts it, never by what an agent sends. */

import { failure, type Result, success } from "@portcullis/documents";
import type { LineageAgent } from "@portcullis/runtime";

export interface Caller {
  readonly role: string;
  readonly lane: string;
  readonly scope: Readonly<Record<string, string>>;
  readonly flags: readonly string[];
  /** Root first; absent if it was not given. */
  readonly lineage?: readonly LineageAgent[];
}

export interface CallerWords {
  readonly role: string;
  readonly lane: string;
  /** `key=value`, each. */
  readonly scope: readonly string[];
  readonly flags: readonly string[];
  /** `root,child,…`: agent types, each at the depth of its place. */
  readonly lineage?: string | undefined;
}

/** The caller that a command line names. */
export function callerOf(words: CallerWords): Result<Caller, "bad-scope" | "bad-lineage"> {
  const scope = new Map<string, string>();
  for (const pair of words.scope) {
    const at = pair.indexOf("=");
    const key = pair.slice(0, Math.max(at, 0));
    if (key === "") return failure("bad-scope", `\`--scope ${pair}\` is not KEY=VALUE`);
    if (scope.has(key)) return failure("bad-scope", `\`--scope\` gives \`${key}\` twice`);
    scope.set(key, pair.slice(at + 1));
  }
  const caller = { role: words.role, lane: words.lane, scope: Object.fromEntries(scope), flags: words.flags };
  if (words.lineage === undefined) return success(caller);
  const types = words.lineage.split(",").map((type) => type.trim());
  if (types.includes("")) return failure("bad-lineage", `\`--lineage ${words.lineage}\` has an empty place`);
  return success({ ...caller, lineage: types.map((agent_type, spawn_depth) => ({ agent_type, spawn_depth })) });
}

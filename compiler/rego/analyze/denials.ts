/** The answer to a fault: the constant value of an entrypoint's `default` rule, if that is a denial. */

import type { Term } from "../syntax/index.ts";
import type { CheckedPolicy } from "./checked.ts";

/**
 * Plain JSON by entrypoint. A default that is neither `{allowed: false, …}` nor AuthZEN's `{decision: false, …}` is not among
 * them: it might open a gate.
 */
export function denialsOf(
  policy: CheckedPolicy,
  entrypoints: readonly string[],
): { readonly [entrypoint: string]: unknown } {
  const wanted = new Set(entrypoints);
  const found: [string, unknown][] = [];
  for (const { path, defaultRule } of policy.groups) {
    const name = path.join("/");
    const term = defaultRule?.head.value;
    const value = term === undefined || !wanted.has(name) ? undefined : constantJson(term);
    if (isDenial(value)) found.push([name, value]);
  }
  return Object.fromEntries(found);
}

function isDenial(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return "allowed" in value ? value.allowed === false : "decision" in value && value.decision === false;
}

/** The value of a term as JSON; `undefined` when it is not constant. */
export function constantJson(term: Term): unknown {
  if (term.kind === "Null") return null;
  if (term.kind === "Boolean" || term.kind === "String") return term.value;
  if (term.kind === "Number") return Number(term.text);
  if (term.kind === "Array") {
    const items = term.items.map(constantJson);
    return items.includes(undefined) ? undefined : items;
  }
  if (term.kind !== "Object") return undefined;
  const entries = term.entries.map(([key, value]) => [constantJson(key), constantJson(value)] as const);
  if (entries.some(([key, value]) => typeof key !== "string" || value === undefined)) return undefined;
  return Object.fromEntries(entries);
}

/** Gates that authors demand with `must`: the rules of each name, and the reason that the bundle's data has for it. */

import { compareText } from "@portcullis/rego/value";
import { valueAt } from "./edit.ts";
import type { Label } from "./labels.ts";
import type { Branch } from "./probes.ts";

/** A gate with the rules of its name, each a way to meet it. */
export interface Requirement extends Label {
  readonly branches: readonly Branch[];
}

const MUST = /^portcullis\/ext\/(\w+)\/must$/;

/** Whether a rule, by its entrypoint's name, is the `must` of a decision. */
export function isRequirement(name: string): boolean {
  return MUST.test(name);
}

/** In the order in which they are asked; empty for another rule. `data`: the bundle's. */
export function requirementsOf(name: string, branches: readonly Branch[], data: unknown): Requirement[] {
  const kind = MUST.exec(name)?.[1];
  if (kind === undefined) return [];
  const reasons = valueAt(data, ["portcullis", "policy", "gates", kind]);
  const byGate = new Map<string, Branch[]>();
  for (const branch of branches) {
    const { key } = branch.rule.head;
    if (key?.kind === "String") byGate.set(key.value, [...(byGate.get(key.value) ?? []), branch]);
  }
  return [...byGate]
    .sort(([a], [b]) => compareText(a, b))
    .map(([gate, of]) => {
      const reason = valueAt(reasons, [gate]);
      return { gate, reason: typeof reason === "string" ? reason : undefined, allowed: false, branches: of };
    });
}

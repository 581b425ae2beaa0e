/** What a branch of a rule answers, as a gate: found in its value, or as it is written where the value cannot be known. */

import { isJsonObject } from "../../base/json-object.ts";
import type { Term } from "../../rego/index.ts";

export interface Label {
  readonly gate: string;
  readonly reason: string | undefined;
  readonly allowed: unknown;
}

export function decisionIn(value: unknown): Label | undefined {
  if (!isJsonObject(value)) return undefined;
  const { gate, reason, allowed } = value;
  if (typeof gate !== "string") return undefined;
  return { gate, reason: typeof reason === "string" ? reason : undefined, allowed: allowed ?? false };
}

/** The first decision in lists of lists. */
export function elementIn(value: unknown): Label | undefined {
  if (!Array.isArray(value)) return decisionIn(value);
  for (const item of value) {
    const found = elementIn(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What an object says of itself as it is written, when its parts cannot be known. */
export function writtenLabel(term: Term | undefined): Label | undefined {
  if (term?.kind !== "Object") return undefined;
  const written = new Map(
    term.entries.flatMap(([k, v]) =>
      k.kind === "String" && (v.kind === "String" || v.kind === "Boolean") ? [[k.value, v.value] as const] : [],
    ),
  );
  return decisionIn(Object.fromEntries(written));
}

export function isSameDenial(label: Label | undefined, decision: unknown): boolean {
  const found = decisionIn(decision);
  return label !== undefined && found !== undefined && label.gate === found.gate && label.reason === found.reason;
}

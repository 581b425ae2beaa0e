/** The gate of a branch's answer: found in its value, or in its text where the value is unknown. */

import type { Term } from "@portcullis/rego/syntax";
import { compareText, isJsonObject } from "@portcullis/rego/value";

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

/** The first decision in lists of lists; of a set of denials, the one that the library takes. */
export function elementIn(value: unknown): Label | undefined {
  if (!Array.isArray(value)) return decisionIn(value);
  const [denial] = value.flatMap((item) => (isDenial(item) ? [decisionIn(item) as Label] : [])).sort(compareDenials);
  if (denial !== undefined) return denial;
  for (const item of value) {
    const found = elementIn(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** As the library holds what extensions answer: others are unreadable. */
function isDenial(item: unknown): boolean {
  const { gate, reason } = decisionIn(item) ?? {};
  return gate !== undefined && gate !== "ALLOW" && /\S/.test(gate) && reason !== undefined && /\S/.test(reason);
}

/** In the order in which the library asks denials of extensions. */
export function compareDenials(a: Partial<Label>, b: Partial<Label>): number {
  return compareText(a.gate ?? "", b.gate ?? "") || compareText(a.reason ?? "", b.reason ?? "");
}

/** The gate in an object's text, when the values of its parts are unknown; `given`: what its variables stand for. */
export function writtenLabel(term: Term | undefined, given: ReadonlyMap<string, Term> = new Map()): Label | undefined {
  if (term?.kind !== "Object") return undefined;
  const written = new Map(
    term.entries.flatMap(([k, part]) => {
      const v = (part.kind === "Var" ? given.get(part.name) : undefined) ?? part;
      return k.kind === "String" && (v.kind === "String" || v.kind === "Boolean") ? [[k.value, v.value] as const] : [];
    }),
  );
  return decisionIn(Object.fromEntries(written));
}

export function isSameDenial(label: Label | undefined, decision: unknown): boolean {
  const found = decisionIn(decision);
  return label !== undefined && found !== undefined && label.gate === found.gate && label.reason === found.reason;
}

/** What a denial means: in the sentence that the library's METADATA has for it, and with all that the decision says. */

import type { DecisionKind } from "../abi/index.ts";
import { GATES } from "./gates.ts";

/**
 * The sentence for a gate and its reason, without a period, filled with members of the decision and of the request. `undefined`
 * for a gate that the library does not describe, and where the sentence names what neither has. Never throws on JSON.
 */
export function denialSentence(
  kind: DecisionKind,
  { gate, reason }: { readonly gate: string; readonly reason: string },
  decision: unknown,
  request: unknown,
): string | undefined {
  const says = GATES[kind].find((described) => described.gate === gate)?.says ?? {};
  const text = Object.entries(says).find(([pattern]) => matches(pattern, reason))?.[1];
  if (text === undefined) return undefined;
  let isWhole = true;
  const sentence = text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const word = wordOf(memberOf(decision, name) ?? memberOf(request, name));
    isWhole &&= word !== undefined;
    return word ?? "";
  });
  return isWhole ? sentence : undefined;
}

/** A denial for people and models: the tool, gate and reason, and what the decision says besides. */
export function denialText(tool: string, decision: { readonly gate: string; readonly reason: string }): string {
  const { allowed: _, gate, reason, ...details } = decision as typeof decision & { readonly allowed?: unknown };
  const more = Object.entries(details).map(([key, value]) => `${key} ${JSON.stringify(value)}`);
  return [`The policy denies ${JSON.stringify(tool)}: ${gate}, ${reason}`, ...more].join("; ");
}

/** `…` stands for any text. */
function matches(pattern: string, reason: string): boolean {
  const [before = "", after] = pattern.split("…");
  if (after === undefined) return pattern === reason;
  return reason.length >= before.length + after.length && reason.startsWith(before) && reason.endsWith(after);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as { readonly [name: string]: unknown })[name]
    : undefined;
}

function wordOf(value: unknown): string | undefined {
  if (typeof value === "string" && value !== "") return value;
  if (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string"))
    return value.join(", ");
  return JSON.stringify(value);
}

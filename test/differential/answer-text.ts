/** Answers as texts that can be compared: those of the reference interpreter, and those of the runtime. */

import type { Policy } from "../../compiler/rego/plan/ir.ts";
import { BudgetExceeded, interpret, PolicyError } from "../interpreter/interpreter.ts";
import { Arr, Obj, print, SetVal, toJson, type Val } from "../interpreter/value.ts";
import { REFUSALS } from "./tally.ts";

/** Canonical text of a value, `undefined` or `conflict`; or why there is nothing to compare. */
export type Interpreted =
  | { readonly answer: string; readonly refused?: undefined }
  | { readonly answer?: undefined; readonly refused: string };

/** What the reference interpreter makes of a plan. */
export function interpretedAnswer(policy: Policy, plan: string, input: Val, data: Val): Interpreted {
  try {
    const [row] = interpret(policy, plan, { input, data, strict: true, budget: 2_000_000 }).items();
    const value = (row as Obj | undefined)?.get("result") as Val | undefined;
    if (value !== undefined && hasAmbiguousKeys(value)) return { refused: REFUSALS.keys };
    return { answer: value === undefined ? "undefined" : canonical(JSON.parse(print(toJson(value)))) };
  } catch (error) {
    if (error instanceof PolicyError) return { answer: "conflict" };
    if (error instanceof BudgetExceeded) return { refused: REFUSALS.budget };
    throw error;
  }
}

/** Whether two keys of an object have the same JSON text, as `[]` and the empty set have: JSON cannot tell what it is then. */
function hasAmbiguousKeys(value: Val): boolean {
  if (value instanceof Arr) return value.items.some(hasAmbiguousKeys);
  if (value instanceof SetVal) return value.items().some(hasAmbiguousKeys);
  if (!(value instanceof Obj)) return false;
  const texts = new Set(value.keys().map((k) => (typeof k === "string" ? k : print(toJson(k)))));
  return texts.size < value.size || value.entries().some(([k, v]) => hasAmbiguousKeys(k) || hasAmbiguousKeys(v));
}

/** What the runtime answered, with the code of its fault if there was one. */
export function answerText(found: unknown, fault: string | undefined): string {
  if (fault !== undefined) return fault === "conflict" ? "conflict" : `fault ${fault}`;
  return found === undefined ? "undefined" : canonical(found);
}

/**
 * Sorted at every level: in which order documents are iterated is promised by no engine. Keys are the JSON texts of what they
 * were: of equal numbers in different spellings either may have come first.
 */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([k, v]) => `${canonicalKey(k)}:${canonical(v)}`);
    return `{${entries.sort().join(",")}}`;
  }
  return JSON.stringify(value);
}

function canonicalKey(key: string): string {
  if (!/^[-\d[{]/.test(key)) return JSON.stringify(key);
  try {
    return canonical(JSON.parse(key));
  } catch {
    return JSON.stringify(key);
  }
}

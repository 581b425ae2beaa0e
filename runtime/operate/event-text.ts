/** Events as JSON text that loses nothing: big integers, numbers of an input that came as text, handles as their texts. */

import { compareStrings } from "../host/order.ts";
import { type ExactJson, type ExactNumber, type ExactObject, parseExactJson } from "../json/exact-json.ts";
import type { DecisionEvent } from "../observe/decision-event.ts";

/**
 * The event as a tree of exact JSON. An input that has no JSON text (a function, NaN, half a surrogate pair) is left out,
 * and `erased` says so.
 */
export function eventTree(event: DecisionEvent): Map<string, ExactJson> {
  const { input, inputText, erased = [], ...rest } = event;
  const tree = new Map<string, ExactJson>();
  const given = input === undefined ? undefined : inputTree(input, inputText);
  const lost = input !== undefined && given === undefined && !erased.includes("/input");
  for (const [key, value] of Object.entries(rest)) {
    tree.set(key, exactOf(value));
    if (key !== "path") continue;
    if (given !== undefined) tree.set("input", given);
    const gone = lost ? [...erased, "/input"] : erased;
    if (gone.length > 0) tree.set("erased", gone);
  }
  return tree;
}

/** One line of JSON. */
export function eventText(event: DecisionEvent): string {
  return exactText(eventTree(event));
}

function inputTree(input: unknown, text: string | undefined): ExactJson | undefined {
  const exact = text === undefined ? undefined : attempt(() => parseExactJson(text));
  // A text that says a key twice: JSON.parse takes the last one, and that was decided on.
  return exact ?? attempt(() => exactOf(input));
}

/** JavaScript data as exact JSON. Throws for values that JSON has no text for. */
export function exactOf(value: unknown): ExactJson {
  switch (typeof value) {
    case "boolean":
      return value;
    case "string":
      // Refuses halves of surrogate pairs.
      return parseExactJson(JSON.stringify(value));
    case "number":
      if (!Number.isFinite(value)) throw new RangeError("no number of JSON");
      return { number: JSON.stringify(value) };
    case "bigint":
      return { number: String(value) };
    case "object": {
      if (value === null) return null;
      if (Array.isArray(value)) return value.map(exactOf);
      const { toJSON } = value as { toJSON?: unknown };
      // A handle; other objects that stand for something else were refused when the request was copied.
      if (typeof toJSON === "function") return exactOf(toJSON.call(value));
      const entries = Object.entries(value).filter(([, item]) => item !== undefined);
      return new Map(entries.map(([key, item]) => [exactOf(key) as string, exactOf(item)]));
    }
    case "undefined":
    case "function":
    case "symbol":
      throw new TypeError(`a ${typeof value} is no JSON`);
  }
}

/** JSON text with members in their order and numbers as they are. */
export function exactText(value: ExactJson): string {
  return write(value, false);
}

/** The canonical bytes of a ledger: the same, with members in the order of their keys' code points. */
export function canonicalText(value: ExactJson): string {
  return write(value, true);
}

function write(value: ExactJson, sorted: boolean): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item: ExactJson) => write(item, sorted)).join(",")}]`;
  if (!isExactObject(value)) return (value as ExactNumber).number;
  const entries = [...value];
  if (sorted) entries.sort(([a], [b]) => compareStrings(a, b));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${write(item, sorted)}`).join(",")}}`;
}

export function isExactObject(value: ExactJson | undefined): value is ExactObject {
  return value instanceof Map;
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Events as JSON text that loses nothing: big integers, numbers of an input that came as text, handles as their texts. */

import { MAX_VALUE_DEPTH } from "../abi/index.ts";
import { attempt } from "../host/attempt.ts";
import { compareStrings } from "../host/order.ts";
import { type ExactJson, type ExactNumber, type ExactObject, parseExactJson, wellFormed } from "../json/index.ts";
import { cacheText, type DecisionEvent } from "../observe/index.ts";

/** The event as a tree of exact JSON. An input that has no JSON text is left out, and `erased` and `unrecorded` say so. */
export function eventTree(event: DecisionEvent): Map<string, ExactJson> {
  const { input, inputText, erased = [], answers, ...rest } = event;
  const tree = new Map<string, ExactJson>();
  const given = input === undefined ? undefined : inputTree(input, inputText);
  for (const [key, value] of Object.entries(rest)) {
    tree.set(
      key,
      key === "nd_builtin_cache" && answers !== undefined ? parseExactJson(cacheText(answers)) : exactOf(value),
    );
    if (key !== "path") continue;
    if (given !== undefined) tree.set("input", given);
    if (erased.length > 0) tree.set("erased", [...erased]);
  }
  if (input === undefined || given !== undefined) return tree;
  return tree.set("erased", ["/input"]).set("unrecorded", ["/input"]);
}

/** One line of JSON. */
export function eventText(event: DecisionEvent): string {
  return exactText(eventTree(event));
}

function inputTree(input: unknown, text: string | undefined): ExactJson | undefined {
  return attempt(() =>
    text === undefined
      ? exactOf(input)
      : parseExactJson(text, { depth: MAX_VALUE_DEPTH, asDecided: true, keepHalves: true }),
  );
}

/** More than the levels around an input or a result: an event, a list of events. */
const AROUND = 8;

/** An event, or what else stands in a line. Throws JsonTextError. */
export function parseLine(line: string): ExactJson {
  return parseExactJson(line, { depth: MAX_VALUE_DEPTH + AROUND, keepHalves: true });
}

/** JavaScript data as exact JSON. Throws for values that JSON has no text for, and for more levels than a decision has. */
export function exactOf(value: unknown, depth = 0): ExactJson {
  if (depth > MAX_VALUE_DEPTH) throw new RangeError(`nested more than ${MAX_VALUE_DEPTH} levels deep`);
  switch (typeof value) {
    case "boolean":
      return value;
    case "string":
      return wellFormed(value);
    case "number":
      if (!Number.isFinite(value)) throw new RangeError("no number of JSON");
      return { number: JSON.stringify(value) };
    case "bigint":
      return { number: String(value) };
    case "object": {
      if (value === null) return null;
      if (Array.isArray(value)) return value.map((item) => exactOf(item, depth + 1));
      const { toJSON } = value as { toJSON?: unknown };
      // A handle; other objects that stand for something else were refused when the request was copied.
      if (typeof toJSON === "function") return exactOf(toJSON.call(value), depth + 1);
      const entries = Object.entries(value).filter(([, item]) => item !== undefined);
      // Halves of surrogate pairs stay: two names that differ in them alone are two names.
      return new Map(entries.map(([key, item]) => [key, exactOf(item, depth + 1)]));
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

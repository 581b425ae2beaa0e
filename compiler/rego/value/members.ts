/** Parts of values: look-ups as Rego makes them, turns of loops, and objects with changes. */

import { compareValues, sortedEntries, sortedItems } from "./order.ts";
import type { Value } from "./value.ts";

/** `source[key]` for two values: `undefined` when there is no such element. */
export function elementOf(source: Value, key: Value): Value | undefined {
  switch (source.kind) {
    case "object": {
      if (key.kind === "string") return memberOf(source, key.value);
      return source.entries.findLast(([k]) => compareValues(k, key) === 0)?.[1];
    }
    case "array":
      return key.kind === "number" ? source.items[indexOf(key.text)] : undefined;
    case "set":
      if (key.kind === "string" && source.items.length > FEW)
        return textsOf(source.items).has(key.value) ? key : undefined;
      return source.items.find((v) => compareValues(v, key) === 0);
    case "string":
    case "number":
    case "boolean":
    case "null":
      return undefined;
  }
}

const stringKeys = new WeakMap<Value, ReadonlyMap<string, Value>>();

/** Objects of more entries get a Map: a table of a hundred thousand records needs none for each. */
const FEW = 16;

/** The index that a number is, as OPA reads it and rtlib/number.ts does: `1.0` is 1 and `-0` is 0; -1 for none. */
function indexOf(text: string): number {
  const [, sign, digits = ""] = /^(-?)(?=.{1,19}$)([0-9]+)(?:\.0*)?$/.exec(text) ?? [];
  return digits === "" || (sign === "-" && /[1-9]/.test(digits)) ? -1 : Number(digits);
}

const textsInSets = new WeakMap<readonly Value[], ReadonlySet<string>>();

/** The texts in a set. O(1) after the first time. */
function textsOf(items: readonly Value[]): ReadonlySet<string> {
  const known = textsInSets.get(items);
  if (known !== undefined) return known;
  const texts = new Set(items.flatMap((item) => (item.kind === "string" ? [item.value] : [])));
  textsInSets.set(items, texts);
  return texts;
}

/** The member of an object with a string key, or `undefined`. O(1) after the first look-up in an object. */
export function memberOf(object: Value, key: string): Value | undefined {
  if (object.kind !== "object") return undefined;
  if (object.entries.length <= FEW)
    return object.entries.findLast(([k]) => k.kind === "string" && k.value === key)?.[1];
  let members = stringKeys.get(object);
  if (members === undefined) {
    members = new Map(object.entries.flatMap(([k, v]) => (k.kind === "string" ? [[k.value, v] as const] : [])));
    stringKeys.set(object, members);
  }
  return members.get(key);
}

/** What lies at a path of keys; `undefined` where there is nothing. */
export function valueAt(value: Value | undefined, path: readonly string[]): Value | undefined {
  return path.reduce<Value | undefined>((at, key) => (at === undefined ? undefined : memberOf(at, key)), value);
}

/** Whether a rule at the path would lie on a value, or below one that is not an object: `value` itself may be anything. */
export function isOccupied(value: Value, path: readonly string[]): boolean {
  let at = value;
  for (const [depth, key] of path.entries()) {
    if (at.kind !== "object") return depth > 0;
    const next = memberOf(at, key);
    if (next === undefined) return false;
    at = next;
  }
  return true;
}

/** Keys and values in the order in which a loop meets them. */
export function turnsOf(value: Value | undefined): readonly (readonly [Value, Value])[] {
  switch (value?.kind) {
    case "array":
      return value.items.map((item, i) => [{ kind: "number", text: String(i) }, item]);
    case "set":
      return sortedItems(value.items).map((item) => [item, item]);
    case "object":
      return sortedEntries(value.entries);
    default:
      return [];
  }
}

/** `a` wins, member by member of objects. */
export function merged(a: Value, b: Value): Value {
  if (a.kind !== "object" || b.kind !== "object") return a;
  const own = a.entries.map(([key, value]) => {
    const other = elementOf(b, key);
    return [key, other === undefined ? value : merged(value, other)] as const;
  });
  return { kind: "object", entries: [...b.entries.filter(([key]) => elementOf(a, key) === undefined), ...own] };
}

/** `base` with another value at a path, or without one; other values on the way become objects. */
export function replaced(base: Value | undefined, path: readonly string[], value: Value): Value;
export function replaced(base: Value | undefined, path: readonly string[], value: Value | undefined): Value | undefined;
export function replaced(
  base: Value | undefined,
  path: readonly string[],
  value: Value | undefined,
): Value | undefined {
  const [head, ...rest] = path;
  if (head === undefined) return value;
  const entries = base?.kind === "object" ? base.entries : [];
  const isHead = ([key]: readonly [Value, Value]): boolean => key.kind === "string" && key.value === head;
  const inner = replaced(entries.find(isHead)?.[1], rest, value);
  const others = entries.filter((entry) => !isHead(entry));
  return {
    kind: "object",
    entries: inner === undefined ? others : [...others, [{ kind: "string", value: head }, inner]],
  };
}

/** As PrefixStmt has it: the value of the longest of an object's keys with which a text begins. */
export function longestPrefix(source: Value, text: Value): Value | undefined {
  if (source.kind !== "object" || text.kind !== "string") return undefined;
  let longest = -1;
  let found: Value | undefined;
  for (const [key, value] of source.entries) {
    if (key.kind !== "string" || key.value.length <= longest || !text.value.startsWith(key.value)) continue;
    longest = key.value.length;
    found = value;
  }
  return found;
}

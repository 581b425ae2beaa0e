/** Requests without what does not matter to their answer. */

import { isJsonObject, type JsonObject } from "@portcullis/rego/value";

/**
 * The request with as few members and elements as its answer needs: without any one that is left, `holds` is false. Members
 * named in `kept` stay as they are.
 *
 * Cost: some questions for each member, at any depth.
 */
export function minimal(
  request: JsonObject,
  holds: (smaller: JsonObject) => boolean,
  kept: readonly string[] = [],
): JsonObject {
  let current = request;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const smaller of smallerThan(current, kept)) {
      if (!holds(smaller)) continue;
      current = smaller;
      isSmaller = true;
      break;
    }
  }
  return current;
}

/** The request without one member or element, the outer ones first. */
function* smallerThan(request: JsonObject, kept: readonly string[]): Generator<JsonObject> {
  const free = Object.keys(request).filter((key) => !kept.includes(key));
  for (const key of free) yield without(request, key);
  for (const key of free) for (const value of smallerValues(request[key])) yield { ...request, [key]: value };
}

function* smallerValues(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    for (const i of value.keys()) yield value.toSpliced(i, 1);
    for (const [i, item] of value.entries()) for (const smaller of smallerValues(item)) yield value.with(i, smaller);
  }
  if (isJsonObject(value)) yield* smallerThan(value, []);
}

function without(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

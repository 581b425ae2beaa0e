/** Changes of a JSON document, each at one path; what is not changed is shared with the document before. */

import { isJsonObject } from "@portcullis/rego/value";

export type Path = readonly (string | number)[];

export interface Edit {
  readonly document: "input" | "data";
  readonly path: Path;
  /** `undefined` removes the member. */
  readonly to: unknown;
}

const MOST_TEXTS = 60;

/** The value at a path, or `undefined`. */
export function valueAt(document: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return typeof key === "number" ? value[key] : undefined;
    return isJsonObject(value) && Object.hasOwn(value, key) ? value[String(key)] : undefined;
  }, document);
}

/** The document with another value at the path; other values on the way become objects. */
export function edited(document: unknown, path: Path, to: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return to;
  if (Array.isArray(document) && typeof key === "number") {
    const items = [...document];
    const inner = edited(items[key], rest, to);
    if (inner === undefined) items.splice(key, 1);
    else items[key] = inner;
    return items;
  }
  const entries = isJsonObject(document) ? Object.entries(document) : [];
  const old = entries.find(([name]) => name === String(key));
  const inner = edited(old?.[1], rest, to);
  const others = entries.filter((entry) => entry !== old);
  return Object.fromEntries(inner === undefined ? others : [...others, [String(key), inner]]);
}

/** Every text in a value, without its keys, and no more than a few. */
export function textsIn(value: unknown): string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  const parts = Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : [];
  return [...new Set(parts.flatMap(textsIn))].slice(0, MOST_TEXTS);
}

/** Requests that are right, and each of their values left out, null, or of every other type: one at a time, or arbitrarily. */

import { nearMisses, neighbours } from "./near-misses.ts";

/** Stands for "leave the field out". */
export const absent = Symbol("absent");

/** A value of every type, those that look like others, and those that look like nothing. */
export const oddValues: readonly unknown[] = [
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  4294967296,
  1e21,
  "",
  " ",
  "true",
  "TRUE",
  "x",
  "a|b",
  "\ufeff",
  "__proto__",
  [],
  [true],
  ["x"],
  [null],
  {},
  { true: true },
];

/** JSON pointers to every value inside, `""` for the whole. */
export function placesOf(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [path];
  const inner = Object.entries(value).flatMap(([key, one]) => placesOf(one, `${path}/${escaped(key)}`));
  return [path, ...inner];
}

/** The request with what the pointer names replaced or, by `absent`, removed; unchanged where there is nothing of the name. */
export function replaced(request: unknown, pointer: string, value: unknown): unknown {
  const root = { request: structuredClone(request) };
  const keys = `/request${pointer}`.split("/").slice(1).map(unescaped);
  const last = keys.pop()!;
  let at: unknown = root;
  for (const key of keys) at = typeof at === "object" && at !== null ? Reflect.get(at, key) : undefined;
  if (typeof at !== "object" || at === null || (Array.isArray(at) && !(Number(last) < at.length))) return root.request;
  if (value !== absent) Reflect.set(at, last, structuredClone(value));
  else if (Array.isArray(at)) at.splice(Number(last), 1);
  else Reflect.deleteProperty(at, last);
  return root.request;
}

/** What stands at a place. */
export function valueAt(request: unknown, pointer: string): unknown {
  let at: unknown = request;
  for (const key of pointer.split("/").slice(1).map(unescaped))
    at = typeof at === "object" && at !== null ? Reflect.get(at, key) : undefined;
  return at;
}

/** The request, and every request that differs from it in one value. `more` lists further values for some places. */
export function spoiledOnce(good: object, more: { readonly [pointer: string]: readonly unknown[] } = {}): unknown[] {
  const values = (pointer: string): unknown[] => {
    const right = valueAt(good, pointer);
    const near = typeof right === "string" ? nearMisses(right) : neighbours(right);
    return [absent, ...oddValues, ...near, ...(more[pointer] ?? [])];
  };
  const pointers = new Set([...placesOf(good), ...Object.keys(more)]);
  return [good, ...[...pointers].flatMap((pointer) => values(pointer).map((value) => replaced(good, pointer, value)))];
}

function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

function unescaped(key: string): string {
  return key.replaceAll("~1", "/").replaceAll("~0", "~");
}

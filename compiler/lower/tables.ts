/** How tables stand in the data: an object whose keys are ids, so that a gate is a look-up. */

import type { Named } from "../model/index.ts";

/** A set, as an object: membership is one look-up. */
export type Names = { readonly [name: string]: true };
export type Table<T> = { readonly [id: string]: T };

/** Objects without a prototype: `__proto__` is an id like any other. */
export function table<A, B>(items: ReadonlyMap<string, A>, row: (item: A) => B): Table<B> {
  const result = Object.create(null) as { [id: string]: B };
  for (const [id, item] of items) result[id] = row(item);
  return result;
}

export function set(items: readonly string[]): Names {
  const result = Object.create(null) as { [name: string]: true };
  for (const item of items) result[item] = true;
  return result;
}

export function names(items: readonly Named[]): Names {
  return set(texts(items));
}

export function texts(items: readonly Named[]): readonly string[] {
  return items.map((i) => i.name);
}

/** `names`, one for all lists that name the same: thousands of tools have few scopes, flags and tables. */
export function sharedNames(): (items: readonly Named[]) => Names {
  const known = new Map<string, Names>();
  return (items) => {
    const text = JSON.stringify(texts(items));
    let found = known.get(text);
    if (found === undefined) {
      found = names(items);
      known.set(text, found);
    }
    return found;
  };
}

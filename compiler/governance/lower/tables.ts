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

/** The lists that begin alike, by their next name. */
interface Lists {
  names: Names | undefined;
  readonly next: Map<string, Lists>;
}

/** `names`, one for all lists that name the same: thousands of tools have few scopes, flags and tables. */
export function sharedNames(): (items: readonly Named[]) => Names {
  const root: Lists = { names: undefined, next: new Map() };
  return (items) => {
    if (items.length > LONG) return names(items);
    let at = root;
    for (const { name } of items) {
      let next = at.next.get(name);
      if (next === undefined) at.next.set(name, (next = { names: undefined, next: new Map() }));
      at = next;
    }
    return (at.names ??= names(items));
  };
}

/** Lists of more names have hardly a twin. */
const LONG = 8;

/**
 * The rule index: which of many definitions can hold, by tables over the places that their guards are about. A node either
 * lists items, or asks a place of the input: a table gives the number of the branch that is left to look at; the items that
 * have no guard on that place are looked at in any case.
 *
 * INVARIANT: an item that is passed over has a guard that does not hold. The items of a branch stand in the order of all.
 */

import { compareValues, type Value } from "../value/index.ts";
import type { Guard, Guards, Place } from "./guards.ts";

export type IndexNode<T> =
  | { readonly kind: "items"; readonly items: readonly T[] }
  | Table<T>
  /** One after the other. */
  | { readonly kind: "sequence"; readonly nodes: readonly IndexNode<T>[] };

export interface Table<T> {
  readonly kind: "equal" | "prefix";
  readonly place: Place;
  /** Values of the place, or its prefixes, and the number of their branch. */
  readonly entries: readonly (readonly [Value, number])[];
  readonly branches: readonly IndexNode<T>[];
}

/** One of the things that are indexed. */
interface Item<T> {
  readonly item: T;
  readonly guards: Guards;
}

interface Options {
  /** Fewer items are listed. */
  readonly from: number;
  /** Whether what comes first counts: then the items with a guard and those without take their turns. */
  readonly isOrdered: boolean;
}

/** Tables behind tables; more is not worth the room. */
const MAX_INDEX_LEVELS = 3;
/** All branches of a table together may list each item this many times. */
const MAX_COPIES = 4;

export function indexOf<T>(items: readonly Item<T>[], options: Options, depth = 0): IndexNode<T> {
  const list: IndexNode<T> = { kind: "items", items: items.map((i) => i.item) };
  if (items.length < options.from || depth === MAX_INDEX_LEVELS) return list;
  for (const name of placesByUse(items, options.from)) {
    const found = options.isOrdered ? inTurns(items, name, options, depth) : inTwo(items, name, options, depth);
    if (found !== undefined) return found;
  }
  return list;
}

/** The names of guards that enough items have, those that most have first. */
function placesByUse<T>(items: readonly Item<T>[], least: number): string[] {
  const counts = new Map<string, number>();
  for (const { guards } of items) for (const name of guards.keys()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count >= least)
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .map(([name]) => name);
}

function inTwo<T>(items: readonly Item<T>[], name: string, options: Options, depth: number): IndexNode<T> | undefined {
  const table = tableOf(
    items.filter((i) => i.guards.has(name)),
    name,
    options,
    depth,
  );
  const rest = items.filter((i) => !i.guards.has(name));
  if (table === undefined || rest.length === 0) return table;
  return { kind: "sequence", nodes: [table, indexOf(rest, options, depth)] };
}

function inTurns<T>(
  items: readonly Item<T>[],
  name: string,
  options: Options,
  depth: number,
): IndexNode<T> | undefined {
  const runs: Item<T>[][] = [];
  for (const [i, item] of items.entries()) {
    const before = items[i - 1];
    if (before === undefined || before.guards.has(name) !== item.guards.has(name)) runs.push([]);
    (runs.at(-1) as Item<T>[]).push(item);
  }
  const nodes = runs.map((run): IndexNode<T> => {
    const table =
      run.length >= options.from && run[0]?.guards.has(name) ? tableOf(run, name, options, depth) : undefined;
    return table ?? { kind: "items", items: run.map((i) => i.item) };
  });
  if (nodes.every((n) => n.kind === "items")) return undefined;
  return nodes.length === 1 ? nodes[0] : { kind: "sequence", nodes };
}

/** `undefined` where a table would tell too little, or take too much room. */
function tableOf<T>(items: readonly Item<T>[], name: string, options: Options, depth: number): Table<T> | undefined {
  const guards = items.map((i) => i.guards.get(name) as Guard);
  const [{ kind, place }] = guards as [Guard, ...Guard[]];
  const lists = kind === "equal" ? listsByValue(guards) : listsByPrefix(guards);
  if (lists === undefined) return undefined;
  const branches = new Map<string, { readonly number: number; readonly list: readonly number[] }>();
  const entries = lists.map(([value, list]) => {
    const key = list.join(",");
    const branch = branches.get(key) ?? { number: branches.size, list };
    branches.set(key, branch);
    return [value, branch.number] as const;
  });
  const all = [...branches.values()].map(({ list }) => list);
  const isUseless = all.every((list) => list.length === items.length);
  if (isUseless || all.reduce((sum, list) => sum + list.length, 0) > MAX_COPIES * items.length) return undefined;
  const without = ({ item, guards: own }: Item<T>): Item<T> => ({
    item,
    guards: new Map([...own].filter(([other]) => other !== name)),
  });
  const node = (list: readonly number[]): IndexNode<T> =>
    indexOf(
      list.map((i) => without(items[i] as Item<T>)),
      options,
      depth + 1,
    );
  return { kind, place, entries, branches: all.map(node) };
}

/** Each value, with the numbers of the items that may hold for it. */
function listsByValue(guards: readonly Guard[]): (readonly [Value, readonly number[]])[] {
  const pairs = guards.flatMap((g, i) => (g.kind === "equal" ? g.values.map((value) => [value, i] as const) : []));
  pairs.sort(([a, i], [b, j]) => compareValues(a, b) || i - j);
  const lists: [Value, number[]][] = [];
  for (const [value, i] of pairs) {
    const last = lists.at(-1);
    if (last === undefined || compareValues(last[0], value) !== 0) lists.push([value, [i]]);
    else if (last[1].at(-1) !== i) last[1].push(i);
  }
  return lists;
}

/**
 * Each prefix, with the numbers of the items that may hold for a text of which it is the longest prefix there is: its own,
 * and those of its own prefixes. `undefined` where that copies too many.
 */
function listsByPrefix(guards: readonly Guard[]): (readonly [Value, readonly number[]])[] | undefined {
  const byPrefix = new Map<string, Set<number>>();
  for (const [i, guard] of guards.entries()) {
    for (const prefix of guard.kind === "prefix" ? guard.prefixes : [])
      byPrefix.set(prefix, (byPrefix.get(prefix) ?? new Set()).add(i));
  }
  const lists: [Value, number[]][] = [];
  const most = [...byPrefix.values()].reduce((sum, list) => sum + list.size, 0) * MAX_COPIES;
  let total = 0;
  // In this order a prefix stands in front of all that begin with it: those that hold so far are a stack.
  const outer: { readonly prefix: string; readonly list: ReadonlySet<number> }[] = [];
  for (const prefix of [...byPrefix.keys()].sort()) {
    while (outer.length > 0 && !prefix.startsWith((outer.at(-1) as { prefix: string }).prefix)) outer.pop();
    const list = new Set([...(outer.at(-1)?.list ?? []), ...(byPrefix.get(prefix) as Set<number>)]);
    total += list.size;
    if (total > most) return undefined;
    outer.push({ prefix, list });
    lists.push([{ kind: "string", value: prefix }, [...list].sort((a, b) => a - b)]);
  }
  return lists;
}

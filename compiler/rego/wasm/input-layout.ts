/**
 * The memory layout of the input, by which compiled code finds a member without searching for it.
 *
 * The slot area: objects of static memory, for which nothing is allocated. There is one tree of such objects for all
 * entrypoints; each entrypoint reads those slots that its footprint names, and the runtime fills just these. A slot holds
 * the address of a value, 0 for undefined. A member that is an object has an object of the tree, and its slot holds the
 * address of that; where the input has any other value, its slot holds that value, and the object below is not read.
 *
 * Rows: elements of arrays. Each has all keys that any entrypoint reads, in one order, whose number is in its first word. The
 * slot area has a few rows for each array that it has a slot for; further ones are made on the heap.
 */

import { type FootprintNode, RECORD_ENTRIES, type RowArray, TAG_OBJECT, VALUE_ROW } from "@portcullis/runtime/abi";
import type { Footprint } from "../optimize/index.ts";
import { type Block, eachStmt, INPUT, type Local, type Policy, type StmtOf } from "../plan/index.ts";
import type { StaticData } from "./static-data.ts";

/** The layouts that a part of the input may have in memory: an object of the slot area, a row, or an array of rows. */
export interface InputLayout {
  readonly object?: SlotObject | undefined;
  readonly row?: Row | undefined;
  readonly each?: Row | undefined;
  /** The rows that the slot area has for the elements. */
  readonly rows?: RowArray | undefined;
}

/** An object of the slot area. */
export interface SlotObject {
  readonly address: number;
  /** By key: the slot of the value's address, and the layout of the value. */
  readonly members: ReadonlyMap<string, { readonly slot: number; readonly layout: InputLayout }>;
}

/** A kind of row: its order of keys. */
export interface Row {
  readonly number: number;
  /** The layouts of the values by key, in the order of the entries. */
  readonly members: ReadonlyMap<string, InputLayout>;
}

/** Members below this depth are handed over whole. */
const DEEPEST = 16;
/** The largest number that the first word of a row has bits for. */
const MOST_ROWS = 0xffff;
/** Elements of an array for which the slot area has rows. */
const STATIC_ROWS = 16;

/** Lays out the objects for the footprints of all entrypoints; `undefined` where there is nothing to lay out. */
export function layOutSlots(data: StaticData, footprints: readonly Footprint[]): SlotObject | undefined {
  let rows = 0;

  const object = (all: readonly Footprint[], depth: number): SlotObject | undefined => {
    const keys = keysOf(all);
    if (keys.length === 0 || depth === DEEPEST) return undefined;
    const { address, slots } = data.slots(keys);
    const members = keys.map((key, i) => {
      const below = membersOf(all, key);
      const each = row(elementsOf(below), depth + 2);
      const rows = each && data.rows([...each.members.keys()], rowWord(each.number), STATIC_ROWS);
      return [key, { slot: slots[i] as number, layout: { object: object(below, depth + 1), each, rows } }] as const;
    });
    return { address, members: new Map(members) };
  };

  const row = (all: readonly Footprint[], depth: number): Row | undefined => {
    const keys = keysOf(all);
    if (keys.length === 0 || depth >= DEEPEST || rows === MOST_ROWS) return undefined;
    const number = ++rows;
    const members = keys.map((key) => {
      const below = membersOf(all, key);
      return [key, { row: row(below, depth + 1), each: row(elementsOf(below), depth + 2) }] as const;
    });
    return { number, members: new Map(members) };
  };

  return object(footprints, 0);
}

/** The keys of an object that any of them reads. */
function keysOf(footprints: readonly Footprint[]): string[] {
  const objects = footprints.filter(isSlotted);
  return [...new Set(objects.flatMap((f) => [...f.members.keys()]))].sort(compareKeys);
}

function membersOf(footprints: readonly Footprint[], key: string): Footprint[] {
  return footprints.filter(isSlotted).flatMap((f) => f.members.get(key) ?? []);
}

function elementsOf(footprints: readonly Footprint[]): Footprint[] {
  return footprints.flatMap((f) => (f.whole ? [] : (f.each ?? [])));
}

/** Whether the runtime hands over an object of the tree: some members of it are needed, and not all of it. */
function isSlotted({ whole, each, members }: Footprint): boolean {
  return !whole && each === undefined && members.size > 0;
}

/** The footprint as the runtime reads it, from the module's custom section. */
export function footprintNode(data: StaticData, footprint: Footprint, at: InputLayout, depth = 0): FootprintNode {
  const { whole, each, members } = footprint;
  if (whole || depth === DEEPEST) return true;
  if (each !== undefined) {
    // Another entrypoint may have rows here, whose elements this one goes through.
    const rows = each.each === undefined && !each.whole ? at.rows : undefined;
    return {
      each: footprintNode(data, each, { row: at.each }, depth + 1),
      ...(members.size === 0 ? { ofObjects: true } : {}),
      ...(isLookedUp(each) ? { lookUp: true } : {}),
      ...(rows === undefined ? {} : { rows }),
    };
  }
  const { object, row } = at;
  const sorted = [...members].sort(([a], [b]) => compareKeys(a, b));
  const keys = row === undefined ? sorted.map(([key]) => key) : [...row.members.keys()];
  for (const key of keys) data.string(key);
  const nodes = sorted.map(([key, member]): readonly [string, FootprintNode] => [
    key,
    footprintNode(data, member, object?.members.get(key)?.layout ?? row?.members.get(key) ?? {}, depth + 1),
  ]);
  const lookUp = sorted.flatMap(([key, member]) => (isLookedUp(member) ? [key] : []));
  const node = { members: Object.fromEntries(nodes), ...(lookUp.length === 0 ? {} : { lookUp }) };
  if (object !== undefined) {
    const slots = sorted.map(([key]): readonly [string, number] => [key, object.members.get(key)?.slot as number]);
    return { ...node, object: object.address, slots: Object.fromEntries(slots) };
  }
  return row === undefined ? node : { ...node, row: { number: row.number, keys } };
}

/** Whether a string there is worth looking up; where all of the value is handed over, a string anywhere in it. */
function isLookedUp({ lookUp, whole, each, members }: Footprint): boolean {
  if (lookUp || !whole) return lookUp;
  return (
    (each !== undefined && isLookedUp({ ...each, whole })) ||
    [...members.values()].some((m) => isLookedUp({ ...m, whole }))
  );
}

function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A look-up without a search, for a source that is this object, or a row, which begins with this word. */
export type InputDot =
  | { readonly kind: "slot"; readonly object: number; readonly slot: number }
  | { readonly kind: "row"; readonly firstWord: number; readonly offset: number };

/** Look-ups of a function whose source may be an object of the slot area or a row. */
export type InputDots = ReadonlyMap<StmtOf<"DotStmt">, InputDot>;

/**
 * Points-to analysis of a function for the layouts of the input. It is a hint: a local may point to other values as well, so
 * compiled code compares the source first.
 */
export function inputDots(policy: Policy, blocks: readonly Block[], root: SlotObject | undefined): InputDots {
  const found = new Map<StmtOf<"DotStmt">, InputDot>();
  if (root === undefined) return found;
  const pointsTo = new Map<Local, InputLayout>([[INPUT, { object: root }]]);
  const point = (local: Local, layout: InputLayout | undefined): void => {
    if (layout !== undefined) pointsTo.set(local, layout);
  };
  const dot = (stmt: StmtOf<"DotStmt">): void => {
    const { source, key, target } = stmt;
    const from = source.kind === "Local" ? pointsTo.get(source.local) : undefined;
    if (from === undefined) return;
    if (key.kind !== "String") return point(target, from.each && { row: from.each });
    const text = policy.strings[key.index] as string;
    const member = from.object?.members.get(text);
    if (from.object !== undefined && member !== undefined) {
      found.set(stmt, { kind: "slot", object: from.object.address, slot: member.slot });
      return point(target, member.layout);
    }
    const at = from.row === undefined ? -1 : [...from.row.members.keys()].indexOf(text);
    if (from.row === undefined || at < 0) return;
    found.set(stmt, { kind: "row", firstWord: rowWord(from.row.number), offset: RECORD_ENTRIES + at * 8 + 4 });
    point(target, from.row.members.get(text));
  };
  eachStmt(blocks, (stmt) => {
    if (stmt.kind === "DotStmt") dot(stmt);
    if (stmt.kind === "AssignVarStmt" && stmt.source.kind === "Local")
      point(stmt.target, pointsTo.get(stmt.source.local));
    if (stmt.kind === "ScanStmt") {
      const each = pointsTo.get(stmt.source)?.each;
      point(stmt.value, each && { row: each });
    }
  });
  return found;
}

/** The first word of every row of this number. */
function rowWord(number: number): number {
  return TAG_OBJECT | (number << (VALUE_ROW * 8));
}

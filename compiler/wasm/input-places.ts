/**
 * Where the runtime puts what it hands over of an input, so that compiled code finds a member without searching for it.
 *
 * The slot area: objects of static memory, for which nothing is allocated. There is one tree of such objects for all
 * entrypoints; each entrypoint reads those slots that its footprint names, and the runtime fills just these. A slot holds
 * the address of a value, 0 for undefined. A member that is an object itself has an object of the tree, whose address the
 * slot then holds; where the input has anything else, its slot holds that, and the object below is not read.
 *
 * Rows: elements of arrays. Each has all keys that any entrypoint asks for, in one order, and says in its first word which
 * order that is. The slot area has a few for each array that it has a slot for; more of them are made on the heap.
 */

import { type FootprintNode, RECORD_ENTRIES, type RowArray, TAG_OBJECT, VALUE_ROW } from "@portcullis/runtime/abi";
import type { Footprint } from "../optimize/footprint.ts";
import { blocksOf } from "../plan/fields.ts";
import { type Block, INPUT, type Local, type Policy, type StmtOf } from "../plan/ir.ts";
import type { StaticData } from "./static-data.ts";

/** What may stand at some place of the input: an object of the slot area, or a row, or an array of rows. */
export interface Place {
  readonly object?: SlotObject | undefined;
  readonly row?: Row | undefined;
  readonly each?: Row | undefined;
  /** Where the slot area has rows for the elements. */
  readonly rows?: RowArray | undefined;
}

/** An object of the slot area. */
export interface SlotObject {
  readonly address: number;
  /** By key, where the value's address is, and what may stand there. */
  readonly members: ReadonlyMap<string, { readonly slot: number; readonly place: Place }>;
}

/** An order of keys. */
export interface Row {
  readonly number: number;
  /** By key, in the order of the entries, what may stand there. */
  readonly members: ReadonlyMap<string, Place>;
}

/** Members that lie deeper are handed over whole. */
const DEEPEST = 16;
/** The largest number that fits into its place. */
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
      return [key, { slot: slots[i] as number, place: { object: object(below, depth + 1), each, rows } }] as const;
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

/** The keys that any of them asks an object for. */
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

/** What the runtime must know of a footprint. */
export function footprintNode(data: StaticData, footprint: Footprint, at: Place, depth = 0): FootprintNode {
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
    footprintNode(data, member, object?.members.get(key)?.place ?? row?.members.get(key) ?? {}, depth + 1),
  ]);
  const lookUp = sorted.flatMap(([key, member]) => (isLookedUp(member) ? [key] : []));
  const node = { members: Object.fromEntries(nodes), ...(lookUp.length === 0 ? {} : { lookUp }) };
  if (object !== undefined) {
    const slots = sorted.map(([key]): readonly [string, number] => [key, object.members.get(key)?.slot as number]);
    return { ...node, object: object.address, slots: Object.fromEntries(slots) };
  }
  return row === undefined ? node : { ...node, row: { number: row.number, keys } };
}

/** Whether a string there, or below where all of it is handed over, is worth looking up. */
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

/** How a look-up in the input can be made where the source is this object, or begins with this word, as a row does. */
export type InputDot =
  | { readonly kind: "slot"; readonly object: number; readonly slot: number }
  | { readonly kind: "row"; readonly firstWord: number; readonly offset: number };

/** Look-ups of a function that may find an object of the slot area or a row. */
export type InputDots = ReadonlyMap<StmtOf<"DotStmt">, InputDot>;

/** A local that holds one such object here and another value there is no harm: compiled code compares first. */
export function inputDots(policy: Policy, blocks: readonly Block[], root: SlotObject | undefined): InputDots {
  const found = new Map<StmtOf<"DotStmt">, InputDot>();
  if (root === undefined) return found;
  const held = new Map<Local, Place>([[INPUT, { object: root }]]);
  const hold = (local: Local, place: Place | undefined): void => {
    if (place !== undefined) held.set(local, place);
  };
  const dot = (stmt: StmtOf<"DotStmt">): void => {
    const { source, key, target } = stmt;
    const from = source.kind === "Local" ? held.get(source.local) : undefined;
    if (from === undefined) return;
    if (key.kind !== "String") return hold(target, from.each && { row: from.each });
    const text = policy.strings[key.index] as string;
    const member = from.object?.members.get(text);
    if (from.object !== undefined && member !== undefined) {
      found.set(stmt, { kind: "slot", object: from.object.address, slot: member.slot });
      return hold(target, member.place);
    }
    const at = from.row === undefined ? -1 : [...from.row.members.keys()].indexOf(text);
    if (from.row === undefined || at < 0) return;
    found.set(stmt, { kind: "row", firstWord: rowWord(from.row.number), offset: RECORD_ENTRIES + at * 8 + 4 });
    hold(target, from.row.members.get(text));
  };
  const visit = (block: Block): void => {
    for (const stmt of block.stmts) {
      if (stmt.kind === "DotStmt") dot(stmt);
      if (stmt.kind === "AssignVarStmt" && stmt.source.kind === "Local") hold(stmt.target, held.get(stmt.source.local));
      if (stmt.kind === "ScanStmt") {
        const each = held.get(stmt.source)?.each;
        hold(stmt.value, each && { row: each });
      }
      blocksOf(stmt).forEach(visit);
    }
  };
  blocks.forEach(visit);
  return found;
}

/** The first word of every row of this number. */
function rowWord(number: number): number {
  return TAG_OBJECT | (number << (VALUE_ROW * 8));
}

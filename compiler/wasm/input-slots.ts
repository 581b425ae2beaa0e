/**
 * The slot area: objects of static memory in which the runtime puts what it hands over of an input, so that nothing is
 * allocated for it, and compiled code finds a member by its address. There is one tree of such objects for all
 * entrypoints; each entrypoint reads those slots that its footprint names, and the runtime fills just these.
 *
 * A slot holds the address of a value, 0 for undefined. A member that is an object itself has an object of the tree, whose
 * address the slot then holds; where the input has anything else, its slot holds that, and the object below is not read.
 */

import type { FootprintNode } from "@portcullis/runtime/abi";
import type { Footprint } from "../optimize/footprint.ts";
import { blocksOf } from "../plan/fields.ts";
import { type Block, INPUT, type Local, type Policy, type StmtOf } from "../plan/ir.ts";
import type { StaticData } from "./static-data.ts";

/** An object of the slot area. */
export interface SlotObject {
  readonly address: number;
  /** By key, where the value's address is, and the object of the tree that may stand there. */
  readonly members: ReadonlyMap<string, { readonly slot: number; readonly object: SlotObject | undefined }>;
}

/** Members that lie deeper are handed over whole. */
const DEEPEST = 16;

/** Lays out the objects for the footprints of all entrypoints; `undefined` where there is nothing to lay out. */
export function layOutSlots(data: StaticData, footprints: readonly Footprint[], depth = 0): SlotObject | undefined {
  const objects = footprints.filter(isSlotted);
  if (objects.length === 0 || depth === DEEPEST) return undefined;
  const keys = [...new Set(objects.flatMap((f) => [...f.members.keys()]))].sort(compareKeys);
  const { address, slots } = data.slots(keys);
  const members = keys.map((key, i) => {
    const below = objects.flatMap((f) => f.members.get(key) ?? []);
    return [key, { slot: slots[i] as number, object: layOutSlots(data, below, depth + 1) }] as const;
  });
  return { address, members: new Map(members) };
}

/** Whether the runtime hands over an object of the tree: some members of it are needed, and not all of it. */
function isSlotted({ whole, each, members }: Footprint): boolean {
  return !whole && each === undefined && members.size > 0;
}

/** What the runtime must know of a footprint. Objects in arrays have no place of their own. */
export function footprintNode(
  data: StaticData,
  footprint: Footprint,
  object: SlotObject | undefined,
  depth = 0,
): FootprintNode {
  const { whole, each, members } = footprint;
  if (whole || depth === DEEPEST) return true;
  if (each !== undefined) return { each: footprintNode(data, each, undefined, depth + 1) };
  const sorted = [...members].sort(([a], [b]) => compareKeys(a, b));
  for (const [key] of sorted) data.string(key);
  const nodes = sorted.map(([key, member]): readonly [string, FootprintNode] => [
    key,
    footprintNode(data, member, object?.members.get(key)?.object, depth + 1),
  ]);
  if (object === undefined) return { members: Object.fromEntries(nodes) };
  const slots = sorted.map(([key]): readonly [string, number] => [key, object.members.get(key)?.slot as number]);
  return { members: Object.fromEntries(nodes), object: object.address, slots: Object.fromEntries(slots) };
}

function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Look-ups of a function that may find an object of the slot area, each with that object and the slot to read then. */
export type SlotDots = ReadonlyMap<StmtOf<"DotStmt">, { readonly object: number; readonly slot: number }>;

/** A local that holds one such object here and another value there is no harm: compiled code compares addresses first. */
export function slotDots(policy: Policy, blocks: readonly Block[], root: SlotObject | undefined): SlotDots {
  const found = new Map<StmtOf<"DotStmt">, { readonly object: number; readonly slot: number }>();
  const held = new Map<Local, SlotObject>();
  if (root !== undefined) held.set(INPUT, root);
  const visit = (block: Block): void => {
    for (const stmt of block.stmts) {
      if (stmt.kind === "DotStmt" && stmt.source.kind === "Local" && stmt.key.kind === "String") {
        const object = held.get(stmt.source.local);
        const member = object?.members.get(policy.strings[stmt.key.index] as string);
        if (object !== undefined && member !== undefined) {
          found.set(stmt, { object: object.address, slot: member.slot });
          if (member.object !== undefined) held.set(stmt.target, member.object);
        }
      }
      blocksOf(stmt).forEach(visit);
    }
  };
  if (root !== undefined) blocks.forEach(visit);
  return found;
}

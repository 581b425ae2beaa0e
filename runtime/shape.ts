/** What a writer writes of a value: a footprint of the module's, with everything looked up that can be looked up at load. */

import type { FootprintNode } from "./abi/section.ts";

export type Shape = "whole" | MemberShape | ElementShape;

/** Of an object these members, of an array that it is one. */
export interface MemberShape {
  readonly kind: "members";
  /** In the order in which requests have them: at first that of the module, then as `moveForward` finds them. */
  readonly keys: string[];
  /** What to write of each key's value. */
  readonly shapes: Shape[];
  /** The word that takes the address of each key's value: of memory for an object in static memory, else of the entries. */
  readonly places: number[];
  /**
   * Addresses of the policy's strings that each key has had: a few of them stay near the processor where those of a whole
   * policy do not. The map of all strings where there were too many.
   */
  readonly seen: Map<string, number>[];
  /** How many strings each key has had that the policy does not hold. */
  readonly unknown: number[];
  /** Address of the object in static memory that takes the members; 0 where one is made on the heap. */
  readonly object: number;
  /** Addresses of the keys' strings, in the order of the entries. */
  readonly addresses: readonly number[];
  /** How often keys may still change places. */
  moves: number;
}

/** Of an array this of each element, of an object all of it. */
export interface ElementShape {
  readonly kind: "elements";
  readonly each: Shape;
}

/** Shapes whose keys never come in one order stop looking for it. */
const MOVES = 64;

/** Lets key number `from` change places with number `to`, where requests have it; the number that it has then. */
export function moveForward(shape: MemberShape, from: number, to: number): number {
  if (shape.moves === 0) return from;
  shape.moves--;
  swap(shape.keys, from, to);
  swap(shape.shapes, from, to);
  swap(shape.places, from, to);
  swap(shape.seen, from, to);
  swap(shape.unknown, from, to);
  return to;
}

function swap<T>(list: T[], a: number, b: number): void {
  const item = list[a] as T;
  list[a] = list[b] as T;
  list[b] = item;
}

/** A key that the policy's strings lack makes the whole value be written. */
export function shapeOf(node: FootprintNode, strings: ReadonlyMap<string, number>): Shape {
  if (node === true) return "whole";
  if ("each" in node) return { kind: "elements", each: shapeOf(node.each, strings) };
  const entries = Object.entries(node.members);
  const addresses = entries.flatMap(([key]) => strings.get(key) ?? []);
  if (addresses.length < entries.length) return "whole";
  const { object = 0, slots } = node;
  return {
    kind: "members",
    keys: entries.map(([key]) => key),
    addresses,
    shapes: entries.map(([, member]) => shapeOf(member, strings)),
    object,
    seen: entries.map(() => new Map()),
    unknown: entries.map(() => 0),
    moves: MOVES,
    places: entries.map(([key], i) =>
      object === 0 ? i * 2 + 1 : ((slots as Record<string, number>)[key] as number) >> 2,
    ),
  };
}

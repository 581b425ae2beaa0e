/** The shape of a request: a footprint of the module, with every address resolved at load. */

import type { FootprintNode, RowArray } from "../abi/index.ts";
import { KnownTexts } from "./known-texts.ts";
import type { StringSource } from "./symbolic-strings.ts";

export type Shape = "whole" | MemberShape | ElementShape;

/** These members of an object; of an array, only that it is one. */
export interface MemberShape {
  readonly kind: "members";
  /** In the order in which requests have them: at first that of the module, then as `moveForward` finds them. */
  readonly members: Member[];
  /** Every member's bit; 0 where there are more members than bits. */
  readonly bits: number;
  /** Address of the object in static memory that takes the members; 0 where one is made on the heap. */
  readonly object: number;
  /** On the heap: addresses of the keys' strings, in the order of the entries. */
  readonly addresses: readonly number[];
  /** Its row number; 0 if it is not a row. */
  readonly row: number;
  /** How often members may still change places. */
  reorderings: number;
}

/** Strings that are looked up among the policy's, or are not. */
export interface LookedUp {
  /** Length of the longest string that is looked up, in UTF-16 units; -1 where none is. */
  readonly longest: number;
  /** How many of the last were looked up in vain; beyond a bound, how many were not looked up since. */
  missed: number;
}

/** Strings among the elements of a list or the values of an object. */
export interface ElementTexts extends StringSource, LookedUp {}

export interface Member extends StringSource, LookedUp {
  readonly key: string;
  /** The shape of its value. */
  readonly shape: Shape;
  /** The word that takes the address of its value: of memory for an object in static memory, else of the entries. */
  readonly place: number;
  /** Its bit in the set of written members. */
  readonly bit: number;
  /**
   * An inline cache: addresses of the policy's strings that this member has had. A small one stays in the processor's cache
   * where the map of a whole policy does not.
   */
  readonly known: KnownTexts;
  /** The keys of the request's objects, which may be texts of this member. */
  readonly keys: StringSource;
}

/** This part of each element of an array; an object is written whole, unless `ofObjects` says that its values have the shape too. */
export interface ElementShape {
  readonly kind: "elements";
  readonly each: Shape;
  /** Whether the shape holds for the values of an object, too. */
  readonly ofObjects: boolean;
  /** Strings among them. */
  readonly texts: ElementTexts;
  /** The keys, where it is an object. */
  readonly keys: StringSource;
  /** Static memory for a few of them. */
  readonly rows: RowArray | undefined;
}

/** How often members of a shape change places before it gives up finding the order of the requests' keys. */
const REORDERINGS = 64;
/** Members that have a bit each. */
const BITS = 30;

/** Lets member number `from` change places with number `to`, where requests have it; the number that it has then. */
export function moveForward(shape: MemberShape, from: number, to: number): number {
  if (shape.reorderings === 0) return from;
  shape.reorderings--;
  const { members } = shape;
  const moved = members[from] as Member;
  members[from] = members[to] as Member;
  members[to] = moved;
  return to;
}

/** The number of the member with this key, which later objects may have earlier; -1 if no member has it. */
export function placeOf(shape: MemberShape, key: string, next: number): number {
  const { members } = shape;
  for (let i = 0; i < members.length; i++) {
    if (members[i]?.key === key) return i > next ? moveForward(shape, i, next) : i;
  }
  return -1;
}

/** A Map with more strings is looked into in more places of memory than the module's own index. */
const MOST_LOOKED_UP = 50_000;

/** Length of the longest of the policy's strings, in UTF-16 units; -1 where the module finds them sooner. */
export function longestOf(strings: ReadonlyMap<string, number>): number {
  if (strings.size > MOST_LOOKED_UP) return -1;
  let longest = 0;
  for (const text of strings.keys()) if (text.length > longest) longest = text.length;
  return longest;
}

/**
 * `strings`: the policy's own, and `longest` of them. A key that they lack makes the whole value be written. `objectKeys`: of all
 * objects of a request that are written with all of their keys.
 */
export function shapeOf(
  node: FootprintNode,
  strings: ReadonlyMap<string, number>,
  longest = longestOf(strings),
  objectKeys: StringSource = { inBytes: 0 },
): Shape {
  if (node === true) return "whole";
  if ("each" in node) {
    const each = shapeOf(node.each, strings, longest, objectKeys);
    const areRows = each !== "whole" && each.kind === "members";
    const rows = areRows ? node.rows : undefined;
    return {
      kind: "elements",
      each,
      ofObjects: node.ofObjects === true,
      texts: { inBytes: 0, longest: node.lookUp === true ? longest : -1, missed: 0 },
      keys: objectKeys,
      rows,
    };
  }
  const entries = Object.entries(node.members);
  const { object = 0, slots } = node;
  const keys = node.row?.keys ?? entries.map(([key]) => key);
  const addresses = keys.flatMap((key) => strings.get(key) ?? []);
  if (addresses.length < keys.length || entries.some(([key]) => !keys.includes(key))) return "whole";
  const few = entries.length <= BITS;
  const members = entries.map(
    ([key, member], i): Member => ({
      key,
      shape: shapeOf(member, strings, longest, objectKeys),
      place: object === 0 ? keys.indexOf(key) * 2 + 1 : ((slots as Record<string, number>)[key] as number) >> 2,
      bit: few ? 1 << i : 0,
      longest: node.lookUp?.includes(key) === true ? longest : -1,
      known: new KnownTexts(),
      inBytes: 0,
      missed: 0,
      keys: objectKeys,
    }),
  );
  return {
    kind: "members",
    members,
    bits: few ? (1 << entries.length) - 1 : 0,
    object,
    addresses,
    row: node.row?.number ?? 0,
    reorderings: REORDERINGS,
  };
}

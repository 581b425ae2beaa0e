/** The shape of a request: a footprint of the module, with every address resolved at load. */

import type { FootprintNode, RowArray } from "../abi/index.ts";
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
  readonly isLookedUp: boolean;
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
  /** Its number among all members of the policy. */
  readonly number: number;
  /** Its bit in the set of written members. */
  readonly bit: number;
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

/** What shapes are made with. */
interface Making {
  readonly looksUp: boolean;
  /** The address of a key's string, where the policy has it. */
  readonly addressOf: (key: string) => number | undefined;
  /** The keys of all objects of a request that are written with all of them. */
  readonly keys: StringSource;
  /** How many members there are so far. */
  readonly count: { members: number };
}

/** Shapes of the policy that was loaded last, and what they were made of. */
let last:
  | {
      readonly made: string;
      readonly addresses: ReadonlyMap<string, number | undefined>;
      readonly shapes: readonly (Shape | undefined)[];
    }
  | undefined;

/**
 * A shape for each footprint. Policies of the same rules have the same ones, with what these have learnt of requests: no more
 * than the order of keys and which strings are worth a look-up. Those of sixteen policies would not stay in a processor's
 * caches.
 */
export function shapesOf(
  footprints: readonly (FootprintNode | undefined)[],
  strings: ReadonlyMap<string, number>,
): readonly (Shape | undefined)[] {
  const looksUp = strings.size <= MOST_LOOKED_UP;
  const made = JSON.stringify([looksUp, footprints]);
  if (last?.made === made && [...last.addresses].every(([key, address]) => strings.get(key) === address))
    return last.shapes;
  const addresses = new Map<string, number | undefined>();
  const addressOf = (key: string): number | undefined => {
    const address = strings.get(key);
    addresses.set(key, address);
    return address;
  };
  const count = { members: 0 };
  const shapes = footprints.map((node) => node && shapeOf(node, { looksUp, addressOf, keys: { inBytes: 0 }, count }));
  last = { made, addresses, shapes };
  return shapes;
}

/** A key that the policy lacks makes the whole value be written. */
function shapeOf(node: FootprintNode, making: Making): Shape {
  const { looksUp, addressOf, count } = making;
  if (node === true) return "whole";
  if ("each" in node) {
    const each = shapeOf(node.each, making);
    const areRows = each !== "whole" && each.kind === "members";
    const rows = areRows ? node.rows : undefined;
    return {
      kind: "elements",
      each,
      ofObjects: node.ofObjects === true,
      texts: { inBytes: 0, isLookedUp: looksUp && node.lookUp === true, missed: 0 },
      keys: making.keys,
      rows,
    };
  }
  const entries = Object.entries(node.members);
  const { object = 0, slots } = node;
  const keys = node.row?.keys ?? entries.map(([key]) => key);
  const addresses = keys.flatMap((key) => addressOf(key) ?? []);
  if (addresses.length < keys.length || entries.some(([key]) => !keys.includes(key))) return "whole";
  const few = entries.length <= BITS;
  const members = entries.map(
    ([key, member], i): Member => ({
      key,
      number: count.members++,
      shape: shapeOf(member, making),
      place: object === 0 ? keys.indexOf(key) * 2 + 1 : ((slots as Record<string, number>)[key] as number) >> 2,
      bit: few ? 1 << i : 0,
      isLookedUp: looksUp && node.lookUp?.includes(key) === true,
      inBytes: 0,
      missed: 0,
      keys: making.keys,
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

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

type Shapes = readonly (Shape | undefined)[];

/** Shapes of the policy that was loaded last, and what they were made of. */
let last = { made: "", addresses: new Map<string, number | undefined>(), shapes: [] as Shapes };

/**
 * A shape for each footprint. Policies of the same rules have the same ones, with what these have learnt of requests: no more
 * than the order of keys and which strings are worth a look-up. Those of sixteen policies would not stay in a processor's
 * caches.
 */
export function shapesOf(
  footprints: readonly (FootprintNode | undefined)[],
  strings: ReadonlyMap<string, number>,
): Shapes {
  const made = JSON.stringify([strings.size <= MOST_LOOKED_UP, footprints]);
  if (last.made !== made || [...last.addresses].some(([key, address]) => strings.get(key) !== address)) {
    const maker = new ShapeMaker(strings);
    const shapes = footprints.map((node) => node && maker.shape(node, { inBytes: 0 }));
    last = { made, addresses: maker.addresses, shapes };
  }
  return last.shapes;
}

class ShapeMaker {
  /** By key: the address of its string, if the policy has it. */
  readonly addresses = new Map<string, number | undefined>();
  private readonly strings: ReadonlyMap<string, number>;
  private members = 0;

  constructor(strings: ReadonlyMap<string, number>) {
    this.strings = strings;
  }

  /** A key that the policy lacks makes the whole value be written. `objectKeys`: those of all objects that are written whole. */
  shape(node: FootprintNode, objectKeys: StringSource): Shape {
    const { strings } = this;
    const looksUp = strings.size <= MOST_LOOKED_UP;
    if (node === true) return "whole";
    if ("each" in node) {
      const each = this.shape(node.each, objectKeys);
      const areRows = each !== "whole" && each.kind === "members";
      const rows = areRows ? node.rows : undefined;
      const texts = { inBytes: 0, isLookedUp: looksUp && node.lookUp === true, missed: 0 };
      return { kind: "elements", each, ofObjects: node.ofObjects === true, texts, keys: objectKeys, rows };
    }
    const entries = Object.entries(node.members);
    const { object = 0, slots } = node;
    const keys = node.row?.keys ?? entries.map(([key]) => key);
    for (const key of keys) this.addresses.set(key, strings.get(key));
    const addresses = keys.flatMap((key) => strings.get(key) ?? []);
    if (addresses.length < keys.length || entries.some(([key]) => !keys.includes(key))) return "whole";
    const few = entries.length <= BITS;
    const members = entries.map(
      ([key, member], i): Member => ({
        key,
        number: this.members++,
        shape: this.shape(member, objectKeys),
        place: object === 0 ? keys.indexOf(key) * 2 + 1 : ((slots as Record<string, number>)[key] as number) >> 2,
        bit: few ? 1 << i : 0,
        isLookedUp: looksUp && node.lookUp?.includes(key) === true,
        inBytes: 0,
        missed: 0,
        keys: objectKeys,
      }),
    );
    const bits = few ? (1 << entries.length) - 1 : 0;
    return { kind: "members", members, bits, object, addresses, row: node.row?.number ?? 0, reorderings: REORDERINGS };
  }
}

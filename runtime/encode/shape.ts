/** The shape of a request: a footprint of the module, with every address resolved at load. */

import type { FootprintNode, PolicySection, RowArray } from "../abi/index.ts";
import type { StringSource } from "./symbolic-strings.ts";

export type Shape = "whole" | MemberShape | ElementShape;

/** These members of an object; of an array, only that it is one. */
export interface MemberShape {
  readonly kind: "members";
  /** In the order in which requests have them: at first that of the module, then as `placeOf` finds them. */
  readonly members: Member[];
  /** Every member's bit; 0 where there are more members than bits. */
  readonly bits: number;
  /** Address of the object in static memory that takes the members; 0 where one is made on the heap. */
  readonly object: number;
  /** On the heap: addresses of the keys' strings, in the order of the entries. */
  readonly addresses: readonly number[];
  /** Its row number; 0 if it is not a row. */
  readonly row: number;
  /** How often members may still change places; below zero, they wanted to oftener. */
  moves: number;
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
  /** Its bit in the set of written members, where these are no more than there are bits. */
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
const MOVES = 64;
/** Members that have a bit each. */
const BITS = 30;

/**
 * The number of the member with this key, -1 if no member has it. One that requests have earlier changes places with number
 * `next`, where the next request has it, too.
 */
export function placeOf(shape: MemberShape, key: string, next: number): number {
  const { members } = shape;
  let at = members.length - 1;
  while (at >= 0 && members[at]?.key !== key) at--;
  if (at <= next || --shape.moves < 0) return at;
  const moved = members[at] as Member;
  members[at] = members[next] as Member;
  members[next] = moved;
  return next;
}

/** A Map with more strings is looked into in more places of memory than the module's own index. */
const MOST_LOOKED_UP = 50_000;

/** How an entrypoint is decided without a result set. */
export interface Codec {
  /** Its place in the module's table. */
  readonly place: number;
  /** The shape of its input. */
  readonly shape: Shape;
}

/** Codecs of the policy that was loaded last, and what they were made of. */
let last: { readonly made: string; readonly codecs: readonly (Codec | null)[] } | undefined;

/**
 * A codec for each entry. Policies of the same rules have the same ones, with what their shapes have learnt of requests: no more
 * than the order of keys and which strings are worth a look-up. Those of sixteen policies would not stay in a processor's
 * caches. A key that the policy lacks makes the whole value be written.
 */
export function codecsOf(
  entries: NonNullable<PolicySection["decide"]>,
  strings: ReadonlyMap<string, number>,
): readonly (Codec | null)[] {
  const looksUp = strings.size <= MOST_LOOKED_UP;
  let made = JSON.stringify([looksUp, entries]);
  let count = 0;
  const shapeOf = (node: FootprintNode, objectKeys: StringSource): Shape => {
    if (node === true) return "whole";
    if ("each" in node) {
      const each = shapeOf(node.each, objectKeys);
      const areRows = each !== "whole" && each.kind === "members";
      const rows = areRows ? node.rows : undefined;
      const texts = { inBytes: 0, isLookedUp: looksUp && node.lookUp === true, missed: 0 };
      return { kind: "elements", each, ofObjects: node.ofObjects === true, texts, keys: objectKeys, rows };
    }
    const named = Object.entries(node.members);
    const { object = 0, slots } = node;
    const keys = node.row?.keys ?? named.map(([key]) => key);
    const addresses = keys.flatMap((key) => strings.get(key) ?? []);
    made += `;${addresses}`;
    if (addresses.length < keys.length || named.some(([key]) => !keys.includes(key))) return "whole";
    const members = named.map(
      ([key, member], i): Member => ({
        key,
        number: count++,
        shape: shapeOf(member, objectKeys),
        place: object === 0 ? keys.indexOf(key) * 2 + 1 : ((slots as Record<string, number>)[key] as number) >> 2,
        bit: 1 << i,
        isLookedUp: looksUp && node.lookUp?.includes(key) === true,
        inBytes: 0,
        missed: 0,
        keys: objectKeys,
      }),
    );
    const bits = named.length <= BITS ? (1 << named.length) - 1 : 0;
    return { kind: "members", members, bits, object, addresses, row: node.row?.number ?? 0, moves: MOVES };
  };
  const codecs = entries.map(
    (entry) => entry && { place: entry.place, shape: shapeOf(entry.footprint, { inBytes: 0 }) },
  );
  if (last?.made !== made) last = { made, codecs };
  return last.codecs;
}

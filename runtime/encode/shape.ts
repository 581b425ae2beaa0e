/** What a writer writes of a value: a footprint of the module's, with everything looked up that can be looked up at load. */

import type { FootprintNode, OpaqueTexts, RowArray } from "../abi/section.ts";

export type Shape = "whole" | MemberShape | ElementShape;

/** Of an object these members, of an array that it is one. */
export interface MemberShape {
  readonly kind: "members";
  /** In the order in which requests have them: at first that of the module, then as `moveForward` finds them. */
  readonly members: Member[];
  readonly byKey: ReadonlyMap<string, Member>;
  /** Every member's bit; 0 where there are more members than bits. */
  readonly bits: number;
  /** Address of the object in static memory that takes the members; 0 where one is made on the heap. */
  readonly object: number;
  /** Of one on the heap: addresses of the keys' strings, in the order of the entries. */
  readonly addresses: readonly number[];
  /** Its number as a row, 0 where it is none. */
  readonly row: number;
  /** How often members may still change places. */
  moves: number;
  /** How many objects may still have other members than these, or in another order, before nobody expects these alone. */
  exact: number;
}

export interface Member {
  readonly key: string;
  /** What to write of its value. */
  readonly shape: Shape;
  /** The word that takes the address of its value: of memory for an object in static memory, else of the entries. */
  readonly place: number;
  /** Stands for this member among what was written. */
  readonly bit: number;
  /** What may stand for a string of it; `undefined` where its text is needed. */
  readonly standIns: StandIns | undefined;
  /** Length of the longest string that is looked up, in UTF-16 units; -1 where none is. */
  readonly longest: number;
  /**
   * Addresses of the policy's strings that it has had: a few of them stay near the processor where those of a whole policy
   * do not. The map of all strings where there were too many.
   */
  seen: Map<string, number>;
  /** How many strings it has had that the policy does not hold. */
  unknown: number;
}

/** Of a member whose texts no rule reads. */
export interface StandIns {
  /** No other member's texts are compared with these. */
  readonly isAlone: boolean;
  /** Rules see what is left of a text that is trimmed. */
  readonly isTrimmed: boolean;
  /** They see nothing else. */
  readonly isOnlyTrimmed: boolean;
}

/** Of an array this of each element; an object is written whole unless its values are wanted alike. */
export interface ElementShape {
  readonly kind: "elements";
  readonly each: Shape;
  /** Whether of an object just this of each value is wanted. */
  readonly ofObjects: boolean;
  /** Whether strings among them are looked up. */
  readonly looksUp: boolean;
  /** Static memory for a few of them. */
  readonly rows: RowArray | undefined;
}

/** Whether an object's members are written in the order in which it has them. */
export function isWrittenInOrder({ bits, members }: MemberShape): boolean {
  return bits !== 0 || members.length === 0;
}

/** Shapes whose keys never come in one order stop looking for it. */
const MOVES = 64;
const EXACT = 64;
/** Members that have a bit each. */
const BITS = 30;

/** Lets member number `from` change places with number `to`, where requests have it; the number that it has then. */
export function moveForward(shape: MemberShape, from: number, to: number): number {
  if (shape.moves === 0) return from;
  shape.moves--;
  const { members } = shape;
  const moved = members[from] as Member;
  members[from] = members[to] as Member;
  members[to] = moved;
  return to;
}

/** The number of the member with this key, which later objects may have earlier; -1 where it is nobody's. */
export function placeOf(shape: MemberShape, key: string, next: number): number {
  const { members } = shape;
  for (let i = 0; i < members.length; i++) {
    if (members[i]?.key === key) return i > next ? moveForward(shape, i, next) : i;
  }
  return -1;
}

/** A key that the policy's strings lack makes the whole value be written. */
export function shapeOf(node: FootprintNode, strings: ReadonlyMap<string, number>): Shape {
  let longest = 0;
  for (const text of strings.keys()) if (text.length > longest) longest = text.length;
  const known: Known = { strings, longest, isComplete: true };
  const shape = shapeWith(node, known);
  // What is written whole where the compiler did not mean it to be has texts that are compared with others.
  return known.isComplete ? shape : shapeWith(node, known);
}

interface Known {
  readonly strings: ReadonlyMap<string, number>;
  /** Length of the longest of them. */
  readonly longest: number;
  /** Whether every key was among them so far. */
  isComplete: boolean;
}

function standInsOf({ opaque, alone, trimmed, onlyTrimmed }: OpaqueTexts, key: string): StandIns | undefined {
  const has = (keys: readonly string[] = []): boolean => keys.includes(key);
  return has(opaque) ? { isAlone: has(alone), isTrimmed: has(trimmed), isOnlyTrimmed: has(onlyTrimmed) } : undefined;
}

function shapeWith(node: FootprintNode, known: Known): Shape {
  const { strings, longest } = known;
  if (node === true) return "whole";
  if ("each" in node) {
    const each = shapeWith(node.each, known);
    const areRows = each !== "whole" && each.kind === "members";
    const rows = areRows ? node.rows : undefined;
    return { kind: "elements", each, ofObjects: node.ofObjects === true, looksUp: node.unmatched !== true, rows };
  }
  const entries = Object.entries(node.members);
  const { object = 0, slots } = node;
  const keys = node.row?.keys ?? entries.map(([key]) => key);
  const addresses = keys.flatMap((key) => strings.get(key) ?? []);
  if (addresses.length < keys.length || entries.some(([key]) => !keys.includes(key))) {
    known.isComplete = false;
    return "whole";
  }
  const few = entries.length <= BITS;
  const members = entries.map(([key, member], i) => ({
    key,
    shape: shapeWith(member, known),
    place: object === 0 ? keys.indexOf(key) * 2 + 1 : ((slots as Record<string, number>)[key] as number) >> 2,
    bit: few ? 1 << i : 0,
    standIns: known.isComplete ? standInsOf(node, key) : undefined,
    // What has stand-ins in one place must not be looked up in another.
    longest: node.unmatched?.includes(key) || node.opaque?.includes(key) ? -1 : longest,
    seen: new Map<string, number>(),
    unknown: 0,
  }));
  return {
    kind: "members",
    members,
    byKey: new Map(members.map((member) => [member.key, member])),
    bits: few ? (1 << entries.length) - 1 : 0,
    object,
    addresses,
    row: node.row?.number ?? 0,
    moves: MOVES,
    exact: entries.length === 0 ? 0 : EXACT,
  };
}

/**
 * Writes a request into the module's memory: the members of the footprint, each to its slot. A string that the policy holds
 * becomes the address of the policy's own, any other one a symbolic string or its bytes. A request is read once, each member
 * once.
 */

import {
  COLLECTION_COUNT,
  FALSE_VALUE,
  INDEX_THRESHOLD,
  INTERN_NONE,
  RECORD_ENTRIES,
  STRING_BYTES,
  TRUE_VALUE,
} from "../abi/index.ts";
import { refuseForeign } from "./foreign-objects.ts";
import { Interned } from "./interned.ts";
import { KnownTexts } from "./known-texts.ts";
import { ARRAY_HEAD, type MemoryWriter } from "./memory-writer.ts";
import {
  type ElementShape,
  type ElementTexts,
  type LookedUp,
  type Member,
  type MemberShape,
  placeOf,
  type Shape,
} from "./shape.ts";
import type { SymbolicStrings } from "./symbolic-strings.ts";
import type { ValueWriter } from "./value-writer.ts";

/** Unknown keys that are skipped one by one. An object with more of them is asked for each member of the shape instead. */
const MANY = 16;
/** A text with this many UTF-16 units is a hash as likely as not, and requests name a hash twice. */
const LONG = 48;

/** After this many misses in a row, strings of a source are not looked up until SEEK_AGAIN of them have come. */
const MISSED = 8;
const SEEK_AGAIN = 256;
const NOT_SOUGHT = -1;

/** A constant of this module: engines inline those, and not properties of a global. */
const hasOwn = Object.prototype.hasOwnProperty;
/** Own and enumerable, as the keys of a loop over an object. */
const isMember = Object.prototype.propertyIsEnumerable;

export class RequestWriter {
  private readonly memory: MemoryWriter;
  private readonly values: ValueWriter;
  private readonly symbols: SymbolicStrings;
  /** The policy's own text of one of its strings. */
  private readonly ownText: (address: number) => string;
  /** By a member's number. A small cache stays in the processor's where the map of a whole policy does not. */
  private readonly known: KnownTexts[] = [];
  /** Length of the longest of the policy's strings, in UTF-16 units. */
  private readonly longest: number;
  /** The last long text of the request that was written with its bytes, and its string. */
  private longText = "";
  private longString = 0;

  constructor(
    memory: MemoryWriter,
    values: ValueWriter,
    symbols: SymbolicStrings,
    ownText: (address: number) => string,
  ) {
    this.memory = memory;
    this.values = values;
    this.symbols = symbols;
    this.ownText = ownText;
    let longest = 0;
    for (const { length } of values.strings.keys()) if (length > longest) longest = length;
    this.longest = longest;
  }

  /** Writes `value` from `start` on and returns its address, 0 for undefined. Throws EncodeError. */
  write(value: unknown, start: number, shape: Shape): number {
    this.memory.begin(start);
    this.values.restart();
    this.symbols.restart();
    this.longText = "";
    if (value === undefined) return 0;
    return shape === "whole" ? this.values.value(value, 0, true) : this.shaped(value, shape, 0, 0);
  }

  /** The parts of a composite that its shape names; a scalar whole. `row`: address of the row that an object of a list has. */
  private shaped(value: unknown, shape: MemberShape | ElementShape, depth: number, row: number): number {
    if (typeof value !== "object" || value === null) return this.values.value(value, depth, true);
    if (shape.kind === "elements") {
      if (Array.isArray(value)) return this.elements(value, shape, depth + 1);
      if (shape.ofObjects && !Interned.is(value)) return this.entries(value as Record<string, unknown>, shape, depth);
      return this.values.value(value, depth, true);
    }
    if (Array.isArray(value)) return this.memory.list(0);
    let { object } = shape;
    let base = 0;
    if (object === 0) {
      object = row === 0 ? this.row(shape) : row;
      base = (object + RECORD_ENTRIES) >> 2;
    }
    const isBare = this.members(value as Record<string, unknown>, shape, base, depth + 1);
    // A handle has no members, and asking every object whether it is one would take as long as writing a member.
    return isBare ? this.bare(value, object) : object;
  }

  /** An object without a member of its shape: it may be a handle, or an object that JSON writes as something else. */
  private bare(value: object, written: number): number {
    if (Interned.is(value)) return this.values.interned(value);
    refuseForeign(value);
    return written;
  }

  /** An object with the keys of a row, whose values are undefined so far: a row may have more keys than its shape. */
  private row({ addresses, row }: MemberShape): number {
    const count = addresses.length;
    const address = this.memory.table(count, row);
    const entries = (address + RECORD_ENTRIES) >> 2;
    const { words } = this.memory;
    for (let i = 0; i < count; i++) {
      words[entries + i * 2] = addresses[i] as number;
      words[entries + i * 2 + 1] = 0;
    }
    words[(address + COLLECTION_COUNT) >> 2] = count;
    return address;
  }

  /**
   * Writes members to their slots; returns whether nothing was written. A loop over the keys of the object is faster than
   * a look-up of each member, unless the object has many other keys. Inherited properties do not count either way.
   */
  private members(value: Record<string, unknown>, shape: MemberShape, base: number, depth: number): boolean {
    const { members, bits } = shape;
    if (bits === 0) return this.membersByKey(value, members, base, depth);
    const { known } = this;
    let { words } = this.memory;
    let next = 0;
    let written = 0;
    let others = 0;
    for (const key in value) {
      if (!hasOwn.call(value, key)) continue;
      let member = members[next];
      if (member === undefined || member.key !== key) {
        const at = placeOf(shape, key, next);
        if (at < 0) {
          if (++others > MANY) {
            const left = members.filter((m) => (written & m.bit) === 0);
            return this.membersByKey(value, left, base, depth) && written === 0;
          }
          continue;
        }
        next = at;
        member = members[at] as Member;
      }
      next++;
      written |= member.bit;
      const item = value[key];
      let address = 0;
      if (typeof item === "string") {
        if (member.isLookedUp && item !== "") address = known[member.number]?.find(item) ?? 0;
        if (address === 0) {
          address = this.string(item, member);
          words = this.memory.words;
        }
      } else if (typeof item === "boolean") {
        address = item ? TRUE_VALUE : FALSE_VALUE;
      } else {
        address = this.member(item, member, depth);
        words = this.memory.words;
      }
      words[base + member.place] = address;
    }
    // Slots still hold the members of the request before. Only `written` tells which are new: a getter may have added a key
    // meanwhile, and a Proxy may answer differently each time.
    if (written !== bits)
      for (const member of members) if ((written & member.bit) === 0) words[base + member.place] = 0;
    return written === 0;
  }

  private membersByKey(
    value: Record<string, unknown>,
    members: readonly Member[],
    base: number,
    depth: number,
  ): boolean {
    let isBare = true;
    for (const member of members) {
      let address = 0;
      if (isMember.call(value, member.key)) {
        const item = value[member.key];
        address = typeof item === "string" ? this.string(item, member) : this.member(item, member, depth);
        isBare = false;
      }
      this.memory.words[base + member.place] = address;
    }
    return isBare;
  }

  /** The address of a member's value, 0 for undefined. */
  private member(item: unknown, member: Member, depth: number): number {
    if (item === undefined) return 0;
    const { shape } = member;
    if (shape !== "whole") return this.shaped(item, shape, depth, 0);
    if (typeof item === "object" && item !== null && !member.isLookedUp && Interned.is(item))
      return this.string(item.text, member);
    return this.values.value(item, depth, member.isLookedUp);
  }

  /** The address of a string that the member's cache does not hold. */
  private string(text: string, member: Member): number {
    if (text === "") return this.values.value(text, 0, true);
    const own = member.isLookedUp ? this.ownString(text, member) : NOT_SOUGHT;
    if (own > 0) {
      // The text itself may be a small part of a large request, which the cache would keep alive.
      (this.known[member.number] ??= new KnownTexts()).add(text, own, this.ownText);
      return own;
    }
    const isForeign = own === 0;
    // Among the symbolic strings a key of the request finds the text that it repeats, whose bytes are there then.
    if (member.inBytes > 0 && member.keys.inBytes === 0) member.inBytes--;
    else {
      const address = this.symbols.addressOf(text, isForeign, member);
      if (address !== 0) return address;
    }
    const intern = isForeign ? INTERN_NONE : 0;
    if (text.length < LONG) return this.memory.string(text, intern);
    if (text === this.longText) return this.longString;
    this.longText = text;
    this.longString = this.memory.string(text, intern);
    return this.longString;
  }

  /** The address of the policy's own string; 0 where it has none, NOT_SOUGHT where look-ups pause. */
  private ownString(text: string, source: LookedUp): number {
    if (text.length > this.longest) return 0;
    if (source.missed >= MISSED) {
      if (++source.missed === SEEK_AGAIN) source.missed = 0;
      return NOT_SOUGHT;
    }
    const address = this.values.strings.get(text);
    if (address === undefined) {
      source.missed++;
      return 0;
    }
    source.missed = 0;
    return address;
  }

  /** An element of a list, or a value of an object, all of it. */
  private element(item: unknown, source: ElementTexts, depth: number): number {
    if (typeof item !== "string") return this.values.value(item, depth, source.isLookedUp);
    const own = source.isLookedUp ? this.ownString(item, source) : NOT_SOUGHT;
    if (own > 0) return own;
    if (source.inBytes > 0) source.inBytes--;
    else {
      const address = this.symbols.addressOf(item, own === 0, source);
      if (address !== 0) return address;
    }
    return this.memory.string(item, own === 0 ? INTERN_NONE : 0);
  }

  /** An object with all of its keys, and of each value the parts that the shape names. */
  private entries(value: Record<string, unknown>, { each, texts, keys }: ElementShape, depth: number): number {
    const { values, symbols, memory } = this;
    const address = values.entries(
      value,
      (key) => symbols.addressOf(key, true, keys) || memory.string(key),
      (item) => (each === "whole" ? this.element(item, texts, depth + 1) : this.shaped(item, each, depth + 1, 0)),
    );
    const count = memory.words[(address + COLLECTION_COUNT) >> 2] as number;
    // An index needs the bytes of all keys: one loop here instead of a call of the host for each.
    if (count > INDEX_THRESHOLD)
      for (let i = 0; i < count; i++) {
        const key = memory.words[((address + RECORD_ENTRIES) >> 2) + i * 2] as number;
        if (memory.words[(key + STRING_BYTES) >> 2] === 0) symbols.materialise(key);
      }
    return address;
  }

  private elements(value: readonly unknown[], shape: ElementShape, depth: number): number {
    const { each, rows, texts } = shape;
    if (each === "whole") return this.whole(value, texts, depth);
    const { length } = value;
    // The length of a Proxy may be anything.
    const isStatic = rows !== undefined && length >>> 0 === length && length <= rows.capacity;
    const address = isStatic ? rows.array : this.memory.list(length);
    const items = (isStatic ? rows.items : address + ARRAY_HEAD) >> 2;
    if (isStatic) this.memory.words[(address + COLLECTION_COUNT) >> 2] = length;
    for (let i = 0; i < length; i++) {
      const item = this.shaped(value[i], each, depth, isStatic ? rows.first + i * rows.stride : 0);
      this.memory.words[items + i] = item;
    }
    return address;
  }

  /** A list with all of its elements. */
  private whole(value: readonly unknown[], source: ElementTexts, depth: number): number {
    const { memory } = this;
    const { length } = value;
    const address = memory.list(length);
    const items = (address + ARRAY_HEAD) >> 2;
    for (let i = 0; i < length; i++) {
      const item = this.element(value[i], source, depth);
      memory.words[items + i] = item;
    }
    return address;
  }
}

/**
 * Writes requests: of what the module's rules read nothing but that, each part to where they look for it. A string that
 * the policy holds becomes the address of the policy's own, and one that no rule reads the address of a stand-in.
 */

import { COLLECTION_COUNT, FALSE_VALUE, RECORD_ENTRIES, TRUE_VALUE } from "../abi/layout.ts";
import type { Echo } from "./echo.ts";
import { refuseForeign } from "./foreign-objects.ts";
import { Interned } from "./interned.ts";
import { ARRAY_HEAD } from "./memory-writer.ts";
import { isBare, isBlank, type OpaqueStrings } from "./opaque-strings.ts";
import { type ElementShape, type Member, type MemberShape, placeOf, type Shape, type StandIns } from "./shape.ts";
import { ValueWriter } from "./value-writer.ts";

/** Keys that nobody asked for: objects with more of them are asked for each key that is wanted. */
const MANY = 16;
/** Strings that are remembered for one key: more than a policy has lanes, fewer than it may have tools. */
const SEEN = 4096;
/** Strings of one key that the policy does not hold, before a policy's strings are asked first. */
const FEW_UNKNOWN = 256;

/** Of this module, as engines build in what a module declares itself only. */
const hasOwn = Object.prototype.hasOwnProperty;
/** Own and enumerable, which is what going through an object's keys finds. */
const isMember = Object.prototype.propertyIsEnumerable;

export class RequestWriter extends ValueWriter {
  /** The policy's own text of one of its strings. */
  private readonly ownText: (address: number) => string;
  private readonly opaque: OpaqueStrings;
  /** Address of the policy's "", 0 where it has none. */
  private readonly empty: number;
  /** Whether texts that no rule reads are being written as addresses that stand for them. */
  private isOpaque = false;
  /** An object had other members than expected, or in another order, and is half written: all of it has to be written anew. */
  private isInexact = false;
  /** Whether objects are expected to have just the members of their shapes: at first only, so that nothing is written often. */
  private expectsExact = true;

  constructor(
    memory: WebAssembly.Memory,
    strings: Map<string, number>,
    ownText: (address: number) => string,
    limit: number,
    echo: Echo,
    owner: object,
    opaque: OpaqueStrings,
  ) {
    super(memory, strings, limit, echo, owner);
    this.opaque = opaque;
    this.ownText = ownText;
    this.empty = strings.get("") ?? 0;
  }

  /** Whether texts that no rule reads were written as their stand-ins, wherever there may be some. */
  get hasStandIns(): boolean {
    return this.isOpaque;
  }

  /** Writes `value` from `start` on and returns its address, 0 for undefined. Throws EncodeError. */
  write(value: unknown, start: number, shape: Shape): number {
    this.isOpaque = true;
    this.opaque.restart();
    this.opaque.release();
    this.expectsExact = true;
    let address = this.writeFrom(start, value, shape);
    if (this.isInexact) {
      this.isOpaque = true;
      this.opaque.restart();
      this.expectsExact = false;
      address = this.writeFrom(start, value, shape);
    }
    if (this.isOpaque || this.opaque.size === 0) return address;
    // What was compared with a text must not be its stand-in in one place and the text in another.
    this.expectsExact = false;
    return this.writeFrom(start, value, shape);
  }

  private writeFrom(start: number, value: unknown, shape: Shape): number {
    this.begin(start);
    this.isInexact = false;
    if (value === undefined) return 0;
    return shape === "whole" ? this.value(value, 0) : this.shaped(value, shape, 0);
  }

  /** What the shape wants of a composite, anything else whole; `row`: where there is a row for an object already. */
  protected shaped(value: unknown, shape: MemberShape | ElementShape, depth: number, row = 0): number {
    if (typeof value !== "object" || value === null) return this.value(value, depth);
    if (shape.kind === "elements") {
      if (Array.isArray(value)) return this.elements(value, shape, depth + 1);
      if (shape.ofObjects && !Interned.is(value)) return this.values(value as Record<string, unknown>, shape, depth);
      this.isOpaque = false;
      return this.value(value, depth);
    }
    if (Array.isArray(value)) return this.array([], depth);
    let { object } = shape;
    let base = 0;
    if (object === 0) {
      object = row === 0 ? this.row(shape) : row;
      base = (object + RECORD_ENTRIES) >> 2;
    }
    const empty = this.members(value as Record<string, unknown>, shape, base, depth + 1);
    // A handle has no members, and asking every object whether it is one would take as long as writing a member.
    return empty ? this.bare(value, object) : object;
  }

  /** An object without any wanted member: a handle, or what is no object to JSON. */
  private bare(value: object, written: number): number {
    if (Interned.is(value)) return this.interned(value);
    refuseForeign(value);
    return written;
  }

  /** An object with the keys of a shape, whose values are undefined so far: a row may have keys that nobody here asks for. */
  private row({ addresses, row }: MemberShape): number {
    const count = addresses.length;
    const address = this.table(count, row);
    const entries = (address + RECORD_ENTRIES) >> 2;
    const { words } = this;
    for (let i = 0; i < count; i++) {
      words[entries + i * 2] = addresses[i] as number;
      words[entries + i * 2 + 1] = 0;
    }
    words[(address + COLLECTION_COUNT) >> 2] = count;
    return address;
  }

  /**
   * Writes members to their places; whether there were none. Going through the keys that an object has, in its own order, is
   * faster than asking for one after the other, unless it has many more; properties that it only inherits do not count
   * either way. Most objects have all members and no others, and are written by half as much code.
   */
  private members(value: Record<string, unknown>, shape: MemberShape, base: number, depth: number): boolean {
    const { members, bits } = shape;
    if (shape.exact > 0 && this.expectsExact) {
      if (!this.exactMembers(value, members, base, depth)) {
        shape.exact--;
        this.isInexact = true;
      }
      return false;
    }
    if (bits === 0) return this.membersByKey(value, shape, base, depth);
    let { words } = this;
    let next = 0;
    let written = 0;
    let others = 0;
    for (const key in value) {
      if (!hasOwn.call(value, key)) continue;
      let member = members[next];
      if (member === undefined || member.key !== key) {
        const at = placeOf(shape, key, next);
        if (at < 0) {
          if (++others > MANY) return this.membersByKey(value, shape, base, depth);
          continue;
        }
        next = at;
        member = members[at] as Member;
      }
      next++;
      written |= member.bit;
      const item = value[key];
      const known = typeof item === "string" && item.length <= member.longest ? member.seen.get(item) : undefined;
      const place = base + member.place;
      if (known !== undefined) {
        words[place] = known;
      } else {
        const address = typeof item === "string" ? this.newlySeen(item, member) : this.member(item, member, depth);
        words = this.words;
        words[place] = address;
      }
    }
    // What this object does not have, an earlier one may have had. Asking the object again is no proof of what was written:
    // a getter may have added a key meanwhile, and a Proxy may say now this, now that.
    if (written !== bits)
      for (const member of members) if ((written & member.bit) === 0) words[base + member.place] = 0;
    return written === 0;
  }

  /** Writes the members of an object that has just these, in the order of the shape; whether it does. */
  private exactMembers(
    value: Record<string, unknown>,
    members: readonly Member[],
    base: number,
    depth: number,
  ): boolean {
    let { words } = this;
    let next = 0;
    for (const key in value) {
      const member = members[next];
      if (member === undefined || member.key !== key || !hasOwn.call(value, key)) return false;
      next++;
      const item = value[key];
      const place = base + member.place;
      let address: number | undefined;
      if (typeof item === "string") {
        if (item.length <= member.longest) address = member.seen.get(item);
        if (address === undefined) {
          address = this.newlySeen(item, member);
          words = this.words;
        }
      } else if (typeof item === "boolean") {
        address = item ? TRUE_VALUE : FALSE_VALUE;
      } else {
        address = this.member(item, member, depth);
        words = this.words;
      }
      words[place] = address;
    }
    return next === members.length;
  }

  /** The address of a string that a member has not had, or that the policy does not hold. */
  private newlySeen(text: string, member: Member): number {
    if (text.length > member.longest) {
      if (member.longest >= 0) return this.string(text);
      return member.standIns === undefined ? this.string(text, 0) : this.standIn(text, member.standIns);
    }
    const { strings } = this;
    if (member.seen === strings) return this.string(text);
    const known = strings.get(text);
    if (known === undefined) {
      // A member whose strings are mostly none of the policy's is looked up once only.
      member.unknown++;
      if (member.unknown > FEW_UNKNOWN + member.seen.size * 8) member.seen = strings;
      return this.string(text);
    }
    // The text itself may be a small part of a large request, which it would keep alive.
    if (member.seen.size < SEEN) member.seen.set(this.ownText(known), known);
    else member.seen = strings;
    return known;
  }

  /** What stands for a text that no rule reads; the text itself where nothing can. */
  private standIn(text: string, standIns: StandIns): number {
    if (this.isOpaque && text.length > 0 && (!standIns.isTrimmed || isBare(text))) {
      const address = standIns.isAlone ? this.opaque.newAddress(text) : this.opaque.addressOf(text);
      if (address !== 0) return address;
    }
    return this.textItself(text, standIns);
  }

  private textItself(text: string, { isAlone, isOnlyTrimmed }: StandIns): number {
    if (this.isOpaque) {
      if (this.empty !== 0 && (isOnlyTrimmed ? isBlank(text) : text.length === 0)) return this.empty;
      if (!isAlone) this.isOpaque = false;
    }
    return this.string(text, 0);
  }

  private membersByKey(value: Record<string, unknown>, shape: MemberShape, base: number, depth: number): boolean {
    let empty = true;
    for (const member of shape.members) {
      let address = 0;
      if (isMember.call(value, member.key)) {
        const item = value[member.key];
        address = typeof item === "string" ? this.newlySeen(item, member) : this.member(item, member, depth);
        empty = false;
      }
      this.words[base + member.place] = address;
    }
    return empty;
  }

  /** The address of a member's value, 0 for undefined. */
  private member(item: unknown, member: Member, depth: number): number {
    if (item === undefined) return 0;
    const { shape } = member;
    if (shape !== "whole") return this.shaped(item, shape, depth);
    return member.longest < 0 ? this.unmatched(item, member.standIns, depth) : this.value(item, depth);
  }

  /** What has no string that anybody compares with one of the policy. */
  private unmatched(item: unknown, standIns: StandIns | undefined, depth: number): number {
    if (standIns !== undefined && typeof item === "object" && item !== null && Interned.is(item)) {
      return this.standIn(item.text, standIns);
    }
    this.looksUp = false;
    const address = this.value(item, depth);
    this.looksUp = true;
    return address;
  }

  /** An object with all of its keys, and of each value what the shape wants. */
  private values(value: Record<string, unknown>, { each, looksUp }: ElementShape, depth: number): number {
    return each === "whole" && !looksUp ? this.unmatched(value, undefined, depth) : this.object(value, depth + 1, each);
  }

  private elements(value: readonly unknown[], { each, rows, looksUp }: ElementShape, depth: number): number {
    if (each === "whole") return looksUp ? this.array(value, depth) : this.unmatched(value, undefined, depth - 1);
    const { length } = value;
    // The length of a Proxy may be anything.
    const isStatic = rows !== undefined && length >>> 0 === length && length <= rows.capacity;
    const address = isStatic ? rows.array : this.list(length);
    const items = (isStatic ? rows.items : address + ARRAY_HEAD) >> 2;
    if (isStatic) this.words[(address + COLLECTION_COUNT) >> 2] = length;
    for (let i = 0; i < length; i++) {
      const item = this.shaped(value[i], each, depth, isStatic ? rows.first + i * rows.stride : 0);
      this.words[items + i] = item;
    }
    return address;
  }
}

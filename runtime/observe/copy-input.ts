/**
 * A copy of a request, made before it is decided: what is written down is what was decided, whatever a getter says the next
 * time it is asked, and whatever the caller does to the request afterwards.
 *
 * INVARIANT: what the entrypoint's gates read is copied whole, or the copy holds a symbol in its place, which is refused.
 * So a part that is missing from the record has never been read: no request chooses that its own allow is not written down.
 */

import { type FootprintNode, MAX_VALUE_DEPTH } from "../abi/index.ts";
import { Interned, refuseForeign } from "../encode/index.ts";

const hasOwn = Object.prototype.hasOwnProperty;

/** What no gate reads of one request: values, and text in pieces of 16 units. More is decided, and not written down. */
const MOST_UNREAD = 200_000;
/** Values of one request. An evaluator has no room for as many. */
const MOST_VALUES = 1 << 23;
/** Parts that a record names as missing, and units of a key in such a name. */
const MOST_NAMED = 100;
const LONGEST_KEY = 200;
/** Levels below an unread member on which a part is left out alone. Further down the part around it is left out. */
const ALONE = 16;

/** Stands in a copy for what cannot be copied. An evaluator that reads it refuses the request. */
const UNREADABLE = Symbol("cannot be written down");
/** A part has no room; the part around it is left out. */
const OVER = Symbol("too large to be written down");

export interface CopiedInput {
  /** What is decided. */
  readonly value: unknown;
  /** About how much it holds. */
  readonly weight: number;
  /** JSON Pointers of parts that cannot be written down, from `/input` on: the first hundred, then `/input` for more. */
  readonly unrecorded: readonly string[];
  /** Takes those parts out of `value`, and gives what is left. Call it after the decision. */
  record(): unknown;
}

/** `reads`: what the entrypoint's gates read. Takes time and memory linear in the request's size. Never throws. */
export function copyInput(value: unknown, reads: FootprintNode): CopiedInput {
  const copier = new Copier();
  const copy = copier.whole(value, reads);
  return {
    value: copy,
    weight: copier.weight,
    unrecorded: copier.names(),
    record: () => copier.record(copy),
  };
}

/** A copy of an answer, which is the module's and has no more than fits in its memory. */
export function copyResult(value: unknown): { readonly value: unknown; readonly weight: number } {
  const copier = new Copier();
  return { value: copier.whole(value, true), weight: copier.weight };
}

/** Where a value stands; `undefined` for the whole request. */
interface Place {
  readonly above: Place | undefined;
  readonly key: string;
}

/** Where a value is put. */
interface Slot {
  readonly holder: Record<string, unknown> | unknown[];
  readonly key: string;
}

interface Unread extends Slot {
  readonly item: unknown;
  readonly depth: number;
  readonly place: Place;
}

class Copier {
  weight = 0;
  private values = 0;
  private unreadWeight = 0;
  private missing = 0;
  private isRootMissing = false;
  private readonly named: string[] = [];
  private readonly holes: Slot[] = [];
  /** Copied when everything that is read has its room. */
  private unread: Unread[] = [];

  whole(value: unknown, reads: FootprintNode): unknown {
    const copy = this.part(value, reads, 0, undefined, 0);
    if (copy === OVER || (value !== undefined && isLeafFault(copy))) this.isRootMissing = true;
    for (let i = 0; i < this.unread.length; i++) this.member(this.unread[i] as Unread, undefined, 0);
    this.unread = [];
    return copy === OVER ? UNREADABLE : copy;
  }

  names(): readonly string[] {
    if (this.isRootMissing) return ["/input"];
    return this.missing > this.named.length ? [...this.named, "/input"] : this.named;
  }

  record(copy: unknown): unknown {
    if (this.isRootMissing) return undefined;
    for (const { holder, key } of this.holes)
      if (Array.isArray(holder)) holder[Number(key)] = null;
      else delete holder[key];
    return copy;
  }

  /** The copy of a value; OVER where it has no room. `levels`: below the unread member that it is a part of. */
  private part(
    value: unknown,
    reads: FootprintNode | undefined,
    depth: number,
    place: Place | undefined,
    levels: number,
  ): unknown {
    const weight = typeof value === "string" ? 1 + (value.length >> 4) : 1;
    if (++this.values > MOST_VALUES) return OVER;
    if (reads === undefined && (this.unreadWeight += weight) > MOST_UNREAD) return OVER;
    this.weight += weight;
    if (typeof value !== "object" || value === null || Interned.is(value)) return value;
    if (depth >= MAX_VALUE_DEPTH) return OVER;
    try {
      return Array.isArray(value)
        ? this.list(value, reads, depth + 1, place, levels)
        : this.object(value as Record<string, unknown>, reads, depth + 1, place, levels);
    } catch {
      // A Proxy that throws, a Date, a stack without room.
      return UNREADABLE;
    }
  }

  private list(
    value: readonly unknown[],
    reads: FootprintNode | undefined,
    depth: number,
    place: Place | undefined,
    levels: number,
  ): unknown {
    const { length } = value;
    if (length >>> 0 !== length || this.values + length > MOST_VALUES) return OVER;
    if (reads === undefined && this.unreadWeight + length > MOST_UNREAD) return OVER;
    const inside = reads === undefined || reads === true ? reads : "each" in reads ? reads.each : undefined;
    const items: unknown[] = [];
    for (let i = 0; i < length; i++) {
      const key = String(i);
      const at = { above: place, key };
      const item = this.part(value[i], inside, depth, at, levels + 1);
      if (item === OVER && reads !== undefined) {
        this.leaveOut({ holder: items, key }, at);
        items.push(UNREADABLE);
      } else if (item === OVER) return OVER;
      else {
        if (isLeafFault(item) || item === undefined) this.leaveOut({ holder: items, key }, at);
        items.push(item);
      }
    }
    return items;
  }

  private object(
    value: Record<string, unknown>,
    reads: FootprintNode | undefined,
    depth: number,
    place: Place | undefined,
    levels: number,
  ): unknown {
    const copy: Record<string, unknown> = {};
    const standsFor = Reflect.get(value, "toJSON") as unknown;
    if (typeof standsFor !== "function") refuseForeign(value);
    else if (reads === undefined) return UNREADABLE;
    for (const key in value) {
      if (!hasOwn.call(value, key)) continue;
      const at = { above: place, key };
      let item: unknown = UNREADABLE;
      try {
        item = value[key];
      } catch {
        // The evaluator refuses it, if it is read.
      }
      if (item === undefined) continue;
      const slot = { holder: copy, key, item, depth, place: at };
      const inside = readsOf(reads, key);
      if (inside === undefined && reads !== undefined) {
        put(copy, key, UNREADABLE);
        this.unread.push(slot);
      } else if (!this.member(slot, inside, levels + 1)) return OVER;
    }
    // An evaluator refuses such an object where it reads all of it.
    if (typeof standsFor === "function" && !hasOwn.call(copy, "toJSON")) {
      Object.defineProperty(copy, "toJSON", { value: standsFor, configurable: true });
      this.holes.push({ holder: copy, key: "toJSON" });
    }
    return copy;
  }

  /** Whether it has its place in its holder: a copy, or a symbol where it is left out alone. */
  private member(
    { holder, key, item, depth, place }: Unread,
    reads: FootprintNode | undefined,
    levels: number,
  ): boolean {
    const { weight, unreadWeight } = this;
    const copy = this.part(item, reads, depth, place, levels);
    const slot = { holder, key };
    if (copy !== OVER) {
      put(holder as Record<string, unknown>, key, copy);
      if (isLeafFault(copy)) this.leaveOut(slot, place);
      return true;
    }
    if (reads === undefined && levels > 0 && (levels > ALONE || key.length > LONGEST_KEY)) return false;
    this.weight = weight;
    this.unreadWeight = unreadWeight;
    put(holder as Record<string, unknown>, key, UNREADABLE);
    this.leaveOut(slot, place);
    return true;
  }

  private leaveOut(slot: Slot, place: Place): void {
    this.missing++;
    this.holes.push(slot);
    if (this.named.length >= MOST_NAMED) return;
    const keys: string[] = [];
    for (let at: Place | undefined = place; at !== undefined; at = at.above) keys.push(at.key);
    if (keys.length > 2 * ALONE || keys.some((key) => key.length > LONGEST_KEY)) return;
    const tokens = keys.reverse().map((key) => key.replace(/~/g, "~0").replace(/\//g, "~1"));
    this.named.push(`/input/${tokens.join("/")}`);
  }
}

/** What is read of a member. A request may have a member called `constructor`. */
function readsOf(reads: FootprintNode | undefined, key: string): FootprintNode | undefined {
  if (reads === undefined || reads === true) return reads;
  if ("each" in reads) return reads.ofObjects === true ? reads.each : true;
  return hasOwn.call(reads.members, key) ? reads.members[key] : undefined;
}

/** What no JSON has, and an evaluator refuses. */
function isLeafFault(value: unknown): boolean {
  return (
    typeof value === "symbol" || typeof value === "function" || (typeof value === "number" && !Number.isFinite(value))
  );
}

function put(holder: Record<string, unknown>, key: string, value: unknown): void {
  // Assigned, this key would become the prototype.
  if (key === "__proto__")
    Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
  else holder[key] = value;
}

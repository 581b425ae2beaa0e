/**
 * A copy of a request, made before it is decided: what is written down is what was decided, whatever a getter says the next
 * time it is asked, and whatever the caller does to the request afterwards.
 */

import { MAX_DEPTH } from "../abi/layout.ts";
import { refuseForeign } from "../encode/foreign-objects.ts";
import { Interned } from "../encode/interned.ts";

const hasOwn = Object.prototype.hasOwnProperty;

/** Values of one request, and its text in pieces of 16: more than this is decided, and not written down. */
const LARGEST = 200_000;

export interface Copied {
  readonly value: unknown;
  /** About how much it holds. */
  readonly weight: number;
}

/** Throws for what is no data: a cycle, a Date, a getter that throws, too much. Other values that are not JSON stay as they are. */
export function copyInput(value: unknown): Copied {
  const copier = new Copier();
  return { value: copier.copy(value, 0), weight: copier.weight };
}

class Copier {
  weight = 0;

  copy(value: unknown, depth: number): unknown {
    this.weight += typeof value === "string" ? 1 + (value.length >> 4) : 1;
    if (this.weight > LARGEST || depth > MAX_DEPTH) throw new RangeError("too large to be written down");
    if (typeof value !== "object" || value === null || Interned.is(value)) return value;
    if (Array.isArray(value)) {
      const { length } = value;
      if (length > LARGEST) throw new RangeError("too large to be written down");
      const items: unknown[] = [];
      for (let i = 0; i < length; i++) items.push(this.copy(value[i], depth + 1));
      return items;
    }
    refuseForeign(value);
    const copy: Record<string, unknown> = {};
    for (const key in value) {
      if (!hasOwn.call(value, key)) continue;
      const item = this.copy((value as Record<string, unknown>)[key], depth + 1);
      // Assigned, this key would become the prototype.
      if (key === "__proto__")
        Object.defineProperty(copy, key, { value: item, enumerable: true, configurable: true, writable: true });
      else copy[key] = item;
    }
    return copy;
  }
}

/** Copies of what a shape wants of a request: small ones, of plain data, which share nothing with the request. */

import { Interned } from "./interned.ts";
import type { Shape } from "./shape.ts";

/** Values, and characters of texts, in a copy. */
export const MOST_VALUES = 128;
const MOST_CHARACTERS = 4096;
/** Longer texts may be parts of larger ones, which they would keep alive. */
const OWN = 12;

const hasOwn = Object.prototype.hasOwnProperty;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** An object as JSON.parse makes it: not one of a class, whose members are not all that it is, nor a stand-in of another value. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return !Interned.is(value) && typeof (value as { toJSON?: unknown }).toJSON !== "function";
}

/** Of a request what the shape wants; `undefined` for one that is large, or not of plain data where that would matter. */
export function plainCopy(request: unknown, shape: Shape): unknown {
  return new PlainCopy().value(request, shape);
}

class PlainCopy {
  private values = MOST_VALUES;
  private characters = MOST_CHARACTERS;

  value(value: unknown, shape: Shape): unknown {
    if (--this.values < 0) return undefined;
    switch (typeof value) {
      case "string":
        return this.text(value);
      case "number":
        return Number.isFinite(value) ? value : undefined;
      case "boolean":
        return value;
      case "object":
        if (value === null) return null;
        if (Interned.is(value)) return this.text(value.text);
        return Array.isArray(value) ? this.list(value, shape) : this.object(value as Record<string, unknown>, shape);
      default:
        return undefined;
    }
  }

  private text(text: string): string | undefined {
    this.characters -= text.length;
    if (this.characters < 0) return undefined;
    if (text.length <= OWN) return text;
    const own = decoder.decode(encoder.encode(text));
    return own === text ? own : undefined;
  }

  private list(list: readonly unknown[], shape: Shape): unknown[] | undefined {
    if (shape !== "whole" && shape.kind !== "elements") return undefined;
    const each = shape === "whole" ? shape : shape.each;
    const { length } = list;
    if (length >>> 0 !== length || length > this.values) return undefined;
    const copy: unknown[] = [];
    for (let i = 0; i < length; i++) {
      const item = this.value(list[i], each);
      // What lists inherit may be an accessor.
      if (item === undefined || i in copy) return undefined;
      copy.push(item);
    }
    return copy;
  }

  private object(object: Record<string, unknown>, shape: Shape): Record<string, unknown> | undefined {
    const wanted = shape !== "whole" && shape.kind === "members" ? shape.byKey : undefined;
    if (wanted === undefined && !isPlain(object)) return undefined;
    if (shape !== "whole" && shape.kind === "elements" && !shape.ofObjects) return undefined;
    const each = shape !== "whole" && shape.kind === "elements" ? shape.each : "whole";
    const copy: Record<string, unknown> = {};
    let isEmpty = true;
    for (const key in object) {
      if (!hasOwn.call(object, key)) continue;
      const member = wanted?.get(key);
      if (wanted !== undefined && member === undefined) continue;
      const item = object[key];
      if (item === undefined) continue;
      const value = this.value(item, member?.shape ?? each);
      // What objects inherit may be an accessor, or frozen.
      if (value === undefined || key in copy) return undefined;
      copy[wanted === undefined ? (this.text(key) as string) : key] = value;
      isEmpty = false;
    }
    if (isEmpty && !isPlain(object)) return undefined;
    return this.characters < 0 ? undefined : copy;
  }
}

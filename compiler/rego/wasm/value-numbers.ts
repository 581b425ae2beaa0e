/**
 * Numbers of collections: equal ones have one, whichever objects they are. So the layout of constants follows from what they say
 * alone, and tables of records, which hold the same few again and again, hold them once.
 */

import { jsonText, sortedEntries, sortedItems, type Value } from "../value/index.ts";

export type Collection = Extract<Value, { kind: "array" | "object" | "set" }>;

export function isCollection(value: Value): value is Collection {
  return value.kind === "array" || value.kind === "object" || value.kind === "set";
}

export class ValueNumbers {
  /** By the numbers and texts of the parts. */
  private readonly numbers = new Map<string, number>();
  private readonly seen = new Map<Collection, number>();

  /** Cost: a look at each part, the first time. Numbers are told apart by their texts: `1` and `1.0` are printed as they were written. */
  of(value: Collection): number {
    let number = this.seen.get(value);
    if (number === undefined) {
      const parts = value.kind === "object" ? sortedEntries(value.entries).flat() : itemsOf(value);
      const key = `${value.kind} ${parts.map((part) => this.name(part)).join()}`;
      number = this.numbers.get(key) ?? this.numbers.size;
      this.numbers.set(key, number);
      this.seen.set(value, number);
    }
    return number;
  }

  private name(part: Value): string {
    return isCollection(part) ? `#${this.of(part)}` : jsonText(part);
  }
}

/** Elements of a set in order. */
function itemsOf(value: Extract<Collection, { readonly items: readonly Value[] }>): readonly Value[] {
  return value.kind === "set" ? sortedItems(value.items) : value.items;
}

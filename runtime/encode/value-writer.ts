/**
 * Writes JavaScript values straight into linear memory, as the values that compiled rules read (abi/layout.ts): no JSON
 * text, no parsing. A string that the policy holds becomes the address of the policy's own. What cannot be a policy value -
 * a function, a symbol, NaN, a cycle, too much of anything - is refused with EncodeError, which becomes a denial.
 */

import {
  COLLECTION_COUNT,
  FALSE_VALUE,
  INDEX_THRESHOLD,
  MAX_DEPTH,
  NULL_VALUE,
  RECORD_ENTRIES,
  STRING_LENGTH,
  TRUE_VALUE,
} from "../abi/layout.ts";
import type { Echo } from "./echo.ts";
import { refuseForeign } from "./foreign-objects.ts";
import { Interned } from "./interned.ts";
import { ARRAY_HEAD, EncodeError, isWellFormed, MemoryWriter } from "./memory-writer.ts";
import type { ElementShape, MemberShape, Shape } from "./shape.ts";

const hasOwn = Object.prototype.hasOwnProperty;

export abstract class ValueWriter extends MemoryWriter {
  protected readonly strings: Map<string, number>;
  /** Of which handles the addresses hold. */
  private readonly owner: object;
  /** Whether strings are looked up among the policy's. */
  protected looksUp = true;
  /** Keys and values of the objects that are being written, the innermost last: how many there are shows in the end. */
  private readonly pending: number[] = [];
  private pendingCount = 0;
  /** Objects that want an index when everything is written. */
  private unindexed: number[] = [];

  constructor(memory: WebAssembly.Memory, strings: Map<string, number>, limit: number, echo: Echo, owner: object) {
    super(memory, limit, echo);
    this.strings = strings;
    this.owner = owner;
  }

  /** Objects whose index the module still has to make; empty almost always. */
  takeUnindexed(): readonly number[] {
    if (this.unindexed.length === 0) return this.unindexed;
    const taken = this.unindexed;
    this.unindexed = [];
    return taken;
  }

  protected override begin(start: number): void {
    super.begin(start);
    // What a refused value left behind lies in memory that is written anew.
    if (this.unindexed.length > 0) this.unindexed = [];
    this.pendingCount = 0;
    this.looksUp = true;
  }

  /** What a shape wants of a value that is one of an object's. */
  protected abstract shaped(value: unknown, shape: MemberShape | ElementShape, depth: number): number;

  protected value(value: unknown, depth: number): number {
    switch (typeof value) {
      case "string":
        return this.looksUp ? (this.strings.get(value) ?? this.string(value)) : this.string(value, 0);
      case "number":
        return this.number(value);
      case "boolean":
        return value ? TRUE_VALUE : FALSE_VALUE;
      case "bigint":
        return this.integer(value);
      case "object":
        if (value === null) return NULL_VALUE;
        if (Interned.is(value)) return this.interned(value);
        if (depth >= MAX_DEPTH) {
          throw new EncodeError(`the input is nested more than ${MAX_DEPTH} levels deep, or refers to itself`);
        }
        return Array.isArray(value)
          ? this.array(value, depth + 1)
          : this.object(value as Record<string, unknown>, depth + 1);
      default:
        throw new EncodeError(`a ${typeof value} is not a JSON value`);
    }
  }

  /** A handle of this policy is an address; one of another policy, and one of a text that is not the policy's, is its text. */
  protected interned(handle: Interned): number {
    const address = handle.addressFor(this.owner);
    return address !== 0 ? address : (this.strings.get(handle.text) ?? this.string(handle.text));
  }

  /** Own enumerable string keys, and of each value what `each` wants; a property that is `undefined` is absent, as in JSON. */
  protected object(value: Record<string, unknown>, depth: number, each: Shape = "whole"): number {
    refuseForeign(value);
    const { pending } = this;
    const from = this.pendingCount;
    let top = from;
    for (const key in value) {
      if (!hasOwn.call(value, key)) continue;
      const item = value[key];
      if (item === undefined) continue;
      pending[top] = this.strings.get(key) ?? this.unknownKey(key);
      this.pendingCount = top + 2;
      pending[top + 1] = each === "whole" ? this.value(item, depth) : this.shaped(item, each, depth);
      top += 2;
    }
    const present = (top - from) >> 1;
    const address = this.table(present);
    const entries = (address + RECORD_ENTRIES) >> 2;
    const { words } = this;
    for (let i = from; i < top; i++) words[entries + i - from] = pending[i] as number;
    this.pendingCount = from;
    words[(address + COLLECTION_COUNT) >> 2] = present;
    if (present > INDEX_THRESHOLD) this.unindexed.push(address);
    return address;
  }

  /** A key that the policy does not hold: in UTF-8 a lone surrogate would become another character, and so the key another. */
  private unknownKey(key: string): number {
    const address = this.string(key);
    const isAscii = this.words[(address + STRING_LENGTH) >> 2] === key.length;
    if (!isAscii && !isWellFormed(key)) throw new EncodeError("a key is not valid Unicode");
    return address;
  }

  protected array(value: readonly unknown[], depth: number): number {
    const { length } = value;
    const address = this.list(length);
    const items = (address + ARRAY_HEAD) >> 2;
    for (let i = 0; i < length; i++) {
      const item = this.value(value[i], depth);
      this.words[items + i] = item;
    }
    return address;
  }
}

/** Open-addressed indexes of constant tables and of the policy's strings, as rtlib/table.ts searches them. */

import type { StaticMemory } from "./static-memory.ts";

/** Slots for each entry that an index has at most. */
const MOST_SLOTS = 16;

/** Where the index of tables with these keys is; see TABLE_INDEX. */
interface TableIndex {
  readonly address: number;
  readonly mask: number;
}

export const NO_INDEX: TableIndex = { address: 0, mask: 0 };

/** The indexes of constant tables: one for all tables with the same keys. */
export class TableIndexes {
  private readonly memory: StaticMemory;
  private readonly known = new Map<string, TableIndex>();

  constructor(memory: StaticMemory) {
    this.memory = memory;
  }

  /** The index of a table with these keys, in order, and their hashes. */
  of(keys: readonly number[], hashes: readonly number[]): TableIndex {
    const name = keys.join();
    let index = this.known.get(name);
    if (index === undefined) {
      const slots = slotsWithoutCollision(hashes);
      const numbered = hashes.map((hash, i): readonly [number, number] => [hash, i + 1]);
      index = { address: writeIndex(this.memory, slots, numbered), mask: slots - 1 };
      this.known.set(name, index);
    }
    return index;
  }
}

/** Words by hash; 0 is a free slot. Its address. */
export function writeIndex(
  memory: StaticMemory,
  slots: number,
  words: readonly (readonly [hash: number, word: number])[],
): number {
  const address = memory.reserve(slots * 4);
  for (const [hash, word] of words) {
    let i = hash & (slots - 1);
    while (memory.get(address + i * 4) !== 0) i = (i + 1) & (slots - 1);
    memory.put(address + i * 4, word);
  }
  return address;
}

/** As many slots as let every entry be found at once, if that does not take too many. */
function slotsWithoutCollision(hashes: readonly number[]): number {
  const fewest = slotsFor(hashes.length);
  for (let slots = fewest; slots <= hashes.length * MOST_SLOTS; slots *= 2) {
    if (areApart(hashes, slots)) return slots;
  }
  return fewest;
}

/** Whether each has a slot of its own. Of many, two soon have not. */
function areApart(hashes: readonly number[], slots: number): boolean {
  const taken = new Set<number>();
  for (const hash of hashes) {
    const slot = hash & (slots - 1);
    if (taken.has(slot)) return false;
    taken.add(slot);
  }
  return true;
}

/** A power of two, at least two slots for each entry, and one that stays free. */
export function slotsFor(count: number): number {
  let slots = 1;
  while (slots < count * 2) slots *= 2;
  return slots;
}

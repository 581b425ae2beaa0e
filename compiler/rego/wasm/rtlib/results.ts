// Results that functions remember within one evaluation, by their arguments. They live on the heap, as what builtins compiled
// does; a function's slot of the memo frame says which evaluation they are of.

import { memoEpoch } from "./evaluation";
import { newObject } from "./object";
import { addEntry, clearTable, findEntry } from "./table";
import { countOf } from "./value";

/** Results that a function remembers. It forgets them all before it remembers one more: arguments may never come again. */
const MOST_RESULTS: u32 = 4096;

/**
 * Address of the entry with these arguments (a value, or the list of them) of a function whose slot of the memo frame is `slot`;
 * its second word is the result, 0 where that is undefined. 0 when none is remembered.
 */
export function recallResult(slot: usize, args: usize): usize {
  return load<u32>(slot) == memoEpoch ? findEntry(load<u32>(slot, 4), args, 3) : 0;
}

/** Remembers a result, which `recallResult` did not know. */
export function rememberResult(slot: usize, args: usize, result: usize): void {
  if (load<u32>(slot) != memoEpoch) {
    store<u32>(slot, newObject(4), 4);
    store<u32>(slot, memoEpoch);
  }
  const results: usize = load<u32>(slot, 4);
  if (countOf(results) == MOST_RESULTS) clearTable(results, 3);
  store<u32>(addEntry(results, args, 3), result, 4);
}

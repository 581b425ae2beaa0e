// What is remembered within one evaluation: what builtins compiled (regular expressions, globs), by its source text, and
// results of functions, by their arguments. It lives on the heap, which the host sets back after each evaluation, so every
// evaluation begins without it.

import { memoEpoch } from "./evaluation";
import { newObject, objectGet, objectPut } from "./object";
import { addEntry, clearTable, findEntry } from "./table";
import { countOf } from "./value";

let compiled: usize = 0;

/** At the start of every evaluation. */
export function forgetCompiled(): void {
  compiled = 0;
}

/** What was remembered for the key, or 0. */
export function recall(key: usize): usize {
  return compiled == 0 ? 0 : objectGet(compiled, key);
}

/** Remembers an address other than 0; it need not be that of a value. The key is kept and must live on. */
export function remember(key: usize, address: usize): void {
  if (compiled == 0) compiled = newObject(8);
  objectPut(compiled, key, address);
}

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

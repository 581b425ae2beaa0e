// What builtins compiled during this evaluation (regular expressions, globs), by its source text. It lives on the heap,
// which the host sets back after each evaluation, so every evaluation begins without it.

import { keepAll } from "./memory";
import { newObject, objectGet, objectPut } from "./object";

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
  keepAll();
}

/** Homes: large objects of the policy whose keys know their entries there (runtime/abi/layout.ts). */

import { HOME_SHIFT, INDEX_THRESHOLD, TAG_STRING, VALUE_TAG } from "@portcullis/runtime/abi";
import type { Value } from "../value/index.ts";
import type { StaticMemory } from "./static-memory.ts";

/**
 * Makes an object with these keys, in order, their home, and tells whether it is: one of many keys, all of them strings that
 * have no other home.
 */
export function makeHome(memory: StaticMemory, keys: readonly number[]): boolean {
  if (keys.length <= INDEX_THRESHOLD || keys.length >= 1 << (32 - HOME_SHIFT)) return false;
  // Null, booleans and small integers stand below the policy's data.
  const words = keys.map((key) => (key < memory.base ? 0 : memory.get(key + VALUE_TAG)));
  const own = keys.map((_, i) => (TAG_STRING | ((i + 1) << HOME_SHIFT)) >>> 0);
  if (words.every((word, i) => word === own[i])) return true;
  if (words.some((word) => word !== TAG_STRING)) return false;
  for (const [i, key] of keys.entries()) memory.put(key + VALUE_TAG, own[i] as number);
  return true;
}

/** Whether a value is such as homes are: code that takes it for one, and is wrong, finds keys by their hashes. */
export function isLikeHome(value: Value): boolean {
  if (value.kind !== "object" || value.entries.length <= INDEX_THRESHOLD) return false;
  return value.entries.every(([key]) => key.kind === "string");
}

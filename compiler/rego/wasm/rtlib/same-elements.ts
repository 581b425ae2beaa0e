// `{x | some x in list} == other`, without a set of what is in the list.

import { scanCount, scanItems } from "./access";
import { charge } from "./budget";
import { alloc } from "./memory";
import { entriesOf, findEntry } from "./table";
import { countOf, isObject, isSet } from "./value";

/** `list` may be undefined, or of any type: only collections have elements. */
export function sameElements(list: usize, other: usize): bool {
  if (!isSet(other)) return false;
  const turns = scanCount(list);
  const wanted = countOf(other);
  if (turns < wanted) return false;
  if (turns == 0) return true;
  charge(turns);
  // Which of the other's elements were met: a byte each.
  const met = alloc((wanted + 7) & ~7);
  for (let i: u32 = 0; i < wanted; i += 8) store<u64>(met + i, 0);
  const size: usize = isObject(list) ? 8 : 4;
  // An object's values stand behind its keys.
  let element = scanItems(list) + size - 4;
  let count: u32 = 0;
  for (let i: u32 = 0; i < turns; i++) {
    const entry = findEntry(other, load<u32>(element), 2);
    if (entry == 0) return false;
    const at = met + ((entry - entriesOf(other)) >> 2);
    if (load<u8>(at) == 0) count++;
    store<u8>(at, 1);
    element += size;
  }
  return count == wanted;
}

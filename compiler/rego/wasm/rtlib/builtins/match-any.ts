// Whether any of many strings begins or ends with any of many others, without trying each with each.

import { arrayGet, arrayPush, newArray } from "../array";
import { heapMark, heapRelease } from "../memory";
import { setAt, sortSet } from "../set";
import { bytesOf, compareStrings, lengthOf, newString } from "../string";
import { entriesOf } from "../table";
import { countOf, isArray, isSet, isString, newBoolean } from "../value";
import { sorted } from "./arrays";
import { hasPrefix, hasSuffix } from "./strings";

/** Up to this many pairs are simply tried. */
const FEW: u32 = 64;

/** Whether one string has one of the affixes, an array or a set; 0 where they are no strings. Nothing is allocated. */
function matchOne(text: usize, affixes: usize, suffix: bool): usize {
  if (isString(affixes)) return newBoolean(suffix ? hasSuffix(text, affixes) : hasPrefix(text, affixes));
  if (!isArray(affixes) && !isSet(affixes)) return 0;
  const n = countOf(affixes);
  const items = entriesOf(affixes);
  let found = false;
  for (let i: u32 = 0; i < n; i++) {
    const affix: usize = load<u32>(items + (i << 2));
    if (!isString(affix)) return 0;
    if (!found) found = suffix ? hasSuffix(text, affix) : hasPrefix(text, affix);
  }
  return newBoolean(found);
}

/** An array of the strings: a string alone, or an array or a set of strings. 0 for anything else. */
function list(v: usize): usize {
  if (isString(v)) {
    const one = newArray(1);
    arrayPush(one, v);
    return one;
  }
  if (isSet(v)) {
    sortSet(v);
    const n = countOf(v);
    const all = newArray(n);
    for (let i: u32 = 0; i < n; i++) arrayPush(all, setAt(v, i));
    v = all;
  }
  if (!isArray(v)) return 0;
  for (let i: u32 = 0; i < countOf(v); i++) if (!isString(arrayGet(v, i))) return 0;
  return v;
}

function reversed(v: usize): usize {
  const n = countOf(v);
  const result = newArray(n);
  for (let i: u32 = 0; i < n; i++) {
    const s = arrayGet(v, i);
    const length = lengthOf(s);
    // Byte by byte: these strings are only compared with each other.
    const r = newString(length);
    for (let j: u32 = 0; j < length; j++) store<u8>(bytesOf(r) + j, load<u8>(bytesOf(s) + (length - 1 - j)));
    arrayPush(result, r);
  }
  return result;
}

function anyMatch(texts: usize, parts: usize, suffix: bool): usize {
  if (isString(texts)) return matchOne(texts, parts, suffix);
  const mark = heapMark();
  let strings = list(texts);
  let affixes = list(parts);
  if (strings == 0 || affixes == 0) {
    heapRelease(mark);
    return 0;
  }
  let found = false;
  if (<u64>countOf(strings) * <u64>countOf(affixes) <= <u64>FEW) {
    for (let i: u32 = 0; i < countOf(strings); i++) {
      for (let j: u32 = 0; j < countOf(affixes); j++) {
        const s = arrayGet(strings, i);
        const a = arrayGet(affixes, j);
        if (suffix ? hasSuffix(s, a) : hasPrefix(s, a)) found = true;
      }
    }
  } else {
    if (suffix) {
      strings = reversed(strings);
      affixes = reversed(affixes);
    }
    strings = sorted(strings);
    for (let j: u32 = 0; j < countOf(affixes) && !found; j++) found = anyBegins(strings, arrayGet(affixes, j));
  }
  heapRelease(mark);
  return newBoolean(found);
}

/** Whether one of the sorted strings begins with `prefix`: the first that is not less would. */
function anyBegins(strings: usize, prefix: usize): bool {
  let low: u32 = 0;
  let high = countOf(strings);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareStrings(arrayGet(strings, middle), prefix) < 0) low = middle + 1;
    else high = middle;
  }
  return low < countOf(strings) && hasPrefix(arrayGet(strings, low), prefix);
}

export function builtin_strings_any_prefix_match(texts: usize, prefixes: usize): usize {
  return anyMatch(texts, prefixes, false);
}

export function builtin_strings_any_suffix_match(texts: usize, suffixes: usize): usize {
  return anyMatch(texts, suffixes, true);
}

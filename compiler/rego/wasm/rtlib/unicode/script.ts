// Scripts by name: for each a length-prefixed name (Old_Italic), the length of its data as a varint, and the data, varints:
// the count of ranges, then for each the distance of its first code point from the end of the range before, and its
// length - 1. A zero length ends the table.

import { SCRIPTS } from "./script-data";

let at: usize = 0;
let left: u32 = 0;
let end: u32 = 0;
export let scriptLow: u32 = 0;
export let scriptHigh: u32 = 0;

function next(): u32 {
  let value: u32 = 0;
  let shift = 0;
  let byte: u32;
  do {
    byte = load<u8>(at++);
    value |= (byte & 127) << shift;
    shift += 7;
  } while (byte >= 128);
  return value;
}

/** Begins a walk over a script, whose name is compared without underscores and letter case; false if no script has that name. */
export function beginScript(name: usize, length: u32): bool {
  at = SCRIPTS;
  while (true) {
    const nameLength: u32 = load<u8>(at++);
    if (nameLength == 0) return false;
    const found = sameName(at, nameLength, name, length);
    at += nameLength;
    const size = next();
    if (found) break;
    at += size;
  }
  left = next();
  end = 0;
  return true;
}

function sameName(a: usize, n: u32, b: usize, m: u32): bool {
  const aEnd = a + n;
  const bEnd = b + m;
  for (; a < aEnd; a++) {
    if (load<u8>(a) == 95) continue;
    if (b == bEnd || (load<u8>(a) | 32) != (load<u8>(b) | 32)) return false;
    b++;
  }
  return b == bEnd;
}

/** The next range, in scriptLow and scriptHigh; false at the end. */
export function nextScriptRange(): bool {
  if (left == 0) return false;
  left--;
  scriptLow = end + next();
  scriptHigh = scriptLow + next();
  end = scriptHigh;
  return true;
}

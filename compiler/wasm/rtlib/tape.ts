// Builds a value from the tape that our runtime writes: see runtime/abi/tape.ts. Strings and number texts refer to the
// tape's bytes in place, so the heap must begin after it.

import { TAG_ARRAY, TAG_BOOLEAN, TAG_NULL, TAG_NUMBER, TAG_OBJECT, TAG_SET, TAG_STRING } from "../../../runtime/abi/layout";
import { TAPE_INT } from "../../../runtime/abi/tape";
import { arrayPush, newArray } from "./array";
import { resetBudget } from "./budget";
import { newInt, newNumber } from "./number";
import { newObject, objectPut } from "./object";
import { newSet, setAdd } from "./set";
import { givenString } from "./string";
import { newBoolean, NULL } from "./value";

let at: usize = 0;
let end: usize = 0;

/** The value of the tape in `[start, stop)`; 0 when the tape ends early or holds an unknown tag. */
export function portcullis_tape_read(start: usize, stop: usize): usize {
  at = start;
  end = stop;
  resetBudget();
  return item();
}

function item(): usize {
  if (at + 4 > end) return 0;
  const tag = load<u32>(at);
  if (tag == TAG_NULL) {
    at += 4;
    return NULL;
  }
  if (at + 8 > end) return 0;
  const payload = load<u32>(at, 4);
  at += 8;
  switch (tag) {
    case TAG_STRING: {
      const bytes = take(payload);
      return bytes == 0 ? 0 : givenString(bytes, payload, false);
    }
    case TAPE_INT:
      return newInt(<i64>(<i32>payload));
    case TAG_BOOLEAN:
      return newBoolean(payload != 0);
    case TAG_NUMBER: {
      const text = take(payload);
      return text == 0 ? 0 : newNumber(text, payload);
    }
    case TAG_ARRAY:
      return array(payload);
    case TAG_OBJECT:
      return object(payload);
    case TAG_SET:
      return set(payload);
    default:
      return 0;
  }
}

/** The next `length` bytes, and the padding after them skipped. */
function take(length: u32): usize {
  const bytes = at;
  if (<u64>bytes + <u64>length > <u64>end) return 0;
  at = (bytes + length + 3) & ~3;
  return bytes;
}

function array(count: u32): usize {
  const a = newArray(count);
  for (let i: u32 = 0; i < count; i++) {
    const v = item();
    if (v == 0) return 0;
    arrayPush(a, v);
  }
  return a;
}

function object(count: u32): usize {
  const o = newObject(count);
  for (let i: u32 = 0; i < count; i++) {
    const key = item();
    if (key == 0) return 0;
    const v = item();
    if (v == 0) return 0;
    objectPut(o, key, v);
  }
  return o;
}

function set(count: u32): usize {
  const s = newSet(count);
  for (let i: u32 = 0; i < count; i++) {
    const v = item();
    if (v == 0) return 0;
    setAdd(s, v);
  }
  return s;
}

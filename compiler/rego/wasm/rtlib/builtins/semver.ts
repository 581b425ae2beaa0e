// Semantic versions.

import { abortWith } from "../host";
import { newInt } from "../number";
import { bytesOf, lengthOf } from "../string";
import { isString, newBoolean } from "../value";

// A version that was read: three numbers, then start and end of the pre-release, at 0, 8, 16, 24 and 28.
const VERSION_SIZE: usize = 32;
const VERSIONS: usize = memory.data(64, 8);
const NUMBERS: usize = memory.data(16, 8);

/** Reads a version into place 0 or 1. */
function read(text: usize, place: usize): bool {
  const version = VERSIONS + place * VERSION_SIZE;
  let at = bytesOf(text);
  const end = at + lengthOf(text);
  if (at < end && load<u8>(at) == 118) at++;
  // The first plus sign begins the metadata, the first hyphen before it the pre-release.
  const plus = find(at, end, 43);
  const hyphen = find(at, plus, 45);
  for (let i: usize = 0; i < 3; i++) {
    const stop = i == 2 ? hyphen : find(at, hyphen, 46);
    if (i < 2 && stop == hyphen) return false;
    if (hasLeadingZero(at, stop) || !readNumber(at, stop, version + (i << 3)) || overflowed) return false;
    at = stop + 1;
  }
  const preRelease = hyphen < plus ? hyphen + 1 : plus;
  store<u32>(version, <u32>preRelease, 24);
  store<u32>(version, <u32>plus, 28);
  return (hyphen == plus || isPreRelease(preRelease, plus)) && (plus == end || isIdentifier(plus + 1, end));
}

function find(at: usize, end: usize, byte: u32): usize {
  while (at < end && load<u8>(at) != byte) at++;
  return at;
}

/** Whether the last number that was read is larger than 64 bits hold; it is the largest, then. */
let overflowed: bool = false;

/** Reads a text of digits, at least one. */
function readNumber(at: usize, end: usize, to: usize): bool {
  if (at == end) return false;
  let value: u64 = 0;
  overflowed = false;
  for (; at < end; at++) {
    const digit = <u64>load<u8>(at) - 48;
    if (digit > 9) return false;
    if (overflowed || value > (<u64>i64.MAX_VALUE - digit) / 10) {
      overflowed = true;
      value = i64.MAX_VALUE;
    } else value = value * 10 + digit;
  }
  store<i64>(to, <i64>value);
  return true;
}

function hasLeadingZero(at: usize, end: usize): bool {
  return end > at + 1 && load<u8>(at) == 48;
}

/** An identifier, in which a part of digits only has no leading zero. */
function isPreRelease(at: usize, end: usize): bool {
  if (!isIdentifier(at, end)) return false;
  while (at < end) {
    const stop = find(at, end, 46);
    if (hasLeadingZero(at, stop) && readNumber(at, stop, NUMBERS)) return false;
    at = stop + 1;
  }
  return true;
}

/** Letters, digits and hyphens, in parts between dots. */
function isIdentifier(at: usize, end: usize): bool {
  let empty = true;
  for (; at < end; at++) {
    const byte: u32 = load<u8>(at);
    if (byte == 46) {
      if (empty) return false;
      empty = true;
      continue;
    }
    if ((byte | 32) - 97 >= 26 && byte - 48 >= 10 && byte != 45) return false;
    empty = false;
  }
  return !empty;
}

export function builtin_semver_is_valid(text: usize): usize {
  return newBoolean(isString(text) && read(text, 0));
}

export function builtin_semver_compare(a: usize, b: usize): usize {
  if (!isString(a) || !isString(b) || !read(a, 0) || !read(b, 1)) return 0;
  const other = VERSIONS + VERSION_SIZE;
  for (let i: usize = 0; i < 24; i += 8) {
    const x = load<i64>(VERSIONS + i);
    const y = load<i64>(other + i);
    if (x != y) return newInt(x < y ? -1 : 1);
  }
  return newInt(comparePreReleases(load<u32>(VERSIONS, 24), load<u32>(VERSIONS, 28), load<u32>(other, 24), load<u32>(other, 28)));
}

/** A version without a pre-release is greater; else part by part, numbers before names, the shorter first. */
function comparePreReleases(a: usize, aEnd: usize, b: usize, bEnd: usize): i32 {
  if (a == aEnd || b == bEnd) return a == aEnd ? (b == bEnd ? 0 : 1) : -1;
  const firstA = a;
  const firstB = b;
  while (true) {
    const aStop = find(a, aEnd, 46);
    const bStop = find(b, bEnd, 46);
    const aNumber = readNumber(a, aStop, NUMBERS);
    const bNumber = readNumber(b, bStop, NUMBERS + 8);
    if (aNumber != bNumber) return aNumber ? -1 : 1;
    if (aNumber && load<i64>(NUMBERS) != load<i64>(NUMBERS, 8)) return load<i64>(NUMBERS) < load<i64>(NUMBERS, 8) ? -1 : 1;
    const order = aNumber ? 0 : compareBytes(a, aStop, b, bStop);
    if (order != 0) return order;
    if (aStop == aEnd && bStop == bEnd) break;
    if (aStop == aEnd || bStop == bEnd) return aStop == aEnd ? -1 : 1;
    a = aStop + 1;
    b = bStop + 1;
  }
  // Two numbers beyond 64 bits differ in nothing else: OPA goes on for ever.
  if (compareBytes(firstA, aEnd, firstB, bEnd) != 0) abortWith("semver.compare of numbers beyond 64 bits");
  return 0;
}

function compareBytes(a: usize, aEnd: usize, b: usize, bEnd: usize): i32 {
  while (a < aEnd && b < bEnd) {
    const x = load<u8>(a++);
    const y = load<u8>(b++);
    if (x != y) return x < y ? -1 : 1;
  }
  return a < aEnd ? 1 : b < bEnd ? -1 : 0;
}

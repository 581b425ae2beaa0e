// Where in the pattern its parser is, and whether the pattern is still a valid one.

import { codePointAt, widthAt } from "../../string";

/** The next byte, and the end of the pattern. */
export let at: usize = 0;
export let end: usize = 0;
/** Whether anything was found that makes the whole pattern invalid. */
export let failed = false;

export function beginPattern(pattern: usize, length: u32): void {
  at = pattern;
  end = pattern + length;
  failed = false;
}

export function skip(bytes: usize): void {
  at += bytes;
}

export function moveTo(place: usize): void {
  at = place;
}

export function fail(): void {
  failed = true;
}

export function takeByte(): u32 {
  return load<u8>(at++);
}

/** The code point that stands here. */
export function takeCode(): u32 {
  const code = codePointAt(at, end);
  at += widthAt(at, end);
  return code;
}

/** Whether a digit stands here. */
export function isDigit(): bool {
  return at < end && <u32>load<u8>(at) - 48 <= 9;
}

// How often something is repeated: {n}, {n,} and {n,m}.

import { at, end, fail, isDigit, moveTo, skip } from "./reader";

export const MAX_REPEAT = 1000;

export let least: i32 = 0;
export let most: i32 = 0;

/** {n}, {n,} or {n,m}, which is taken; false leaves everything as it is: the brace is a literal. */
export function parseRepeat(): bool {
  const start = at;
  skip(1);
  least = parseInt();
  if (least == -1) return backTo(start);
  most = least;
  if (at < end && load<u8>(at) == 44) {
    skip(1);
    if (at < end && load<u8>(at) == 125) {
      most = -1;
    } else {
      most = parseInt();
      if (most == -1) return backTo(start);
    }
  }
  if (at >= end || load<u8>(at) != 125) return backTo(start);
  skip(1);
  if (least > MAX_REPEAT || most > MAX_REPEAT || (most >= 0 && least > most)) fail();
  return true;
}

function backTo(start: usize): bool {
  moveTo(start);
  return false;
}

/** Digits without leading zeros, saturating; -1 without digits. */
function parseInt(): i32 {
  if (!isDigit()) return -1;
  if (load<u8>(at) == 48 && end - at > 1 && <u32>load<u8>(at, 1) - 48 <= 9) return -1;
  let value = 0;
  for (; isDigit(); skip(1)) {
    if (value < 100000000) value = value * 10 + (<i32>load<u8>(at) - 48);
  }
  return value;
}

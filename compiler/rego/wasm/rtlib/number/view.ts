// Any number as its significant decimal digits: what comparison and hashing look at, so that 1, 1.0 and 1e0 are the same.
//
// A view is 0.d1d2d3... * 10**exponent with neither leading nor trailing zeros among the digits, in one of two fixed
// places (a comparison needs two at a time):
//
//   +0   i32   sign: -1, 0 (no digits) or 1
//   +4   u32   address of the first digit
//   +8   u32   address after the last digit; a decimal point may stand between
//   +16  i64   exponent
//   +24  the digits of a number that is not kept as text

import { FLAG_TEXT, NUMBER_INT, NUMBER_TEXT, NUMBER_TEXT_LENGTH, VALUE_FLAGS } from "../../../../../runtime/abi/layout";

const VIEW_SIZE: usize = 48;
const views: usize = memory.data(96, 8);

const ZERO: u8 = 48;
const MINUS: u8 = 45;
const POINT: u8 = 46;

export function viewSign(view: usize): i32 {
  return load<i32>(view);
}

export function viewStart(view: usize): usize {
  return load<u32>(view, 4);
}

export function viewEnd(view: usize): usize {
  return load<u32>(view, 8);
}

export function viewExponent(view: usize): i64 {
  return load<i64>(view, 16);
}

/** Looks at a number; `place` is 0 or 1. */
export function viewOf(v: usize, place: usize): usize {
  const view = views + place * VIEW_SIZE;
  if (load<u8>(v, VALUE_FLAGS) & FLAG_TEXT) {
    const text: usize = load<u32>(v, NUMBER_TEXT);
    viewText(view, text, text + load<u32>(v, NUMBER_TEXT_LENGTH));
  } else {
    viewInt(view, load<i64>(v, NUMBER_INT));
  }
  return view;
}

function viewInt(view: usize, value: i64): void {
  let magnitude: u64 = value < 0 ? 0 - <u64>value : <u64>value;
  const end = view + VIEW_SIZE;
  let at = end;
  while (magnitude != 0) {
    at--;
    store<u8>(at, ZERO + <u8>(magnitude % 10));
    magnitude /= 10;
  }
  finish(view, value < 0, at, end, <i64>(end - at));
}

function viewText(view: usize, at: usize, end: usize): void {
  const negative = load<u8>(at) == MINUS;
  if (negative) at++;
  // The mantissa ends at the exponent, which moves the point.
  let mantissaEnd = at;
  let point: usize = 0;
  while (mantissaEnd < end) {
    const byte = load<u8>(mantissaEnd);
    if (byte == POINT) point = mantissaEnd;
    else if (<u32>byte - 48 > 9) break;
    mantissaEnd++;
  }
  const whole = <i64>((point == 0 ? mantissaEnd : point) - at);
  let exponent: i64 = mantissaEnd < end ? exponentOf(mantissaEnd + 1, end) : 0;
  exponent += whole;
  // Leading zeros lower the exponent, the point itself does not count.
  while (at < mantissaEnd) {
    const byte = load<u8>(at);
    if (byte == ZERO) exponent--;
    else if (byte != POINT) break;
    at++;
  }
  finish(view, negative, at, mantissaEnd, exponent);
}

/** Drops trailing zeros and fills the view. */
function finish(view: usize, negative: bool, at: usize, end: usize, exponent: i64): void {
  while (end > at && (load<u8>(end - 1) == ZERO || load<u8>(end - 1) == POINT)) end--;
  store<i32>(view, at == end ? 0 : negative ? -1 : 1);
  store<u32>(view, at, 4);
  store<u32>(view, end, 8);
  store<i64>(view, at == end ? 0 : exponent, 16);
}

/** [+-]digits of an exponent, saturating where no two numbers can be told apart any more in practice. */
export function exponentOf(at: usize, end: usize): i64 {
  let negative = false;
  if (at < end && (load<u8>(at) == 43 || load<u8>(at) == MINUS)) {
    negative = load<u8>(at) == MINUS;
    at++;
  }
  let value: i64 = 0;
  for (; at < end; at++) if (value < 100000000000000000) value = value * 10 + <i64>(load<u8>(at) - ZERO);
  return negative ? -value : value;
}

/** Order of two views. */
export function compareViews(a: usize, b: usize): i32 {
  const sign = viewSign(a);
  if (sign != viewSign(b)) return sign < viewSign(b) ? -1 : 1;
  if (sign == 0) return 0;
  if (viewExponent(a) != viewExponent(b)) return viewExponent(a) < viewExponent(b) ? -sign : sign;
  let p = viewStart(a);
  let q = viewStart(b);
  const pEnd = viewEnd(a);
  const qEnd = viewEnd(b);
  while (p < pEnd && q < qEnd) {
    const x = load<u8>(p);
    if (x == POINT) {
      p++;
      continue;
    }
    const y = load<u8>(q);
    if (y == POINT) {
      q++;
      continue;
    }
    if (x != y) return x < y ? -sign : sign;
    p++;
    q++;
  }
  // The last digit is never zero nor a point: whichever has digits left is the larger.
  return p < pEnd ? sign : q < qEnd ? -sign : 0;
}

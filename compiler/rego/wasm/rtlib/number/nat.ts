// Natural numbers of any size: what exact arithmetic, bit operations and number printing are made of.
//
// A Nat is an address in scratch memory:
//
//   +0  u32      count of limbs, no leading zero limb (zero has none)
//   +4  u32[]    limbs, least significant first
//
// Nats are never changed once returned.

import { chargeValues } from "../budget";
import { scratch } from "./scratch";

export type Nat = usize;

export function natLength(a: Nat): i32 {
  return load<i32>(a);
}

function limb(a: Nat, i: i32): u32 {
  return load<u32>(a + 4 + ((<usize>i) << 2));
}

function setLimb(a: Nat, i: i32, value: u32): void {
  store<u32>(a + 4 + ((<usize>i) << 2), value);
}

/** A Nat of `n` zero limbs, to be filled by the caller and then trimmed. */
function blank(n: i32): Nat {
  const a = scratch(4 + ((<usize>n) << 2));
  store<i32>(a, n);
  memory.fill(a + 4, 0, (<usize>n) << 2);
  return a;
}

function trim(a: Nat): Nat {
  let n = natLength(a);
  while (n > 0 && limb(a, n - 1) == 0) n--;
  store<i32>(a, n);
  return a;
}

export function natFrom(value: u64): Nat {
  const a = blank(2);
  setLimb(a, 0, <u32>value);
  setLimb(a, 1, <u32>(value >> 32));
  return trim(a);
}

export function natBits(a: Nat): i32 {
  const n = natLength(a);
  return n == 0 ? 0 : (n << 5) - <i32>clz<u32>(limb(a, n - 1));
}

/** The low 64 bits. */
export function natLow(a: Nat): u64 {
  const n = natLength(a);
  let value: u64 = n > 0 ? limb(a, 0) : 0;
  if (n > 1) value |= (<u64>limb(a, 1)) << 32;
  return value;
}

export function natCompare(a: Nat, b: Nat): i32 {
  const n = natLength(a);
  const m = natLength(b);
  if (n != m) return n < m ? -1 : 1;
  for (let i = n - 1; i >= 0; i--) {
    const x = limb(a, i);
    const y = limb(b, i);
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

export function natAdd(a: Nat, b: Nat): Nat {
  if (natLength(a) < natLength(b)) {
    const swap = a;
    a = b;
    b = swap;
  }
  const n = natLength(a);
  const m = natLength(b);
  const sum = blank(n + 1);
  let carry: u64 = 0;
  for (let i = 0; i < n; i++) {
    carry += <u64>limb(a, i) + (i < m ? <u64>limb(b, i) : 0);
    setLimb(sum, i, <u32>carry);
    carry >>= 32;
  }
  setLimb(sum, n, <u32>carry);
  return trim(sum);
}

/** a - b, for a >= b. */
export function natSub(a: Nat, b: Nat): Nat {
  const n = natLength(a);
  const m = natLength(b);
  const difference = blank(n);
  let borrow: i64 = 0;
  for (let i = 0; i < n; i++) {
    borrow += <i64>(<u64>limb(a, i)) - (i < m ? <i64>(<u64>limb(b, i)) : 0);
    setLimb(difference, i, <u32>borrow);
    borrow >>= 32;
  }
  return trim(difference);
}

export function natMul(a: Nat, b: Nat): Nat {
  const n = natLength(a);
  const m = natLength(b);
  chargeValues(<u32>n * <u32>m);
  const product = blank(n + m);
  for (let i = 0; i < n; i++) {
    const x: u64 = limb(a, i);
    if (x == 0) continue;
    let carry: u64 = 0;
    for (let j = 0; j < m; j++) {
      carry += x * <u64>limb(b, j) + <u64>limb(product, i + j);
      setLimb(product, i + j, <u32>carry);
      carry >>= 32;
    }
    setLimb(product, i + m, <u32>carry);
  }
  return trim(product);
}

export function natShiftLeft(a: Nat, bits: i32): Nat {
  const n = natLength(a);
  if (n == 0) return a;
  const whole = bits >> 5;
  const part = bits & 31;
  const shifted = blank(n + whole + 1);
  let carry: u64 = 0;
  for (let i = 0; i < n; i++) {
    carry |= (<u64>limb(a, i)) << part;
    setLimb(shifted, i + whole, <u32>carry);
    carry >>= 32;
  }
  setLimb(shifted, n + whole, <u32>carry);
  return trim(shifted);
}

export function natShiftRight(a: Nat, bits: i32): Nat {
  const n = natLength(a);
  const whole = bits >> 5;
  const part = bits & 31;
  if (whole >= n) return blank(0);
  const shifted = blank(n - whole);
  for (let i = whole; i < n; i++) {
    const high: u64 = i + 1 < n ? <u64>limb(a, i + 1) : 0;
    setLimb(shifted, i - whole, <u32>(((high << 32) | <u64>limb(a, i)) >> part));
  }
  return trim(shifted);
}

/** Whether any of the lowest `bits` bits is set. */
export function natAnyLowBit(a: Nat, bits: i32): bool {
  const n = natLength(a);
  const whole = bits >> 5;
  for (let i = 0; i < whole && i < n; i++) if (limb(a, i) != 0) return true;
  const part = bits & 31;
  return whole < n && part != 0 && (limb(a, whole) & ((<u32>1 << part) - 1)) != 0;
}

/** a * factor + addend. */
export function natMulAdd(a: Nat, factor: u32, addend: u32): Nat {
  const n = natLength(a);
  const result = blank(n + 1);
  let carry: u64 = addend;
  for (let i = 0; i < n; i++) {
    carry += <u64>limb(a, i) * <u64>factor;
    setLimb(result, i, <u32>carry);
    carry >>= 32;
  }
  setLimb(result, n, <u32>carry);
  return trim(result);
}

/** Divides `a` in place; the remainder is returned. Only for Nats that the caller alone holds. */
function divideInPlace(a: Nat, divisor: u32): u32 {
  let remainder: u64 = 0;
  // Division takes its time.
  chargeValues(<u32>natLength(a) << 1);
  for (let i = natLength(a) - 1; i >= 0; i--) {
    remainder = (remainder << 32) | <u64>limb(a, i);
    setLimb(a, i, <u32>(remainder / <u64>divisor));
    remainder %= <u64>divisor;
  }
  trim(a);
  return <u32>remainder;
}

/** Multiplies `a`, which has room for one more limb, in place, and adds. */
function multiplyInPlace(a: Nat, factor: u32, addend: u32): void {
  const n = natLength(a);
  chargeValues(<u32>n);
  let carry: u64 = addend;
  for (let i = 0; i < n; i++) {
    carry += <u64>limb(a, i) * <u64>factor;
    setLimb(a, i, <u32>carry);
    carry >>= 32;
  }
  if (carry != 0) {
    setLimb(a, n, <u32>carry);
    store<i32>(a, n + 1);
  }
}

/** The remainder of the last natDivide. */
export let natRemainder: Nat = 0;

/** a / b, for b > 0, rounded down; leaves natRemainder. Knuth's algorithm D. */
export function natDivide(a: Nat, b: Nat): Nat {
  if (natCompare(a, b) < 0) {
    natRemainder = a;
    return blank(0);
  }
  const m = natLength(b);
  if (m == 1) {
    const single = natShiftLeft(a, 0);
    natRemainder = natFrom(divideInPlace(single, limb(b, 0)));
    return single;
  }
  const shift = <i32>clz<u32>(limb(b, m - 1));
  const v = natShiftLeft(b, shift);
  const n = natLength(a);
  const u = blank(n + 1);
  const shifted = natShiftLeft(a, shift);
  memory.copy(u + 4, shifted + 4, (<usize>natLength(shifted)) << 2);
  const quotient = blank(n - m + 1);
  chargeValues(<u32>(n - m + 1) * <u32>m);
  const top: u64 = limb(v, m - 1);
  const next: u64 = limb(v, m - 2);
  for (let j = n - m; j >= 0; j--) {
    const head = ((<u64>limb(u, j + m)) << 32) | <u64>limb(u, j + m - 1);
    let q = head / top;
    let r = head % top;
    while (q >> 32 != 0 || q * next > ((r << 32) | <u64>limb(u, j + m - 2))) {
      q--;
      r += top;
      if (r >> 32 != 0) break;
    }
    let borrow: i64 = 0;
    let carry: u64 = 0;
    for (let i = 0; i < m; i++) {
      carry += q * <u64>limb(v, i);
      borrow += <i64>(<u64>limb(u, i + j)) - <i64>(carry & 0xffffffff);
      setLimb(u, i + j, <u32>borrow);
      borrow >>= 32;
      carry >>= 32;
    }
    borrow += <i64>(<u64>limb(u, j + m)) - <i64>carry;
    setLimb(u, j + m, <u32>borrow);
    if (borrow < 0) {
      q--;
      let back: u64 = 0;
      for (let i = 0; i < m; i++) {
        back += <u64>limb(u, i + j) + <u64>limb(v, i);
        setLimb(u, i + j, <u32>back);
        back >>= 32;
      }
      setLimb(u, j + m, limb(u, j + m) + <u32>back);
    }
    setLimb(quotient, j, <u32>q);
  }
  natRemainder = natShiftRight(trim(u), shift);
  return trim(quotient);
}

/** 5 ** n. */
export function natPow5(n: i32): Nat {
  const result = blank(3 + ((n * 5) >> 6));
  setLimb(result, 0, 1);
  store<i32>(result, 1);
  while (n >= 13) {
    multiplyInPlace(result, 1220703125, 0);
    n -= 13;
  }
  let rest: u32 = 1;
  for (; n > 0; n--) rest *= 5;
  multiplyInPlace(result, rest, 0);
  return result;
}

/** The Nat of ASCII digits; other bytes among them (point, underscore) are passed over. */
export function natFromDigits(start: usize, end: usize): Nat {
  const length = <i32>(end - start);
  const result = blank(2 + length / 9);
  store<i32>(result, 0);
  let chunk: u32 = 0;
  let scale: u32 = 1;
  for (; start < end; start++) {
    const digit = <u32>load<u8>(start) - 48;
    if (digit > 9) continue;
    chunk = chunk * 10 + digit;
    scale *= 10;
    if (scale == 1000000000) {
      multiplyInPlace(result, scale, chunk);
      chunk = 0;
      scale = 1;
    }
  }
  if (scale != 1) multiplyInPlace(result, scale, chunk);
  return trim(result);
}

/** Length of the text that the last natDigits wrote. */
export let natDigitCount: i32 = 0;

/** Address of the text of `a` in base 2 to 16, lower case; leaves natDigitCount. */
export function natDigits(a: Nat, base: u32): usize {
  // A chunk is the largest power of the base that fits a limb, so that there is one long division per chunk.
  let chunk: u32 = base;
  let chunkDigits = 1;
  while (<u64>chunk * <u64>base <= 0xffffffff) {
    chunk *= base;
    chunkDigits++;
  }
  // One byte is left in front, for a sign.
  const capacity = (natLength(a) + 1) * (base < 10 ? 32 : 10) + chunkDigits + 1;
  const work = natShiftLeft(a, 0);
  const text = scratch(<usize>capacity);
  let at = text + <usize>capacity;
  while (natLength(work) > 0) {
    let part = divideInPlace(work, chunk);
    for (let i = 0; i < chunkDigits; i++) {
      if (part == 0 && natLength(work) == 0) break;
      const digit = part % base;
      part /= base;
      at--;
      store<u8>(at, <u8>(digit < 10 ? 48 + digit : 87 + digit));
    }
  }
  if (at == text + <usize>capacity) {
    at--;
    store<u8>(at, 48);
  }
  natDigitCount = <i32>(text + <usize>capacity - at);
  return at;
}

/**
 * The magnitude of a bit operation (0 and, 1 or, 2 exclusive or) on two numbers in two's complement of unlimited width;
 * the signs of the operands and of the result are given.
 */
export function natCombine(a: Nat, aNegative: bool, b: Nat, bNegative: bool, operation: i32, negative: bool): Nat {
  const n = max(natLength(a), natLength(b)) + 1;
  const result = blank(n);
  // Negation is complement and increment; each carry runs along with the limbs.
  let aCarry: u64 = aNegative ? 1 : 0;
  let bCarry: u64 = bNegative ? 1 : 0;
  let carry: u64 = negative ? 1 : 0;
  for (let i = 0; i < n; i++) {
    let x = i < natLength(a) ? limb(a, i) : 0;
    let y = i < natLength(b) ? limb(b, i) : 0;
    if (aNegative) {
      aCarry += <u64>~x;
      x = <u32>aCarry;
      aCarry >>= 32;
    }
    if (bNegative) {
      bCarry += <u64>~y;
      y = <u32>bCarry;
      bCarry >>= 32;
    }
    let z = operation == 0 ? x & y : operation == 1 ? x | y : x ^ y;
    if (negative) {
      carry += <u64>~z;
      z = <u32>carry;
      carry >>= 32;
    }
    setLimb(result, i, z);
  }
  return trim(result);
}

// IP addresses and networks: reading and writing them as Go does.
//
// An address is 128 bits in two halves; IPv4 addresses are ::ffff:a.b.c.d, as in Go, and mean the same. A network is the
// address of 24 bytes: high and low half of the first address, and at 16 the prefix length, counted over all 128 bits.

import { Buffer, putByte } from "../../buffer";
import { putInt } from "../../number";
import { hexDigit, hexValue } from "../bytes";

export const NETWORK_SIZE: usize = 24;

/** The address that was read last. */
export let addressHigh: u64 = 0;
export let addressLow: u64 = 0;
/** Whether it was written as a.b.c.d. */
export let writtenAsV4 = false;

export function isV4(high: u64, low: u64): bool {
  return high == 0 && low >> 32 == 0xffff;
}

/** Reads an address from exactly these bytes. */
export function readAddress(at: usize, end: usize): bool {
  for (let p = at; p < end; p++) {
    if (load<u8>(p) == 58) return readV6(at, end);
    if (load<u8>(p) == 46) break;
  }
  return readV4(at, end);
}

let v4: u32 = 0;

function readDotted(at: usize, end: usize): bool {
  v4 = 0;
  for (let part = 0; part < 4; part++) {
    if (part > 0) {
      if (at >= end || load<u8>(at) != 46) return false;
      at++;
    }
    const start = at;
    let value: u32 = 0;
    while (at < end && <u32>load<u8>(at) - 48 < 10 && at - start < 3) value = value * 10 + (<u32>load<u8>(at++) - 48);
    // No empty parts, no leading zeros.
    if (at == start || value > 255 || (at - start > 1 && load<u8>(start) == 48)) return false;
    v4 = (v4 << 8) | value;
  }
  return at == end;
}

function readV4(at: usize, end: usize): bool {
  if (!readDotted(at, end)) return false;
  addressHigh = 0;
  addressLow = (<u64>0xffff << 32) | <u64>v4;
  writtenAsV4 = true;
  return true;
}

const GROUPS: usize = memory.data(16);

function readV6(at: usize, end: usize): bool {
  memory.fill(GROUPS, 0, 16);
  let count: u32 = 0;
  // Number of groups in front of the double colon.
  let gap: i32 = -1;
  if (end - at >= 2 && load<u8>(at) == 58 && load<u8>(at, 1) == 58) {
    gap = 0;
    at += 2;
  }
  while (at < end) {
    if (count == 8) return false;
    const start = at;
    let value: u32 = 0;
    while (at < end && hexValue(load<u8>(at)) >= 0 && at - start < 5) value = (value << 4) | <u32>hexValue(load<u8>(at++));
    if (at < end && load<u8>(at) == 46) {
      // The last 32 bits in the other notation.
      if (count > 6 || (gap < 0 && count != 6) || !readDotted(start, end)) return false;
      store<u16>(GROUPS + (count << 1), <u16>(v4 >> 16));
      store<u16>(GROUPS + (count << 1) + 2, <u16>v4);
      count += 2;
      at = end;
      break;
    }
    if (at == start || at - start > 4) return false;
    store<u16>(GROUPS + (count << 1), <u16>value);
    count++;
    if (at == end) break;
    if (load<u8>(at) != 58) return false;
    at++;
    if (at == end) return false;
    if (load<u8>(at) == 58) {
      if (gap >= 0) return false;
      gap = <i32>count;
      at++;
    }
  }
  if (gap >= 0 ? count == 8 : count != 8) return false;
  if (gap >= 0) {
    const behind = count - <u32>gap;
    memory.copy(GROUPS + ((8 - behind) << 1), GROUPS + (<u32>gap << 1), behind << 1);
    memory.fill(GROUPS + (<u32>gap << 1), 0, (8 - count) << 1);
  }
  addressHigh = half(0);
  addressLow = half(4);
  writtenAsV4 = false;
  return true;
}

function half(first: u32): u64 {
  let value: u64 = 0;
  for (let i = first; i < first + 4; i++) value = (value << 16) | <u64>load<u16>(GROUPS + (i << 1));
  return value;
}

/** Mask of the first `bits` (0 to 64) of a half. */
function maskOf(bits: i32): u64 {
  return bits <= 0 ? 0 : bits >= 64 ? u64.MAX_VALUE : ~(u64.MAX_VALUE >> bits);
}

export function highMask(prefix: i32): u64 {
  return maskOf(prefix);
}

export function lowMask(prefix: i32): u64 {
  return maskOf(prefix - 64);
}

/** Reads address/length into a network; false if the text is not one. */
export function readNetwork(at: usize, end: usize, network: usize): bool {
  let slash = at;
  while (slash < end && load<u8>(slash) != 47) slash++;
  if (slash == end || !readAddress(at, slash)) return false;
  let prefix = 0;
  if (slash + 1 == end) return false;
  for (let p = slash + 1; p < end; p++) {
    const digit = <u32>load<u8>(p) - 48;
    if (digit > 9) return false;
    prefix = prefix * 10 + digit;
    if (prefix > 128) return false;
  }
  if (writtenAsV4) {
    if (prefix > 32) return false;
    prefix += 96;
  }
  store<u64>(network, addressHigh & highMask(prefix));
  store<u64>(network, addressLow & lowMask(prefix), 8);
  store<i32>(network, prefix, 16);
  return true;
}

/** Whether an address lies in the network; those of one kind never lie in one of the other. */
export function networkHolds(network: usize, high: u64, low: u64): bool {
  const prefix = load<i32>(network, 16);
  const first = load<u64>(network, 8);
  if (isV4(load<u64>(network), first) != isV4(high, low)) return false;
  return (high & highMask(prefix)) == load<u64>(network) && (low & lowMask(prefix)) == first;
}

/** The last address of a network, in addressHigh and addressLow. */
export function lastOf(network: usize): void {
  const prefix = load<i32>(network, 16);
  addressHigh = load<u64>(network) | ~highMask(prefix);
  addressLow = load<u64>(network, 8) | ~lowMask(prefix);
}

export function putAddress(b: Buffer, high: u64, low: u64): void {
  if (isV4(high, low)) {
    for (let shift = 24; shift >= 0; shift -= 8) {
      if (shift < 24) putByte(b, 46);
      putInt(b, <i64>((low >> shift) & 255));
    }
    return;
  }
  // The longest run of two or more zero groups, the first of them, becomes a double colon.
  let runStart = -1;
  let runLength = 1;
  for (let i = 0; i < 8; i++) {
    let n = 0;
    while (i + n < 8 && group(high, low, i + n) == 0) n++;
    if (n > runLength) {
      runStart = i;
      runLength = n;
    }
    i += n;
  }
  for (let i = 0; i < 8; i++) {
    if (i == runStart) {
      putByte(b, 58);
      putByte(b, 58);
      i += runLength - 1;
      continue;
    }
    if (i > 0 && i != runStart + runLength) putByte(b, 58);
    putGroup(b, group(high, low, i));
  }
}

function group(high: u64, low: u64, i: i32): u32 {
  return <u32>((i < 4 ? high >> (48 - 16 * i) : low >> (112 - 16 * i)) & 0xffff);
}

function putGroup(b: Buffer, value: u32): void {
  for (let shift = 12; shift >= 0; shift -= 4) {
    if (value >> shift != 0 || shift == 0) putByte(b, hexDigit((value >> shift) & 15, false));
  }
}

/** a.b.c.d/24 or x:y::/64. */
export function putNetwork(b: Buffer, high: u64, low: u64, prefix: i32): void {
  putAddress(b, high, low);
  putByte(b, 47);
  putInt(b, isV4(high, low) && prefix >= 96 ? prefix - 96 : prefix);
}

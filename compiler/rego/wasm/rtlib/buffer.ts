// A growing byte buffer for text of unknown length. One at a time is open at the end of the heap as a rule, and then it
// grows where it stands; several may be open, at the cost of copies.

import { copyBytes } from "./copy";
import { alloc, blockCapacity, extend, outgrow } from "./memory";
import { bytesOf, lengthOf, newString, putCodePoint } from "./string";

/** An open buffer is the address of: 0 address of the bytes, 4 length. */
export type Buffer = usize;

export function newBuffer(capacity: u32 = 60): Buffer {
  const b = alloc(8);
  initBuffer(b, capacity);
  return b;
}

/** Opens an empty buffer at an address of 8 bytes that the caller has. */
export function initBuffer(b: Buffer, capacity: u32): void {
  store<u32>(b, alloc(capacity));
  store<u32>(b, 0, 4);
}

export function bufferBytes(b: Buffer): usize {
  return load<u32>(b);
}

export function bufferLength(b: Buffer): u32 {
  return load<u32>(b, 4);
}

/** Makes room for `more` bytes and returns the address where they go; `bufferCommit` says how many were written. */
export function bufferReserve(b: Buffer, more: u32): usize {
  const bytes = bufferBytes(b);
  const length = bufferLength(b);
  const needed = length + more;
  return needed >= length && needed <= blockCapacity(bytes) ? bytes + length : makeRoom(b, needed);
}

function makeRoom(b: Buffer, needed: u32): usize {
  const bytes = bufferBytes(b);
  const length = bufferLength(b);
  if (needed < length) return alloc(usize.MAX_VALUE);
  const wanted = max(needed, blockCapacity(bytes) << 1);
  if (!extend(bytes, wanted)) {
    const larger = alloc(wanted);
    memory.copy(larger, bytes, length);
    store<u32>(b, larger);
    outgrow(bytes);
  }
  return bufferBytes(b) + length;
}

export function bufferCommit(b: Buffer, written: u32): void {
  store<u32>(b, bufferLength(b) + written, 4);
}

export function putByte(b: Buffer, byte: u32): void {
  store<u8>(bufferReserve(b, 1), byte);
  bufferCommit(b, 1);
}

export function putBytes(b: Buffer, bytes: usize, length: u32): void {
  copyBytes(bufferReserve(b, length), bytes, length);
  bufferCommit(b, length);
}

/** Code point as UTF-8. */
export function putCode(b: Buffer, code: u32): void {
  const at = bufferReserve(b, 4);
  bufferCommit(b, <u32>(putCodePoint(at, code) - at));
}

/** A string value's bytes. */
export function putString(b: Buffer, v: usize): void {
  putBytes(b, bytesOf(v), lengthOf(v));
}

/** An AssemblyScript literal of ASCII characters. */
export function putLiteral(b: Buffer, text: string): void {
  const from = changetype<usize>(text);
  const length = load<u32>(from - 4) >> 1;
  const to = bufferReserve(b, length);
  for (let i: u32 = 0; i < length; i++) store<u8>(to + i, load<u16>(from + (i << 1)));
  bufferCommit(b, length);
}

/** The buffer's bytes as a string value. They are copied; the buffer may go on. */
export function bufferString(b: Buffer): usize {
  const length = bufferLength(b);
  const v = newString(length);
  copyBytes(bytesOf(v), bufferBytes(b), length);
  return v;
}

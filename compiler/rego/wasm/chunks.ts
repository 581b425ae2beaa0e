/**
 * What the start function copies to memory, as one segment of data: rtlib's part without its long runs of zeros, much of which
 * was cleared, since memory begins as zeros; the header; the policy's part, packed where there is much of it. How long that is
 * stands in the header, so that no code has to say it.
 */

import { HEADER_END, HEADER_INTERN_TABLE, RTLIB_BASE } from "@portcullis/runtime/abi";
import { MOST_PIECE_BYTES, pack } from "./pack.ts";

/** A piece of the segment: where it begins in it, where it goes, and its length. */
export interface Chunk {
  readonly from: number;
  readonly address: number;
  readonly length: number;
}

export interface StartData {
  readonly bytes: Uint8Array;
  readonly rtlib: readonly Chunk[];
  readonly header: Chunk;
  /** Up to where the header says that constants end. Packed, it is pieces, each behind its length. */
  readonly policy: Pick<Chunk, "from" | "address"> & { readonly isPacked: boolean };
  /** Bytes at the beginning of the heap that unpacking needs. */
  readonly room: number;
}

/** The policy's part is packed from this many bytes on. Browsers compile no module above 8 MB while a page waits. */
const PACKED_FROM = 1 << 20;

/** A run of at least this many zeros is left out: a piece of its own costs about as much. */
const GAP = 24;

/** `rtlibSize`: the size of rtlib's part of the data, which begins at RTLIB_BASE. What follows it is aligned to 8 bytes. */
export function startData(
  data: Uint8Array,
  rtlibSize: number,
  header: readonly (readonly [address: number, value: number])[],
): StartData {
  const parts: Uint8Array[] = [];
  let end = 0;
  const add = (bytes: Uint8Array, address: number): Chunk => {
    parts.push(bytes);
    end += bytes.length;
    return { from: end - bytes.length, address, length: bytes.length };
  };
  const rtlib = partsOf(data, rtlibSize).map(([start, stop]) => add(data.subarray(start, stop), RTLIB_BASE + start));
  const headerChunk = add(headerBytes(header), HEADER_INTERN_TABLE);
  const start = (rtlibSize + 7) & ~7;
  const own = data.subarray(start);
  const isPacked = own.length >= PACKED_FROM;
  const policy = { from: end, address: RTLIB_BASE + start, isPacked };
  if (isPacked) {
    for (const { bytes } of pack(own)) {
      add(word(bytes.length), 0);
      add(bytes, 0);
    }
  } else add(own, 0);
  const bytes = new Uint8Array(end);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return { bytes, rtlib, header: headerChunk, policy, room: isPacked ? MOST_PIECE_BYTES : 0 };
}

function headerBytes(header: readonly (readonly [address: number, value: number])[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(HEADER_END - HEADER_INTERN_TABLE));
  for (const [address, value] of header) view.setUint32(address - HEADER_INTERN_TABLE, value, true);
  return new Uint8Array(view.buffer);
}

function word(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

/** Where rtlib's part is not zeros for long. */
function partsOf(data: Uint8Array, rtlibSize: number): (readonly [start: number, end: number])[] {
  const parts: (readonly [number, number])[] = [];
  let start = 0;
  let zeros = GAP;
  for (let i = 0; i < rtlibSize; i++) {
    if (data[i] === 0) {
      zeros++;
      continue;
    }
    if (zeros >= GAP) {
      if (i > zeros) parts.push([start, i - zeros]);
      start = i;
    }
    zeros = 0;
  }
  if (start < rtlibSize - zeros) parts.push([start, rtlibSize - zeros]);
  return parts;
}

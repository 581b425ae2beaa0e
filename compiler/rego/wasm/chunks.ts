/**
 * Static data as segments of the module: without the long runs of zeros in the part of rtlib, much of which was cleared, since
 * memory begins as zeros; and packed where there is much of it.
 */

import { RTLIB_BASE } from "@portcullis/runtime/abi";
import { pack } from "./pack.ts";

/** A piece of the data and where it goes. */
export interface Chunk {
  readonly name: string;
  readonly data: Uint8Array;
  readonly address: number;
}

/** A packed piece of the data, where it is unpacked to, and its words then. */
export interface PackedChunk extends Chunk {
  readonly words: number;
}

/** The policy's part is packed from this many bytes on. Browsers compile no module above 8 MB while a page waits. */
const PACKED_FROM = 1 << 20;

/** A run of at least this many zeros is left out: a segment of its own costs about as much. */
const GAP = 24;

/** `rtlibSize`: the size of rtlib's part of the data, which begins at RTLIB_BASE. What follows it is aligned to 8 bytes. */
export function segmentsOf(data: Uint8Array, rtlibSize: number): { copied: Chunk[]; packed: PackedChunk[] } {
  const start = Math.min(data.length, (rtlibSize + 7) & ~7);
  if (data.length - start < PACKED_FROM) return { copied: chunksOf(data, rtlibSize), packed: [] };
  let address = RTLIB_BASE + start;
  const packed = pack(data.subarray(start)).map(({ words, bytes }, i): PackedChunk => {
    const chunk = { name: `packed${i}`, address, data: bytes, words };
    address += words * 4;
    return chunk;
  });
  return { copied: chunksOf(data.subarray(0, start), rtlibSize), packed };
}

/** The policy's part stays in one piece. */
function chunksOf(data: Uint8Array, rtlibSize: number): Chunk[] {
  const chunks: Chunk[] = [];
  const add = (start: number, end: number): void => {
    if (end > start) {
      chunks.push({ name: `data${chunks.length}`, address: RTLIB_BASE + start, data: data.subarray(start, end) });
    }
  };
  let start = 0;
  let zeros = 0;
  for (let i = 0; i < rtlibSize; i++) {
    if (data[i] === 0) {
      zeros++;
      continue;
    }
    if (zeros >= GAP) {
      add(start, i - zeros);
      start = i;
    }
    zeros = 0;
  }
  if (zeros >= GAP) {
    add(start, rtlibSize - zeros);
    start = rtlibSize;
  }
  add(start, data.length);
  return chunks;
}

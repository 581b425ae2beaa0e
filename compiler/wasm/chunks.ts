/** Static data without the long runs of zeros in the part of rtlib, much of which was cleared: memory begins as zeros. */

import { RTLIB_BASE } from "@portcullis/runtime/abi";
import type { PassiveSegment } from "./binaryen.ts";

/** A piece of the data and where it goes. */
export interface Chunk extends PassiveSegment {
  readonly address: number;
}

/** A run of at least so many zeros is left out: a segment of its own costs about as much. */
const GAP = 24;

/** `rtlibSize`: the size of rtlib's part of the data, which begins at RTLIB_BASE. The rest stays in one piece. */
export function chunksOf(data: Uint8Array, rtlibSize: number): Chunk[] {
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

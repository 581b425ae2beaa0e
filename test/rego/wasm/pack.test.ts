/** What the compiler packs, rtlib unpacks to the same bytes. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PackedPiece, pack } from "../../../compiler/rego/wasm/pack.ts";
import { campaign } from "../../campaign.ts";
import { Rtlib } from "../rtlib/rtlib.ts";

const rtlib = new Rtlib();

/** The pieces unpacked one behind the other, as the start function of a module does it. */
function unpacked(pieces: readonly PackedPiece[]): Uint8Array {
  const words = pieces.reduce((sum, piece) => sum + piece.words, 0);
  const room = Math.max(...pieces.map(({ bytes }) => bytes.length), 0);
  const start = rtlib.function("opa_malloc")(words * 4 + room);
  let to = start;
  for (const piece of pieces) {
    const from = start + words * 4;
    new Uint8Array(rtlib.memory.buffer).set(piece.bytes, from);
    rtlib.function("unpack")(to, from, piece.words);
    to += piece.words * 4;
  }
  const bytes = new Uint8Array(rtlib.memory.buffer).slice(start, to);
  rtlib.function("opa_heap_ptr_set")(start - 8);
  return bytes;
}

const bytesOf = (words: readonly number[]): Uint8Array => new Uint8Array(Uint32Array.from(words).buffer);

function expectSame(words: readonly number[]): PackedPiece[] {
  const bytes = bytesOf(words);
  const pieces = pack(bytes);
  expect(Buffer.compare(unpacked(pieces), bytes)).toBe(0);
  return pieces;
}

const size = (pieces: readonly PackedPiece[]): number => pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);

/** Numbers at the edges of what a difference of one, two, three or four bytes is, of either sign. */
const edges = [0, 63, 64, 8191, 8192, 1048575, 1048576, 0x7fffffff].flatMap((n) => [n, -n, ~n]);

describe("packed words", () => {
  it("are the same unpacked, whatever they are", () => {
    const word = fc.oneof(
      fc.constantFrom(...edges),
      fc.integer({ min: 0, max: 0xffffffff }),
      fc.constantFrom(4, 8, 256),
    );
    const steps = fc.array(word, { maxLength: 300 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 80 }), fc.boolean(), (drawn, period, sums) => {
        const words: number[] = [];
        for (const [i, step] of drawn.entries())
          words.push(sums ? ((words[i - period] ?? 0) + step) >>> 0 : step >>> 0);
        expectSame(words);
      }),
      campaign(2_000),
    );
  });

  it("of more than one piece are compared across pieces, the last block being short", () => {
    const pieces = expectSame(Array.from({ length: 3 * 65_536 + 5 }, (_, i) => (i % 34 === 7 ? i * 136 : i % 34)));
    expect(pieces.map((piece) => piece.words)).toEqual([65_536, 65_536, 65_536, 5]);
  });

  it("none are no pieces", () => {
    expect(pack(new Uint8Array(0))).toEqual([]);
  });

  it("that nothing foretells take a tenth more", () => {
    let state = 1;
    const words = Array.from({ length: 10_000 }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
      return state >>> 0;
    });
    expect(size(expectSame(words))).toBeLessThan(words.length * 4 * 1.1);
  });

  it("of records whose addresses move with them take a tenth", () => {
    const record = (i: number): number[] => [0x206, 7, 7, 5_000_000 + i * 48, 4_000_000, 15, 96, 112, 0, 4_000, 80, 96];
    const words = Array.from({ length: 5_000 }, (_, i) => record(i)).flat();
    expect(size(expectSame(words))).toBeLessThan((words.length * 4) / 10);
  });
});

/** Numbers and names as WebAssembly writes them, against a decoder of integers of any size. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteReader, ByteWriter } from "../../../../compiler/rego/wasm/module/bytes.ts";

/** LEB128 by its definition: groups of seven bits, the lowest first; `signed`: the last group has the sign. */
function decode(bytes: Uint8Array, signed: boolean): bigint {
  const value = [...bytes].reduce((sum, byte, i) => sum + (BigInt(byte & 0x7f) << BigInt(7 * i)), 0n);
  return signed ? BigInt.asIntN(7 * bytes.length, value) : value;
}

function written(write: (w: ByteWriter) => void): Uint8Array {
  const writer = new ByteWriter(1);
  write(writer);
  return writer.copy();
}

/** The last byte alone ends the number, and it is as short as it can be. */
function expectOneNumber(bytes: Uint8Array, shortest: number): void {
  expect([...bytes].findIndex((byte) => byte < 0x80)).toBe(bytes.length - 1);
  expect(bytes.length).toBe(shortest);
}

describe("numbers", () => {
  it("without a sign, of 32 bits", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffffff }), (n) => {
        const bytes = written((w) => w.unsigned(n));
        expect(decode(bytes, false)).toBe(BigInt(n));
        expectOneNumber(bytes, Math.max(1, Math.ceil(n.toString(2).length / 7)));
        expect(new ByteReader(bytes).unsigned()).toBe(n);
      }),
    );
  });

  it("with a sign, of 32 and of 64 bits", () => {
    const shortest = (n: bigint): number => {
      for (let length = 1; ; length++) if (BigInt.asIntN(7 * length, n) === n) return length;
    };
    fc.assert(
      fc.property(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), (n) => {
        const bytes = written((w) => w.signed(n));
        expect(decode(bytes, true)).toBe(BigInt(n));
        expectOneNumber(bytes, shortest(BigInt(n)));
      }),
    );
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (n) => {
        const bytes = written((w) => w.signed64(n));
        expect(decode(bytes, true)).toBe(n);
        expectOneNumber(bytes, shortest(n));
      }),
    );
  });

  it("are taken by their bits where they are beyond the sign", () => {
    expect(written((w) => w.signed(0xffffffff))).toEqual(written((w) => w.signed(-1)));
  });
});

it("names have the length of their bytes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const bytes = written((w) => w.name(text));
      expect(Buffer.from(bytes.subarray(bytes.length - Buffer.byteLength(text))).toString()).toBe(text);
      expect(new ByteReader(bytes).name()).toBe(text);
    }),
  );
});

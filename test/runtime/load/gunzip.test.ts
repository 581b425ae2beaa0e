/** Inflating, with the platform's zlib and with the stream that browsers have: both refuse the same. */

import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { gunzip } from "../../../runtime/load/gunzip.ts";
import { campaign } from "../../campaign.ts";

const LIMIT = 1 << 20;

describe.each([
  ["the platform's zlib", true],
  ["a DecompressionStream", false],
])("gunzip with %s", (_name, hasZlib) => {
  beforeEach(() => {
    if (!hasZlib) vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("gives back what was packed", async () => {
    const sizes = fc.integer({ min: 0, max: 300_000 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.nat(255), fc.uint8Array({ maxLength: 100 }), async (size, byte, tail) => {
        const bytes = Buffer.concat([new Uint8Array(size).fill(byte), tail]);
        expect(Buffer.compare(await gunzip(gzipSync(bytes), LIMIT), bytes)).toBe(0);
      }),
      campaign(40),
    );
  });

  it("refuses a stream that was cut, wherever", async () => {
    const packed = gzipSync("policy ".repeat(100));
    for (let length = 0; length < packed.length; length++)
      await expect(gunzip(packed.subarray(0, length), LIMIT)).rejects.toMatchObject({ code: "bundle-corrupt" });
  });

  it("refuses content, checksum and length that were changed, unless they mean the same", async () => {
    const text = "policy ".repeat(100);
    const packed = gzipSync(text);
    const HEADER = 10;
    let refused = 0;
    for (let at = HEADER; at < packed.length; at++) {
      const changed = Uint8Array.from(packed, (b, i) => (i === at ? b ^ 0x10 : b));
      try {
        expect(new TextDecoder().decode(await gunzip(changed, LIMIT)), `byte ${at}`).toBe(text);
      } catch (error) {
        expect(error, `byte ${at}`).toMatchObject({ name: "LoadError", code: "bundle-corrupt" });
        refused++;
      }
    }
    expect(refused).toBeGreaterThan((packed.length - HEADER) * 0.8);
  });

  it("stops at the limit, whatever size the stream promises", async () => {
    const packed = gzipSync(new Uint8Array(5000));
    expect(await gunzip(packed, 5000)).toHaveLength(5000);
    for (const promised of [0, 5000, 0xffffffff]) {
      const lying = Uint8Array.from(packed);
      new DataView(lying.buffer).setUint32(lying.length - 4, promised, true);
      const code = promised === 5000 ? "bundle-too-large" : expect.stringMatching(/^bundle-(too-large|corrupt)$/);
      await expect(gunzip(lying, 4999)).rejects.toMatchObject({ code });
    }
  });
});

describe("gunzip with the platform's zlib, which passes over what is behind a NUL", () => {
  it("refuses bytes behind the stream, also where they end in its size", async () => {
    const packed = gzipSync("policy ".repeat(100));
    const size = packed.subarray(-4);
    const second = gzipSync("POLICY ".repeat(100));
    for (const behind of [
      [0],
      [0, ...size],
      [...new Uint8Array(508), ...size],
      [0, ...second],
      [...gzipSync(""), 0, ...size],
    ])
      await expect(gunzip(Buffer.concat([packed, Uint8Array.from(behind)]), LIMIT)).rejects.toMatchObject({
        code: "bundle-corrupt",
      });
  });
});

/** A body that is sent byte by byte costs no more memory than it has bytes. */

import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { bytesOf } from "../../../compiler/enforcement/gateway/exchange.ts";
import { Gathered } from "../../../compiler/enforcement/http/index.ts";
import { sentBytes } from "../../../compiler/enforcement/serving/request-body.ts";
import { usedBytes } from "../../used-memory.ts";

const COUNT = 300_000;
let grown = 0;

/** What a body has taken by the time that its last byte comes. */
async function* bytes(): AsyncGenerator<Buffer> {
  const before = usedBytes();
  const block = Buffer.alloc(64, "abc");
  for (let i = 0; i < COUNT; i++) {
    yield block.subarray(i % 60, (i % 60) + 1);
    // As bytes from a connection, which come in turns of the loop.
    if (i % 1000 === 999) await new Promise((resolve) => setImmediate(resolve));
  }
  grown = usedBytes() - before;
}

it.each<[string, () => Promise<Buffer | undefined>]>([
  ["serve", () => sentBytes(Object.assign(Readable.from(bytes()), { headers: {} }) as IncomingMessage, COUNT)],
  ["a gateway", () => bytesOf(Readable.from(bytes()), COUNT)],
])("as %s reads it", async (_, read) => {
  const body = await read();
  expect(body?.length).toBe(COUNT);
  expect(body?.subarray(0, 61).toString()).toBe("abc".repeat(20).concat("a"));
  expect(grown).toBeLessThan(8_000_000);
});

it("is the same in pieces of any size", () => {
  for (const sizes of [[], [0], [5], [1, 1, 1], [3, 0, 100, 1], [4096, 1, 8192]]) {
    const pieces = sizes.map((size, i) => Buffer.alloc(size, i + 1));
    const body = new Gathered();
    for (const piece of pieces) body.add(piece);
    const whole = Buffer.concat(pieces);
    expect([body.size, body.bytes.equals(whole)]).toEqual([whole.length, true]);
    // And nothing was written into a sender's own memory.
    for (const [i, piece] of pieces.entries()) expect(piece.every((byte) => byte === i + 1)).toBe(true);
  }
});

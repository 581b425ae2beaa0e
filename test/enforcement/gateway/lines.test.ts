/** Lines: the same whatever pieces the bytes come in, none too long, none too fast, and none while the reader is full. */

import { PassThrough, Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../compiler/enforcement/gateway/index.ts";
import { Lines } from "../../../compiler/enforcement/gateway/lines.ts";

async function through(chunks: readonly Buffer[], messageBytes: number): Promise<{ lines: string[]; dropped: number }> {
  const lines: string[] = [];
  let dropped = 0;
  const filter = new Lines({ ...LIMITS, messageBytes, messagesPerSecond: 1e9 }, [new PassThrough()], () => dropped++);
  const sink = new Writable({
    objectMode: true,
    write(line: Buffer, _, done) {
      lines.push(line.toString());
      done();
    },
  });
  await pipeline(Readable.from(chunks, { objectMode: false }), filter, sink);
  return { lines, dropped };
}

describe("Lines", () => {
  it("are those of the text that are at most as long as allowed, whatever its pieces", async () => {
    const text = fc
      .array(fc.constantFrom("a", "é", "\n", "{}", "0123456789"), { maxLength: 60 })
      .map((s) => s.join(""));
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat(7)), fc.integer({ min: 1, max: 30 }), async (whole, sizes, most) => {
        const bytes = Buffer.from(whole);
        const chunks: Buffer[] = [];
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const size = (sizes[i % Math.max(sizes.length, 1)] ?? 3) + 1;
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        const ended = whole
          .split("\n")
          .slice(0, -1)
          .map((line) => `${line}\n`);
        const rest = whole.split("\n").at(-1) as string;
        const isLong = (line: string): boolean => Buffer.byteLength(line) > most;
        const { lines, dropped } = await through(chunks, most);
        // Pieces may be joined again on their way.
        expect(lines.join("")).toBe(ended.filter((line) => line !== "\n" && !isLong(line)).join(""));
        expect(dropped).toBe(ended.filter(isLong).length + (isLong(rest) ? 1 : 0));
      }),
      { numRuns: 300 },
    );
  });

  // Without the id the client would wait for an answer until its own time is up.
  it("that are too long say whose they are, whatever their pieces", async () => {
    const line = Buffer.from(`{"id":7,"method":"tools/call","params":{"text":"${"x".repeat(99)}"}}\n`);
    for (const size of [1, 9, 49, 200]) {
      const said: unknown[] = [];
      const filter = new Lines({ ...LIMITS, messageBytes: 50, messagesPerSecond: 1e9 }, [new PassThrough()], (outer) =>
        said.push([outer.id, outer.asks]),
      );
      for (let at = 0; at < line.length; at += size) filter.write(line.subarray(at, at + size));
      filter.end();
      await pipeline(filter, new Writable({ objectMode: true, write: (_, __, done) => done() }));
      expect(said, `pieces of ${size}`).toEqual([[7, true]]);
    }
  });

  it("wait for the reader of any sink", async () => {
    const full = new PassThrough({ highWaterMark: 1 });
    full.write("xx");
    const filter = new Lines(LIMITS, [new PassThrough(), full], () => {});
    const seen: string[] = [];
    filter.on("data", (line: Buffer) => seen.push(line.toString()));
    filter.write("a\n");
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(seen).toEqual([]);
    full.resume();
    await expect.poll(() => seen).toEqual(["a\n"]);
  });

  it("do not wait for a sink that is gone", async () => {
    const gone = new PassThrough({ highWaterMark: 1 });
    gone.write("xx");
    const filter = new Lines(LIMITS, [gone], () => {});
    const seen: string[] = [];
    filter.on("data", (line: Buffer) => seen.push(line.toString()));
    filter.write("a\n");
    gone.destroy();
    await expect.poll(() => seen).toEqual(["a\n"]);
  });
});

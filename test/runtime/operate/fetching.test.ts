/** A bundle that is sent byte by byte costs no more memory than it has bytes. */

import { expect, it } from "vitest";
import { bodyOf } from "../../../runtime/operate/index.ts";
import { usedBytes } from "../../used-memory.ts";

const COUNT = 300_000;

/** An answer of these sizes, whose bytes say where they stand. `last` is called before the last. */
function answer(sizes: readonly number[], last = (): void => {}): Response {
  let [turn, at] = [0, 0];
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    // As bytes from a connection, which come in turns of the loop.
    if (turn % 1000 === 999) await new Promise((resolve) => setImmediate(resolve));
    const size = sizes[turn++];
    if (turn === sizes.length) last();
    if (size === undefined) return controller.close();
    controller.enqueue(Uint8Array.from({ length: size }, () => at++ % 251));
  };
  return new Response(new ReadableStream({ pull }));
}

it("is kept in one piece while it comes", async () => {
  const before = usedBytes();
  let grown = 0;
  const sizes = new Array<number>(COUNT).fill(1);
  const bytes = await bodyOf(
    answer(sizes, () => (grown = usedBytes() - before)),
    COUNT,
    "it",
  );
  expect(bytes.length).toBe(COUNT);
  expect(grown).toBeLessThan(16_000_000);
});

it("is whole, in pieces of any size", async () => {
  for (const sizes of [[], [5], [1, 1, 1], [3, 100, 1], [4096, 1, 8192]]) {
    const count = sizes.reduce((sum, size) => sum + size, 0);
    const bytes = await bodyOf(answer(sizes), 20_000, "it");
    expect(bytes).toEqual(Uint8Array.from({ length: count }, (_, i) => i % 251));
    expect(bytes.buffer.byteLength).toBe(count);
  }
});

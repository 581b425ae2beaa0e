/** `fileSink`: several processes may write to one file. */

import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileSink } from "@portcullis/runtime/node";
import { afterAll, describe, expect, it, vi } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "portcullis-sink-"));
afterAll(() => rmSync(folder, { recursive: true }));

const about = { events: 1, gzip: false, signal: new AbortController().signal };
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("a file that several write to", () => {
  it("has the lines of each batch whole, however long they are", async () => {
    const path = join(folder, "long");
    const long = ["a", "b", "c", "d"].map((letter) => letter.repeat(2_000_000));
    await Promise.all(long.map((line) => fileSink(path).write(bytesOf(`${line}\n`), about)));
    const lines = readFileSync(path, "utf8").split("\n").sort();
    expect(lines.map((line) => [line.length, new Set(line).size])).toEqual([[0, 0], ...long.map((l) => [l.length, 1])]);
  });

  it("loses no line of another where a batch cannot be written", async () => {
    const path = join(folder, "failed");
    const sink = fileSink(path);
    await sink.write(bytesOf("1\n"), about);
    const file = await open(path, "a");
    const sync = vi.spyOn(Object.getPrototypeOf(file) as typeof file, "datasync");
    await file.close();
    try {
      for (const other of ["", "other\n"]) {
        sync.mockImplementationOnce(async () => {
          appendFileSync(path, other);
          throw new Error("the disk is full");
        });
        await expect(sink.write(bytesOf("2\n"), about)).rejects.toThrow("the disk is full");
        const lines = readFileSync(path, "utf8");
        if (other === "") expect(lines).toBe("1\n");
        else expect(lines.split("\n")).toContain("other");
      }
    } finally {
      sync.mockRestore();
    }
  });
});

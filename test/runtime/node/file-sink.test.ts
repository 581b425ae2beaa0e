/** `fileSink`: several processes may write to one file. */

import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileSink } from "@portcullis/runtime/node";
import { afterAll, describe, expect, it, vi } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "portcullis-sink-"));
afterAll(() => rmSync(folder, { recursive: true }));

const about = { events: 1, gzip: false, signal: new AbortController().signal };
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A file with one line, and what all open files have their methods from. */
async function begun(name: string) {
  const path = join(folder, name);
  const sink = fileSink(path);
  await sink.write(bytesOf("1\n"), about);
  const file = await open(path, "a");
  await file.close();
  return { path, sink, handles: Object.getPrototypeOf(file) as typeof file };
}

describe.skipIf(process.platform === "win32")("a pipe", () => {
  const pipe = (name: string): string => {
    execFileSync("mkfifo", [join(folder, name)]);
    return join(folder, name);
  };

  it("without a reader takes nothing, at once", async () => {
    await expect(fileSink(pipe("unread")).write(bytesOf("1\n"), about)).rejects.toMatchObject({ code: "ENXIO" });
  });

  it("that takes the place of a file, in the middle of a write, is not waited for", async () => {
    const { path, sink, handles } = await begun("rotated");
    const found = statSync(path);
    const stat = vi.spyOn(handles, "stat");
    stat.mockImplementationOnce(async () => {
      renameSync(pipe("unread-later"), path);
      return found;
    });
    try {
      await expect(sink.write(bytesOf("2\n"), about)).rejects.toThrow();
    } finally {
      stat.mockRestore();
    }
  });

  it("whose reader is slow takes a batch when it can, and what was given up leaves whole lines", async () => {
    const path = pipe("slow");
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const [ended, controller] = [new AbortController(), new AbortController()];
    ended.abort();
    const sink = fileSink(path);
    await expect(sink.write(bytesOf("never\n"), { ...about, signal: ended.signal })).rejects.toThrow();
    // More than a pipe holds.
    const long = sink.write(bytesOf(`${"a".repeat(1 << 20)}\n`), { ...about, signal: controller.signal });
    let text = "";
    /** Whether there was something to read. */
    const tried = async (): Promise<boolean> => {
      await new Promise((resolve) => setImmediate(resolve));
      const buffer = Buffer.alloc(1 << 20);
      try {
        const length = readSync(reader, buffer);
        text += buffer.toString("utf8", 0, length);
        return length > 0;
      } catch (error) {
        expect(error).toMatchObject({ code: "EAGAIN" });
        return false;
      }
    };
    while (text === "") await tried();
    controller.abort();
    await expect(long).rejects.toThrow();
    // What is left of it.
    while (await tried());
    await sink.write(bytesOf("2\n"), about);
    const later = sink.write(bytesOf(`${"b".repeat(1 << 20)}\n3\n`), about);
    while (!text.endsWith("\n3\n")) await tried();
    await later;
    closeSync(reader);
    const [cut = "", ...lines] = text.split("\n");
    expect(cut).toMatch(/^a+$/);
    expect(lines).toEqual(["2", "b".repeat(1 << 20), "3", ""]);
  });
});

describe("a file that several write to", () => {
  it("has the lines of each batch whole, however long they are", async () => {
    const path = join(folder, "long");
    const long = ["a", "b", "c", "d"].map((letter) => letter.repeat(2_000_000));
    await Promise.all(long.map((line) => fileSink(path).write(bytesOf(`${line}\n`), about)));
    const lines = readFileSync(path, "utf8").split("\n").sort();
    // A machine that rests in the middle of a batch looks like one that stopped there: an empty line may be the answer.
    const written = lines.filter((line) => line !== "");
    expect(written.map((line) => [line.length, new Set(line).size])).toEqual(long.map((l) => [l.length, 1]));
  });

  it("gets no empty line where another one was seen in the middle of its batch", async () => {
    const { path, sink, handles } = await begun("growing");
    const stat = vi.spyOn(handles, "stat");
    appendFileSync(path, "lo");
    const early = statSync(path);
    appendFileSync(path, "ng\n");
    try {
      stat.mockImplementationOnce(async () => early);
      await sink.write(bytesOf("2\n"), about);
    } finally {
      stat.mockRestore();
    }
    expect(readFileSync(path, "utf8")).toBe("1\nlong\n2\n");
  });

  it("has what a stopped process left of a line on a line of its own", async () => {
    const { path, sink } = await begun("left");
    appendFileSync(path, "a part");
    await sink.write(bytesOf("2\n"), about);
    await sink.write(bytesOf("3\n"), about);
    expect(readFileSync(path, "utf8")).toBe("1\na part\n2\n3\n");
  });

  it("loses no line of another where a batch cannot be written", async () => {
    const { path, sink, handles } = await begun("failed");
    const sync = vi.spyOn(handles, "datasync");
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

/** The folder of approvals: what an agent may make it keep has an end, and what cannot be read is no approval. */

import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { approvalFolder } from "@portcullis/runtime/node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "portcullis-approvals-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const digest = (n: number): string => n.toString(16).padStart(64, "0");
const path = (name: string): string => join(folder, name);
const ask = async (n: number, call: object): Promise<string> => {
  try {
    await approvalFolder(folder).ask?.(digest(n), call);
    return "kept";
  } catch (error) {
    return (error as Error).message;
  }
};

/** Files of calls that wait, `age` old. */
function fill(count: number, ageMs: number, from = 1): void {
  const then = new Date(Date.now() - ageMs);
  for (let n = from; n < from + count; n++) {
    writeFileSync(path(`${digest(n)}.call.json`), "{}");
    utimesSync(path(`${digest(n)}.call.json`), then, then);
  }
}
const waiting = (): number => readdirSync(folder).filter((name) => name.endsWith(".call.json")).length;
const HOUR = 3_600_000;

describe("a call that waits", () => {
  it("is kept for its owner alone, and once", async () => {
    for (const amount of [1, 1]) expect(await ask(7, { tool: "pay", args: { amount } })).toBe("kept");
    expect(readdirSync(folder)).toEqual([`${digest(7)}.call.json`]);
    expect(JSON.parse(readFileSync(path(`${digest(7)}.call.json`), "utf8"))).toEqual({
      tool: "pay",
      args: { amount: 1 },
    });
    if (process.platform !== "win32") expect(statSync(path(`${digest(7)}.call.json`)).mode & 0o777).toBe(0o600);
  });

  it("is not kept where it is large: the folder is no store of an agent's texts", async () => {
    expect(await ask(1, { args: "x".repeat((1 << 20) - 100) })).toBe("kept");
    expect(await ask(2, { args: "x".repeat(1 << 20) })).toContain("is too large");
    // As bytes.
    expect(await ask(3, { args: "\u20ac".repeat(1 << 19) })).toContain("is too large");
    expect(readdirSync(folder)).toEqual([`${digest(1)}.call.json`]);
  });

  it("is not kept where a thousand wait: an agent fills no disk, and takes no other call away", async () => {
    fill(999, HOUR);
    expect(await ask(5000, {})).toBe("kept");
    expect(await ask(5001, {})).toContain("1000 calls wait");
    // The same call again is no other.
    expect(await ask(5000, { again: true })).toBe("kept");
    expect(waiting()).toBe(1000);
    rmSync(path(`${digest(3)}.call.json`));
    expect(await ask(5001, {})).toBe("kept");
  });

  it("waits for a day: those that are older make room, and nothing else does", async () => {
    fill(600, 25 * HOUR);
    fill(400, 23 * HOUR, 1001);
    for (const name of ["note.call.json", `${digest(9)}.approve.json`, `${digest(9)}.refuse.json`]) {
      writeFileSync(path(name), "{}");
      utimesSync(path(name), new Date(0), new Date(0));
    }
    mkdirSync(path(`${digest(9999)}.call.json`));
    expect(await ask(5000, {})).toBe("kept");
    const left = readdirSync(folder);
    expect(left).toHaveLength(400 + 3 + 1 + 1);
    for (const name of ["note.call.json", `${digest(9)}.approve.json`, `${digest(9)}.refuse.json`])
      expect(left).toContain(name);
  });

  it("leaves nothing behind where it cannot be kept", async () => {
    mkdirSync(path(`${digest(1)}.call.json`));
    writeFileSync(path(`${digest(1)}.call.json/x`), "");
    expect(await ask(1, {})).not.toBe("kept");
    expect(readdirSync(folder)).toEqual([`${digest(1)}.call.json`]);
  });
});

describe("an approval", () => {
  const find = (n: number) => approvalFolder(folder).find(digest(n));

  it("is found by the digest of its call, a refusal first", async () => {
    writeFileSync(path(`${digest(1)}.approve.json`), '{"a":1}');
    writeFileSync(path(`${digest(1)}.refuse.json`), '{"b":1}');
    expect(await find(1)).toEqual([{ b: 1 }, { a: 1 }]);
    expect(await find(2)).toEqual([]);
  });

  it("is no file that readers read differently, is too large, or is no file", async () => {
    const file = path(`${digest(1)}.approve.json`);
    for (const text of [
      '{"a":1,"a":2}',
      "{",
      "",
      '{"a":9007199254740993}',
      Buffer.from('"\xff"', "latin1"),
      `"${"x".repeat(65_536)}"`,
    ]) {
      writeFileSync(file, text);
      expect(await find(1)).toEqual([]);
    }
    rmSync(file);
    mkdirSync(file);
    expect(await find(1)).toEqual([]);
    rmSync(file, { recursive: true });
    symlinkSync("/nowhere", file);
    expect(await find(1)).toEqual([]);
  });

  it.skipIf(process.platform === "win32")("is no pipe, which nothing waits for", async () => {
    execFileSync("mkfifo", [path(`${digest(1)}.approve.json`)]);
    expect(await find(1)).toEqual([]);
  });
});

describe("a refusal that cannot be read", () => {
  const find = () => approvalFolder(folder).find(digest(1));
  const file = (): string => path(`${digest(1)}.refuse.json`);

  it("may be one: no approval of the call is known then", async () => {
    writeFileSync(path(`${digest(1)}.approve.json`), "{}");
    for (const text of ["", "{", '{"a":1,"a":2}', `"${"x".repeat(65_536)}"`]) {
      writeFileSync(file(), text);
      await expect(find(), text.slice(0, 20)).rejects.toThrow();
    }
    rmSync(file());
    mkdirSync(file());
    await expect(find()).rejects.toThrow();
    rmSync(file(), { recursive: true });
    // As a file of another user's that this one must not read, or more files than may be open: an error of `open`.
    symlinkSync(file(), file());
    await expect(find()).rejects.toThrow("ELOOP");
    rmSync(file());
    expect(await find()).toEqual([{}]);
  });

  it.skipIf(process.platform === "win32")("is no pipe, which nothing waits for", async () => {
    execFileSync("mkfifo", [file()]);
    await expect(find()).rejects.toThrow();
  });
});

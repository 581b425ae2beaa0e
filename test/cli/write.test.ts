/** Where a command writes to: files are replaced as a whole; devices and pipes are written to, and stay what they are. */

import { execFileSync, spawn } from "node:child_process";
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, it } from "vitest";
import { CliError } from "../../compiler/cli/exit.ts";
import { writeAllAtomic, writeAtomic } from "../../compiler/cli/write.ts";

const folder = mkdtempSync(join(tmpdir(), "portcullis-write-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);

describe.skipIf(!existsSync("/dev/full"))("a place that is no file", () => {
  it("a device takes the bytes and stays, also behind a link", () => {
    symlinkSync("/dev/null", at("null"));
    writeAllAtomic([
      { path: at("null"), content: "gone" },
      { path: at("beside"), content: "kept" },
    ]);
    expect(lstatSync(at("null")).isSymbolicLink()).toBe(true);
    expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
    expect(readFileSync(at("beside"), "utf8")).toBe("kept");
  });

  it("one that is full is an error that names it", () => {
    symlinkSync("/dev/full", at("full"));
    expect(() => writeAtomic(at("full"), "more")).toThrow(/cannot write `.*full`: no space left on the device/);
    expect(statSync(at("full")).isCharacterDevice()).toBe(true);
  });

  it("a pipe takes the bytes", async () => {
    execFileSync("mkfifo", [at("pipe")]);
    const reader = spawn("cat", [at("pipe")]);
    const said = text(reader.stdout);
    writeAtomic(at("pipe"), "through");
    expect(await said).toBe("through");
    expect(statSync(at("pipe")).isFIFO()).toBe(true);
  });

  it("what a process has open is not replaced by a file", () => {
    // A program that runs cannot be written to, and its link is one that a file would take the place of.
    symlinkSync("/proc/self/exe", at("running"));
    expect(() => writeAtomic(at("running"), "x")).toThrow(/cannot write/);
    expect(lstatSync(at("running")).isSymbolicLink()).toBe(true);
  });

  it("what a process has open is written to by its number, too", () => {
    const file = openSync(at("open"), "w");
    writeAtomic(`/dev/fd/${file}`, "through");
    closeSync(file);
    expect(readFileSync(at("open"), "utf8")).toBe("through");
  });

  it("leaves nothing beside what it wrote", () => {
    expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });
});

describe("a place that cannot be written to", () => {
  it.each([
    ["a link to itself", "loop"],
    ["a name that is too long", "x".repeat(300)],
  ])("%s is an error that names it", (_, name) => {
    if (name === "loop") symlinkSync("loop", at(name));
    expect(() =>
      writeAllAtomic([
        { path: at("first"), content: "1" },
        { path: at(name), content: "2" },
      ]),
    ).toThrow(CliError);
    expect(readdirSync(folder).filter((n) => n === "first" || n.endsWith(".tmp"))).toEqual([]);
  });
});

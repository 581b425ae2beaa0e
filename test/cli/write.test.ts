/** Where a command writes to: files are replaced as a whole; devices and pipes are written to, and stay what they are. */

import { execFileSync, spawn, spawnSync } from "node:child_process";
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
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CliError } from "../../compiler/cli/exit.ts";
import { writeAllAtomic, writeAtomic } from "../../compiler/cli/write.ts";
import { portcullis, write } from "./terminal.ts";

const folder = mkdtempSync(join(tmpdir(), "portcullis-write-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);

describe.skipIf(!existsSync("/dev/full"))("a place that is not a file", () => {
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

describe("build", () => {
  it("writes all of its files or none", async () => {
    const inside = mkdtempSync(join(folder, "set-"));
    write(join(inside, "rules/app.rego"), "package app\n\n# METADATA\n# entrypoint: true\nallow := true\n");
    write(join(inside, "rules/nested/more.rego"), "package nested.more\n\nx := 1\n");
    // A file where a folder is needed.
    write(join(inside, "out/nested"), "mine");
    const { code, err } = await portcullis("build", join(inside, "rules"), "-o", join(inside, "out"));
    expect([code, err]).toEqual([2, expect.stringContaining("nested")]);
    expect(readdirSync(join(inside, "out"))).toEqual(["nested"]);
  });
});

describe("a folder that others write to", () => {
  it("leads no write elsewhere: links under names that a write may take on its way", () => {
    const shared = mkdtempSync(join(folder, "shared-"));
    writeFileSync(at("victim"), "mine");
    for (let i = 0; i < 100; i++) symlinkSync(at("victim"), join(shared, `.${process.pid}.${i}.tmp`));
    writeAtomic(join(shared, "out"), "new");
    expect(readFileSync(at("victim"), "utf8")).toBe("mine");
    expect(lstatSync(join(shared, "out")).isFile()).toBe(true);
  });

  it.skipIf(process.platform === "win32")("leaves a file as private as it was", () => {
    writeFileSync(at("private"), "old", { mode: 0o600 });
    writeAtomic(at("private"), "new");
    expect(statSync(at("private")).mode & 0o777).toBe(0o600);
  });
});

describe.skipIf(process.platform === "win32")("a signal", () => {
  const script = at("write.cjs");
  beforeAll(async () => {
    const contents = `
      const { writeAllAtomic, writeAtomic } = require("./write.ts");
      const [, , signal, ...paths] = process.argv;
      writeAtomic(paths[0], "first");
      process.kill(process.pid, signal);
      writeAllAtomic(paths.map((path) => ({ path, content: "second" })));
      setTimeout(() => {}, 10_000);`;
    const stdin = { contents, resolveDir: fileURLToPath(new URL("../../compiler/cli/", import.meta.url)) };
    await build({ stdin, bundle: true, platform: "node", outfile: script, logLevel: "warning" });
  });

  it.each([
    ["SIGHUP", 129],
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ])("%s waits until all files of a write are there", (signal, status) => {
    const inside = mkdtempSync(join(folder, "signal-"));
    const paths = ["a", "b", "c"].map((name) => join(inside, name));
    expect(spawnSync(process.execPath, [script, signal, ...paths]).status).toBe(status);
    expect(readdirSync(inside).sort()).toEqual(["a", "b", "c"]);
    for (const path of paths) expect(readFileSync(path, "utf8")).toBe("second");
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

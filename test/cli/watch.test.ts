/** `--watch` as a process: it runs again for a changed, a new and a removed file, stands a folder that goes, and ends when told. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { removeFolder, temporaryFolder, write } from "./terminal.ts";

const bin = fileURLToPath(new URL("../../compiler/bin/portcullis.js", import.meta.url));
const built = existsSync(fileURLToPath(new URL("../../compiler/dist/bin/start.js", import.meta.url)));

let folder = "";
let running: ChildProcess | undefined;
let said = "";
beforeEach(() => {
  folder = temporaryFolder();
  write(join(folder, "p/a.rego"), "package a\n\n# METADATA\n# entrypoint: true\np := 1\n");
});
afterEach(() => {
  running?.kill("SIGKILL");
  removeFolder(folder);
});

function start(...args: string[]): void {
  said = "";
  running = spawn(process.execPath, [bin, ...args, "--watch"], { stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [running.stdout, running.stderr]) stream?.on("data", (chunk) => (said += String(chunk)));
}

/** Waits for a text, and forgets what was said until then. */
async function hears(text: string): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!said.includes(text)) {
    if (performance.now() > deadline) throw new Error(`never said ${text}, but: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  said = said.slice(said.indexOf(text) + text.length);
}

describe.skipIf(!built || process.platform === "win32")("--watch", () => {
  it("checks again for every change, until it is interrupted", async () => {
    start("check", join(folder, "p"));
    await hears("no findings");
    await hears("watching");
    write(join(folder, "p/a.rego"), "package a\n\n# METADATA\n# entrypoint: true\np := x\n");
    await hears("changed: ");
    await hears("analyze/unsafe-var");
    write(join(folder, "p/a.rego"), "package a\n\n# METADATA\n# entrypoint: true\np := 2\n");
    await hears("no findings");
    write(join(folder, "p/b.rego"), "package b\n\nq := \n");
    await hears("b.rego");
    rmSync(join(folder, "p/b.rego"));
    await hears("no findings");
    renameSync(join(folder, "p"), join(folder, "q"));
    await hears("sources/unreadable-folder");
    renameSync(join(folder, "q"), join(folder, "p"));
    await hears("no findings");
    const ended = new Promise((resolve) => running?.once("exit", (code, signal) => resolve(code ?? signal)));
    running?.kill("SIGINT");
    expect(await ended).toBe("SIGINT");
  });

  it("tests again", async () => {
    write(join(folder, "p/a_test.rego"), "package a_test\n\ntest_p if data.a.p == 1\n");
    start("test", join(folder, "p"));
    await hears("1 passed, 0 failed");
    await hears("watching");
    write(join(folder, "p/a_test.rego"), "package a_test\n\ntest_p if data.a.p == 2\n");
    await hears("0 passed, 1 failed");
  });
});

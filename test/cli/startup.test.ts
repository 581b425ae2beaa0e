/** The built command line as users start it: every command has help, and what cannot be read has not succeeded. */

import { spawnSync } from "node:child_process";
import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMANDS } from "../../compiler/cli/commands.ts";
import { sampled } from "../campaign.ts";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const bin = join(root, "compiler/bin/portcullis.js");
const dist = join(root, "compiler/dist/bin");
let folder = "";
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => removeFolder(folder));

const NAMES = COMMANDS.map((c) => c.name);

function expectHelp(name: string, { code, out, err }: { code: number | null; out: string; err: string }): void {
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toContain(`Usage: portcullis ${name}`);
  expect(out).toMatch(/Examples?:|Commands:/);
  expect(out).toMatch(/Exit codes:|Commands:|Examples:/);
}

it.each(NAMES)("%s has help of its own", async (name) => {
  expectHelp(name, await portcullis(name, "--help"));
});

describe.skipIf(!existsSync(join(dist, "start.js")))("the built command line", () => {
  it("has not succeeded where the program cannot be read, or ends before its answer", () => {
    const ended = (program: string | undefined): { status: number | null; stderr: string } => {
      const at = join(folder, "unread");
      cpSync(join(root, "compiler/bin"), join(at, "bin"), { recursive: true });
      write(join(at, "package.json"), '{"type":"module"}');
      if (program !== undefined) write(join(at, "dist/bin/start.js"), program);
      const { status, stderr } = spawnSync(process.execPath, [join(at, "bin/portcullis.js")], { encoding: "utf8" });
      return { status, stderr };
    };
    const missing = ended(undefined);
    expect(missing.status).toBe(2);
    expect(missing.stderr).toContain("internal error: ");
    expect(ended("export const main = () => new Promise(() => {});").status).toBe(2);
    expect(ended("export const main = async () => { throw new Error('odd'); };")).toEqual({
      status: 2,
      stderr: "internal error: odd\n",
    });
    expect(ended("export const main = async () => 0;").status).toBe(0);
  });

  // A file of its own is loaded for each command: some of them as they are built, all of them in `make test-all`.
  it.each(sampled(NAMES, 1 / 5))("%s has help of its own as it is built", (name) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [bin, name, "--help"], { encoding: "utf8" });
    expectHelp(name, { code: status, out: stdout, err: stderr });
  });
});

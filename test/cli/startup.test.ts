/**
 * The built command line as users start it: fast enough, and with only what a command needs. The bounds are many times what
 * an idle machine takes (`make startup` measures), so that only a real fault breaks them.
 */

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMANDS } from "../../compiler/cli/commands.ts";
import { sampled } from "../campaign.ts";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

/** From version 24 on, Node has its newer loader ready before anybody asks for it. */
const ESM_ON_DEMAND = Number.parseInt(process.versions.node, 10) < 24;

const root = fileURLToPath(new URL("../..", import.meta.url));
const bin = join(root, "compiler/bin/portcullis.js");
const dist = join(root, "compiler/dist/bin");
const bundle = join(root, "generated/bundle.tar.gz");
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

/** CPU time of the first of three runs within the bound, or the least: what else the machine does has little part in it. */
function start(bound: number, ...args: string[]): { status: number | null; ms: number; err: string } {
  const file = join(folder, "cpu");
  const hook = join(folder, "hook.cjs");
  writeFileSync(
    hook,
    `process.on("exit", () => require("node:fs").writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.cpuUsage())));`,
  );
  const run = (): { status: number | null; ms: number; err: string } => {
    const { status, stderr } = spawnSync(process.execPath, ["-r", hook, bin, ...args], { encoding: "utf8" });
    const { user, system } = JSON.parse(readFileSync(file, "utf8")) as NodeJS.CpuUsage;
    return { status, ms: (user + system) / 1000, err: stderr };
  };
  let least = run();
  for (let more = 2; more > 0 && least.ms >= bound; more--) {
    const next = run();
    if (next.ms < least.ms) least = next;
  }
  return least;
}

describe.skipIf(!existsSync(join(dist, "main.js")))("the built command line", () => {
  it.each([
    [["--version"], 700],
    [["--help"], 700],
    [["inspect", bundle], 1_000],
    [["eval", bundle, "portcullis/lane/decision"], 1_000],
    [["build", join(root, "policies"), "-o", "OUT"], 8_000],
  ])("%j takes less than %i ms of CPU", (args, bound) => {
    const { status, ms, err } = start(bound, ...args.map((a) => (a === "OUT" ? join(folder, "out") : a)));
    expect({ status, err }).toEqual({ status: 0, err: "" });
    expect(ms).toBeLessThan(bound);
  });

  it("loads neither the compiler nor binaryen for what needs neither", () => {
    const reached = new Set<string>();
    const follow = (file: string): void => {
      if (reached.has(file)) return;
      reached.add(file);
      const text = readFileSync(join(dist, file), "utf8");
      for (const [, target] of text.matchAll(/from\s?"\.\/([^"]+\.js)"|import\s?"\.\/([^"]+\.js)"/g))
        if (target) follow(target);
    };
    follow("main.js");
    for (const name of ["eval", "inspect", "verify"])
      follow(readdirSync(dist).find((f) => f.startsWith(`${name}-`)) as string);
    const text = [...reached].map((file) => readFileSync(join(dist, file), "utf8")).join("");
    expect(text).not.toContain("binaryen.wasm");
    expect(text).not.toContain("EmbeddedActionsParser");
  });

  it("loads one script, and none of Node's modules for processes and hashes, for what asks for no command", () => {
    const hook = join(folder, "loaded.cjs");
    const file = join(folder, "loaded");
    writeFileSync(
      hook,
      `process.on("exit", () => require("node:fs").writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.moduleLoadList)));`,
    );
    for (const word of ["--help", "help", "-h", "--version", "-V"]) {
      expect(spawnSync(process.execPath, ["-r", hook, bin, word]).status).toBe(0);
      const loaded = JSON.parse(readFileSync(file, "utf8")) as string[];
      expect(loaded).toContain("NativeModule fs");
      for (const name of ["child_process", "crypto", ...(ESM_ON_DEMAND ? ["internal/modules/esm/translators"] : [])])
        expect(loaded, word).not.toContain(`NativeModule ${name}`);
    }
  });

  it("has not succeeded where the program cannot be read, or ends before its answer", () => {
    const ended = (program: string | undefined): { status: number | null; stderr: string } => {
      const at = join(folder, "unread");
      cpSync(join(root, "compiler/bin"), join(at, "bin"), { recursive: true });
      if (program !== undefined) write(join(at, "dist/bin/start.cjs"), program);
      const { status, stderr } = spawnSync(process.execPath, [join(at, "bin/portcullis.js")], { encoding: "utf8" });
      return { status, stderr };
    };
    const missing = ended(undefined);
    expect(missing.status).toBe(2);
    expect(missing.stderr).toContain("internal error: ");
    expect(ended("exports.main = () => new Promise(() => {});").status).toBe(2);
    expect(ended("exports.main = async () => { throw new Error('odd'); };")).toEqual({
      status: 2,
      stderr: "internal error: odd\n",
    });
    expect(ended("exports.main = async () => 0;").status).toBe(0);
  });

  // A file of its own is loaded for each command: some of them as they are built, all of them in `make test-all`.
  it.each(sampled(NAMES, 1 / 5))("%s has help of its own as it is built", (name) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [bin, name, "--help"], { encoding: "utf8" });
    expectHelp(name, { code: status, out: stdout, err: stderr });
  });
});

/** The command line as a process: pipes that close, places that cannot be written, words that it does not know. */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMANDS } from "../../compiler/cli/commands.ts";
import { writeAtomic } from "../../compiler/cli/write.ts";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

const bin = fileURLToPath(new URL("../../compiler/bin/portcullis.js", import.meta.url));
const built = existsSync(fileURLToPath(new URL("../../compiler/dist/bin/start.js", import.meta.url)));
let folder = "";
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => removeFolder(folder));

const shell = (command: string) => spawnSync("sh", ["-c", command], { encoding: "utf8", timeout: 60_000 });
const program = `"${process.execPath}" "${bin}"`;

describe.skipIf(!built || process.platform === "win32")("output that is not taken", () => {
  it("ends quietly when the reader has read enough", () => {
    const { status, stderr } = shell(`( ${program} --explain list; echo $? >&2 ) | true`);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "0\n" });
  });

  it.skipIf(!existsSync("/dev/full"))("fails when standard output cannot be written", () => {
    const { status, stderr } = shell(`${program} --explain list > /dev/full`);
    expect(status).toBe(2);
    expect(stderr).toBe("error: cannot write to standard output: no space left on the device\n");
  });

  it("fails when a file takes a part of it", () => {
    // In POSIX, blocks of 512 bytes.
    const { status, stderr } = shell(`ulimit -f 2; ${program} schema roles > "${join(folder, "part")}"`);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining("cannot write to standard output"),
    });
  });

  it.skipIf(!existsSync("/proc/self"))("does not hang where no folder can be made", () => {
    const { status, stderr } = shell(`${program} init /proc/policies`);
    expect(status).toBe(2);
    expect(stderr).toContain("error: cannot write `/proc/policies/README.md`");
  });
});

describe.skipIf(!built || process.platform !== "linux")("a command that ends before its answer", () => {
  // Node takes standard input for the channel of a cluster, and ends a worker with 0 when that closes.
  it.each([50, 100, 150])("has not succeeded: its parent goes after %d ms", async (milliseconds) => {
    const env = { ...process.env, NODE_CHANNEL_FD: "0", NODE_UNIQUE_ID: "1" };
    const argv = [bin, "check", join(folder, "missing")];
    const child = spawn(process.execPath, argv, { env, stdio: ["pipe", "ignore", "ignore"] });
    child.stdin.on("error", () => {});
    setTimeout(() => child.stdin.end(), milliseconds);
    expect((await once(child, "close"))[0]).not.toBe(0);
  });
});

describe.skipIf(!built)("a command that compiles", () => {
  it("says nothing on standard error when all is well, whatever version of Node runs it", () => {
    write(join(folder, "quiet/authz.rego"), "package authz\n\nallow := true\n");
    const argv = [bin, "build", join(folder, "quiet"), "-e", "authz/allow", "-o", join(folder, "quiet-out")];
    const { status, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8", timeout: 60_000 });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });
});

describe.skipIf(!built || process.platform === "win32")("on the PATH", () => {
  it("is there after `npm link -w compiler`, as the page says", () => {
    const prefix = join(folder, "prefix");
    const root = fileURLToPath(new URL("../..", import.meta.url));
    const { stderr } = shell(
      `cd "${root}" && npm_config_prefix="${prefix}" npm link -w compiler --offline --no-audit --loglevel=error`,
    );
    expect(shell(`cd / && PATH="${join(prefix, "bin")}:$PATH" portcullis --version`), stderr).toMatchObject({
      status: 0,
      stdout: "0.1.0\n",
    });
    expect(readFileSync(join(root, "compiler/README.md"), "utf8")).toContain("npm link -w compiler");
  });
});

describe("writing", () => {
  it("leaves what was there, and nothing else, when it fails", async () => {
    write(join(folder, "taken/out"), "a file");
    write(join(folder, "taken/keep/file"), "kept");
    const { code, err } = await portcullis("init", join(folder, "taken/out/policies"));
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringMatching(/^error: cannot write .*\nhelp: /) });
    expect(() => writeAtomic(join(folder, "taken/keep"), "text")).toThrow("is a folder");
    expect(readdirSync(join(folder, "taken")).sort()).toEqual(["keep", "out"]);
  });
});

describe("wrong usage", () => {
  it.each([
    [["bulid"], "did you mean `build`?"],
    [["build"], "`portcullis build --help`"],
    [["--nope"], "`portcullis --help`"],
    [["inspect", "missing"], "name a bundle.tar.gz, as `portcullis build` writes it"],
    [["inspect"], "`portcullis inspect --help`"],
  ])("%j names the next step", async (argv, help) => {
    const result = await portcullis(...argv);
    expect(result.code).toBe(2);
    expect(result.err).toMatch(/^error: /);
    expect(result.err).toContain(`help: ${help}`);
  });

  it.each(COMMANDS.map((c) => c.name))(
    "%s refuses an unknown flag and a missing file without a stack",
    async (name) => {
      for (const argv of [
        [name, "--no-such-flag"],
        [name, "no-such-file", "no-such-file", "-o", join(folder, "none")],
      ]) {
        const { code, err } = await portcullis(...argv);
        expect(code, argv.join(" ")).toBeGreaterThan(0);
        expect(err).not.toMatch(/\n\s+at |internal error/);
      }
      expect(existsSync(join(folder, "none"))).toBe(false);
    },
  );

  it("prints help on a command by two ways", async () => {
    const [one, two] = [await portcullis("help", "diff"), await portcullis("diff", "--help")];
    expect(one).toMatchObject({ code: 0, out: two.out });
    expect((await portcullis("help")).code).toBe(0);
  });
});

it("says one thing of a folder with nothing in it", async () => {
  const { code, err } = await portcullis("check", join(folder, "missing"));
  expect(code).toBe(1);
  expect(err).toContain("1 error, 0 warnings");
});

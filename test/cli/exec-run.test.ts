/** `portcullis exec run`: the checked bytes run, alone, in an empty folder, with next to no environment. */

import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { nodeHost } from "../../compiler/documents/node.ts";
import { runScript } from "../../compiler/enforcement/execution/index.ts";
import { compile } from "../../compiler/index.ts";
import { bundle, contract, folder, queue, SECRET, script, useSignedScript } from "./signed-script.ts";
import { portcullis, type Ran, write } from "./terminal.ts";

useSignedScript();

const policy = join(folder, "run.tar.gz");
const saved = { ...process.env };

beforeAll(async () => {
  const dir = join(folder, "run-sources");
  const exec = `modes: [work]\nstaging_root: ${JSON.stringify(queue)}\nscript_extensions: [.py, .sh, .none]\n`;
  const started = "interpreters: { .py: [/bin/sh, -e], .sh: [/no/such/shell] }\nenvironment: [TZ, MISSING_HERE]\n";
  write(join(dir, "exec.yaml"), exec + started);
  const { compiled } = await compile({ host: nodeHost, dirs: [dir] });
  write(policy, compiled?.bundle as Uint8Array);
});

afterEach(() => {
  for (const name of Object.keys(process.env)) if (!(name in saved)) delete process.env[name];
});

const run = (path = script, from = policy): Promise<Ran> =>
  portcullis("exec", "run", path, "--policy", from, "--mode", "work", "--contract", contract);
const stage = async (text: string, path = script): Promise<void> => {
  write(path, text);
  expect((await portcullis("exec", "sign", path, "--contract", contract, "--policy", bundle)).code).toBe(0);
};

describe.skipIf(process.platform === "win32")("a script that may run", () => {
  it("gives its output, and its exit code, beside the decision", async () => {
    await stage("echo out; echo err >&2; exit 7\n");
    const { code, bytes, err } = await run();
    expect([code, Buffer.from(bytes).toString()]).toEqual([7, "out\n"]);
    expect(err).toBe("allowed EN-EXEC-S-001 ALLOW hat_verified_script\nerr\n");
    await stage("true\n");
    expect((await run()).code).toBe(0);
    await stage("kill -TERM $$\n");
    expect((await run()).code).toBe(143);
  });

  it("waits while what it writes is not taken: nothing heaps up between", async () => {
    let [taken, waiting, most] = [0, 0, 0];
    const write = async (bytes: Uint8Array): Promise<void> => {
      most = Math.max(most, ++waiting);
      taken += bytes.length;
      await new Promise((resolve) => setImmediate(resolve));
      waiting--;
    };
    const bytes = Buffer.from("dd if=/dev/zero bs=65536 count=64 2>/dev/null\n");
    const launch = { command: ["/bin/sh", "-e"], environment: [] };
    expect(await runScript({ name: "s.sh", bytes }, launch, { out: write, err: () => undefined })).toBe(0);
    // When it has ended, Node itself takes what stands in the pipe.
    expect(taken).toBe(64 * 65_536);
    expect(most).toBeLessThan(8);
  });

  it("cannot write any more when its reader has left, as `| head` does", async () => {
    let taken = 0;
    const out = (): void => void taken++;
    // It writes for ever, and is told nothing but by its pipe.
    const script = { name: "s.sh", bytes: Buffer.from("yes\n") };
    const launch = { command: ["/bin/sh"], environment: [] };
    const code = await runScript(script, launch, { out, err: () => undefined, isGone: () => taken > 1 });
    expect([taken, code]).not.toContain(0);
  });

  it("has PATH, LANG, what the policy lists and its folder, and no secret, argument or input", async () => {
    Object.assign(process.env, { LANG: "C", TZ: "UTC", OTHER: "x", GIT_DIR: "/x", PYTHONPATH: "/x" });
    await stage('/usr/bin/env; echo "args $#"; cat; [ "$PWD" = "$(pwd -P)" ] && echo same\n');
    const lines = Buffer.from((await run()).bytes)
      .toString()
      .split("\n");
    const names = lines.filter((line) => line.includes("=")).map((line) => line.split("=")[0]);
    const shells = ["_", "SHLVL", "OLDPWD"];
    expect(names.filter((name) => !shells.includes(name as string)).sort()).toEqual(["LANG", "PATH", "PWD", "TZ"]);
    expect(lines.filter((line) => !line.includes("=") && line !== "")).toEqual(["args 0", "same"]);
    expect(lines.join()).not.toContain(SECRET);
  });

  it("finds nothing beside it, and nothing in the folder that it works in, which is gone afterwards", async () => {
    write(join(queue, "c-1", "json.py"), "evil\n");
    const file = join(folder, "places.txt");
    await stage(
      `ls -A > /dev/null; echo "$0" > '${file}'; pwd >> '${file}'; ls -A "$(dirname "$0")" >> '${file}'; ls -A >> '${file}'; touch left\n`,
    );
    expect((await run()).code).toBe(0);
    const [path, work, ...found] = readFileSync(file, "utf8").trimEnd().split("\n") as [string, string, ...string[]];
    expect(found).toEqual(["run.py"]);
    expect(path.startsWith(queue)).toBe(false);
    expect([existsSync(path), existsSync(work)]).toEqual([false, false]);
  });

  it("is started by the extension of the file itself, not of a link to it", async () => {
    await stage("echo ran\n");
    const link = join(folder, "link.none");
    symlinkSync(script, link);
    expect(Buffer.from((await run(link)).bytes).toString()).toBe("ran\n");
  });

  it("needs an interpreter that the policy names, and that is there", async () => {
    const other = join(queue, "c-1", "run.none");
    await stage("echo ran\n", other);
    const { code, err, bytes } = await run(other);
    expect([code, err, bytes.length]).toEqual([1, expect.stringContaining("names no interpreter for `run.none`"), 0]);
    expect(await run(script, bundle)).toMatchObject({ code: 1, err: expect.stringContaining("no interpreter") });
    const shell = join(queue, "c-1", "run.sh");
    await stage("echo ran\n", shell);
    expect(await run(shell)).toMatchObject({ code: 2, err: expect.stringContaining("cannot start `/no/such/shell`") });
  });
});

describe.skipIf(process.platform === "win32")("a script that has ended", () => {
  it("is not waited for, once a signal came, by what it left behind with its output", async () => {
    const before = process.listeners("SIGTERM");
    // Whatever comes early passes over the signal, too.
    const bytes = Buffer.from("trap '' TERM; echo ready; sleep 1000 & echo $!; exit 7\n");
    let said = "";
    const output = { out: (some: Uint8Array) => void (said += Buffer.from(some)), err: () => {} };
    let code: number | undefined;
    const ran = runScript({ name: "run.sh", bytes }, { command: ["/bin/sh"], environment: [] }, output);
    void ran.then((ended) => {
      code = ended;
    });
    while (code === undefined) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      const added = process.listeners("SIGTERM").filter((one) => !before.includes(one));
      if (/^ready\n\d+\n/.test(said)) for (const pass of added) pass("SIGTERM");
    }
    process.kill(Number(said.split("\n")[1]), "SIGKILL");
    expect([code, process.listeners("SIGTERM")]).toEqual([7, before]);
  });
});

describe("a script that may not", () => {
  it("does not run: changed, without a packet, in another contract's folder, under none", async () => {
    const trace = join(folder, "trace");
    const evil = `touch '${trace}'\n`;
    write(script, evil);
    expect(await run()).toMatchObject({ code: 1, out: "", err: expect.stringContaining("script_hash_mismatch") });
    const bare = write(join(queue, "c-1", "bare.py"), evil);
    expect(await run(bare)).toMatchObject({ code: 1, err: expect.stringContaining("missing_hat_signature") });
    mkdirSync(join(queue, "c-2"), { recursive: true });
    await stage(evil, join(queue, "c-2", "run.py"));
    expect((await run(join(queue, "c-2", "run.py"))).code).toBe(1);
    const argv = ["exec", "run", script, "--policy", policy, "--mode", "work"];
    expect((await portcullis(...argv)).code).toBe(1);
    expect(existsSync(trace)).toBe(false);
  });
});

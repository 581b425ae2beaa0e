/** `portcullis hook` as a process of its own: what it prints, what it ends with, and what it takes. */

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HOOK_OPTIONS } from "../../../compiler/cli/hook/options.ts";
import { portcullis, removeFolder, temporaryFolder, write } from "../../cli/terminal.ts";
import { root } from "../../pages/page.ts";

const bin = join(root, "compiler/bin/portcullis.js");
const bundle = join(root, "generated/bundle.tar.gz");
const built = existsSync(join(root, "compiler/dist/bin/start.js"));
let folder = "";
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => removeFolder(folder));

const deny = (reason: string, hookEventName = "PreToolUse"): object => ({
  ...{ decision: "block", reason, cancel: true, errorMessage: reason, permission: "deny" },
  ...{ permissionDecision: "deny", permissionDecisionReason: reason },
  hookSpecificOutput: { hookEventName, permissionDecision: "deny", permissionDecisionReason: reason },
});

describe.skipIf(!built)("the process", () => {
  const caller = ["--policy", bundle, "--role", "WRITER", "--lane", "DRAFTING", "--lineage", "publisher"];
  // A busy machine may take longer than a hook has.
  const scoped = [...caller, "--scope", "story_id=s-1", "--scope", "run_id=r-1", "--deadline", "50"];
  const hook = (args: readonly string[], input: string | Buffer, node: readonly string[] = []) =>
    spawnSync(process.execPath, [...node, bin, "hook", ...args], { encoding: "utf8", input, timeout: 60_000 });
  const call = '{"tool":"draft.create","args":{}}';

  it("ends with 0 for an allow, and with 2 and a reason for a denial", () => {
    const log = join(folder, "log.ndjson");
    const allowed = hook([...scoped, "--decision-log", log], call);
    expect(allowed).toMatchObject({ status: 0, stderr: "" });
    expect(allowed.stdout).toBe("");
    const denied = hook([...caller, "--decision-log", log], call);
    expect(denied).toMatchObject({ status: 2 });
    expect(denied.stderr).toBe(
      'The policy denies "draft.create": SCOPE, scope_key_missing; missing ["run_id","story_id"]\n',
    );
    expect(JSON.parse(denied.stdout)).toEqual(deny(denied.stderr.trimEnd()));
    const lines = readFileSync(log, "utf8").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject(
      ["ALLOW", "DENY"].map((disposition) => ({ disposition, name: "draft.create", host: "generic" })),
    );
  });

  it("reads its map of tools where it has one", () => {
    const tools = write(
      join(folder, "tools.yaml"),
      "tools: { create: { tool: draft.create, scope: { story_id: story } } }\n",
    );
    const from = (story: string) =>
      hook([...scoped, "--tools", tools], JSON.stringify({ tool: "create", args: { story } }));
    expect(from("s-1")).toMatchObject({ status: 0, stdout: "", stderr: "" });
    expect(from("s-2").stderr).toContain('gives another \\"story_id\\" than the host');
  });

  it("decides by rules that call the host's builtins", async () => {
    const set = join(folder, "with-builtins");
    write(join(set, "roles.yaml"), "roles: [{ role_id: R }]\n");
    write(
      join(set, "lanes.yaml"),
      "lanes: [{ lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [sh] } }]\n",
    );
    write(
      join(set, "tool_registry.yaml"),
      "tools: [{ tool_name: sh, enabled: true, implementation_status: implemented }]\n",
    );
    write(
      join(set, "own.rego"),
      'package portcullis.ext.call\n\nmust contains "FIRST" if yaml.unmarshal(input.args.text).a == 1\n',
    );
    const built = await portcullis("build", set, "-o", join(set, "out"));
    expect(built.code).toBe(0);
    const asked = (text: string) =>
      hook(
        ["--policy", join(set, "out/bundle.tar.gz"), "--role", "R", "--lane", "L"],
        JSON.stringify({ tool: "sh", args: { text } }),
      );
    expect(asked("a: 1")).toMatchObject({ status: 0, stdout: "", stderr: "" });
    expect(asked("a: 2")).toMatchObject({ status: 2, stderr: expect.stringContaining("FIRST") });
  });

  // A process without memory is ended by V8 with another code than 2.
  it.each([
    ["values", `{"tool":"draft.create","args":{"a":[${"0,".repeat(4_000_000)}0]}}`],
    ["members", `{"tool":"draft.create","args":{${Array.from({ length: 700_000 }, (_, i) => `"${i}":0`)}}}`],
  ])("ends with 2 for more %s than its memory holds", (_, input) => {
    const { status, stderr } = hook(scoped, input, ["--max-old-space-size=96"]);
    expect(stderr).toContain("has more than 100000 values");
    expect(status).toBe(2);
  });

  it("reads a long text of escapes in little memory", () => {
    const input = `{"tool":"draft.create","args":{"a":"${"\\n".repeat(4_000_000)}"}}`;
    expect(hook(scoped, input, ["--max-old-space-size=64"])).toMatchObject({ status: 0, stderr: "" });
  });

  // A host reads one object, and may take anything else for no answer. Node 20 has the older name of the setting.
  it("answers once, and at once, where it may have no thread", () => {
    const flag = process.allowedNodeEnvironmentFlags.has("--permission") ? "--permission" : "--experimental-permission";
    const { status, stdout, stderr } = hook(scoped, call, [flag, "--allow-fs-read=*"]);
    expect([status, stdout.trimEnd().split("\n").length]).toEqual([2, 1]);
    const { reason } = JSON.parse(stdout) as { readonly reason: string };
    expect(reason).toMatch(/restricted|permission/i);
    expect(stderr).not.toContain("no answer in");
  });

  it.skipIf(process.platform === "win32")(
    "ends with 2 where the log takes a part of the line, which it takes back",
    () => {
      const log = join(folder, "full.ndjson");
      write(log, `${"x".repeat(1000)}\n`);
      // In POSIX, blocks of 512 bytes.
      const limited = ["-c", 'ulimit -f 2; exec "$@"', "sh", process.execPath, bin, "hook", ...scoped];
      const options = { encoding: "utf8", input: call, timeout: 60_000 } as const;
      const { status, stdout, stderr } = spawnSync("sh", [...limited, "--decision-log", log], options);
      expect([status, stderr]).toEqual([2, expect.stringContaining("takes no more")]);
      expect(JSON.parse(stdout)).toEqual(deny(stderr.trimEnd()));
      expect(readFileSync(log, "utf8")).toBe(`${"x".repeat(1000)}\n`);
    },
  );

  // The others do not say which signals a process takes.
  it.skipIf(process.platform !== "linux").each(["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"] as const)(
    "ends with 2 for %s before the call is there",
    async (signal) => {
      const child = spawn(process.execPath, [bin, "hook", ...scoped], { stdio: ["pipe", "ignore", "ignore"] });
      const ended = once(child, "exit");
      const caught = (): bigint => {
        const [, mask] = /^SigCgt:\t(\w+)/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? [];
        return BigInt(`0x${mask}`);
      };
      // Node itself takes some from the start, and the command this one last.
      const bit = 1n << BigInt(constants.signals.SIGQUIT - 1);
      for (const end = Date.now() + 10_000; (caught() & bit) === 0n && Date.now() < end; )
        await new Promise((resolve) => setTimeout(resolve, 10));
      child.kill(signal);
      expect(await ended).toEqual([2, null]);
    },
  );

  it("takes a bundle that is signed with its key, and no other", async () => {
    const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const other = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const at = (name: string): string => join(folder, "signed", name);
    const pem = { type: "spki", format: "pem" } as const;
    write(at("private.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
    write(at("public.pem"), publicKey.export(pem));
    write(at("other.pem"), other.publicKey.export(pem));
    const signing = ["--signing-key", at("private.pem"), "--verification-key-id", "desk", "--scope", "newsroom"];
    expect(await portcullis("sign", bundle, ...signing, "-o", at("bundle.tar.gz"))).toMatchObject({ code: 0 });
    const scope = ["--signature-scope", "newsroom"];
    const key = ["--verification-key", at("public.pem")];
    const held = (policy: string, words: readonly string[]) => hook([...scoped.with(1, policy), ...words], call);
    const signed = at("bundle.tar.gz");
    expect(held(signed, [...key, ...scope])).toMatchObject({ status: 0, stdout: "", stderr: "" });
    expect(held(signed, [...key, ...scope, "--verification-key-id", "desk"])).toMatchObject({ status: 0, stderr: "" });
    for (const [policy, words] of [
      [bundle, [...key, ...scope]],
      [signed, key],
      [signed, [...key, ...scope, "--verification-key-id", "night"]],
      [signed, [...key, ...scope, "--signing-alg", "RS512"]],
      [signed, ["--verification-key", at("other.pem"), ...scope]],
      [signed, ["--verification-key", at("absent.pem"), ...scope]],
    ] as const) {
      const { status, stdout, stderr } = held(policy, words);
      expect([status, stderr], words.join(" ")).toEqual([2, expect.stringMatching(/^The call cannot be decided/)]);
      expect(JSON.parse(stdout)).toEqual(deny(stderr.trimEnd()));
    }
  });

  it("loads the runtime, and no compiler", () => {
    const seen = new Map<string, number>();
    const walk = (name: string): void => {
      if (seen.has(name)) return;
      const text = readFileSync(join(root, "compiler/dist/bin", name), "utf8");
      seen.set(name, text.length);
      // What is asked for in a function is asked for later.
      for (const [, next = ""] of text.matchAll(/(?<!=>)\b(?:from|import|require)\s*\(?["']\.\/([^"']+)["']/g))
        walk(next);
    };
    for (const name of ["hook.js", "hook-worker.cjs"]) walk(name);
    expect(seen.size).toBeGreaterThanOrEqual(2);
    expect([...seen.values()].reduce((sum, length) => sum + length, 0)).toBeLessThan(200_000);
  });

  it.each(HOOK_OPTIONS.filter(({ isPath }) => isPath).map(({ name }) => name))(
    "refuses a relative path in --%s",
    (name) => {
      const words = name === "policy" ? scoped.slice(2) : scoped;
      for (const path of ["out/file", "./file", "../file", ""])
        for (const given of [[`--${name}`, path], [`--${name}=${path}`]]) {
          const { status, stdout, stderr } = hook([...given, ...words], call);
          expect([status, stderr]).toEqual([2, expect.stringContaining(`\`--${name} ${path}\` is relative`)]);
          expect(JSON.parse(stdout)).toEqual(deny(stderr.trimEnd()));
        }
    },
  );

  it("prints its help without a question, and says absolute paths there alone", () => {
    const { status, stdout } = hook(["--help"], "");
    expect(status).toBe(0);
    expect(stdout).toContain("portcullis init --for");
    expect(stdout).not.toMatch(/--(policy|tools|decision-log|verification-key) (?!<|"\$PWD\/|\/)/);
  });

  // The thread that decides, in place of our own: whatever it does, the other one denies.
  it.each<[string, string, string]>([
    ["never ends", "for (;;);", "there was no answer in 1 s"],
    ["never answers", "setInterval(() => {}, 1000);", "there was no answer in 1 s"],
    ["takes more memory than it may", "const all = []; for (;;) all.push(new Array(1e4).fill(0.5));", "memory"],
    ["throws", 'throw new Error("thrown");', "thrown"],
    ["rejects", 'void Promise.reject(new Error("rejected"));', "rejected"],
    ["ends", "process.exit(0);", "without an answer"],
    ["is broken", "{", "Unexpected end of input"],
  ])("denies by itself when its thread %s", (_, script, reason) => {
    const at = join(folder, "thread");
    cpSync(join(root, "compiler/bin"), join(at, "bin"), { recursive: true });
    cpSync(join(root, "compiler/dist/bin"), join(at, "dist/bin"), { recursive: true });
    write(join(at, "package.json"), { type: "module" });
    write(join(at, "dist/bin/hook-worker.cjs"), script);
    const deadline = reason.endsWith(" 1 s") ? "1" : "60";
    const args = [join(at, "bin/portcullis.js"), "hook", ...scoped, "--deadline", deadline];
    const options = { encoding: "utf8", input: call, timeout: 60_000 } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
    expect(status).toBe(2);
    expect(stderr).toContain(reason);
    expect(JSON.parse(stdout)).toEqual(deny(stderr.trimEnd()));
  });

  // A thread that waits in the system cannot be ended, and Node waits for it.
  describe.skipIf(process.platform === "win32")("a pipe without another end, where a file should be", () => {
    const set = (name: string): string => join(folder, "limited", name);
    beforeAll(async () => {
      const actions = "allowed_callers: { roles: [R] }, allowed_actions: { tools: [pay] }";
      write(set("roles.yaml"), "roles: [{ role_id: R, privileges: { lanes: [L] } }]\n");
      write(set("lanes.yaml"), `lanes: [{ lane_id: L, ${actions} }]\n`);
      write(
        set("tool_registry.yaml"),
        "tools: [{ tool_name: pay, enabled: true, implementation_status: implemented }]\n",
      );
      write(set("limits.yaml"), "limits: [{ limit_id: PAY, calls: { tools: [pay] }, per: [role], max_calls: 2 }]\n");
      expect(await portcullis("build", set(""), "-o", set("out"))).toMatchObject({ code: 0 });
    });
    const pipe = (name: string): string => {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      execFileSync("mkfifo", [path]);
      return path;
    };
    const asked = (...words: readonly string[]) => {
      const args = [bin, "hook", "--role", "R", "--lane", "L", ...words];
      const options = { encoding: "utf8", input: '{"tool":"pay","args":{}}' } as const;
      return spawnSync(process.execPath, args, { ...options, timeout: 20_000, killSignal: "SIGKILL" });
    };

    it.each([
      ["the log", "--decision-log", "a/pipe", "a/pipe"],
      ["the clock of a history", "--history", "b", "b/clock"],
      ["its lock", "--history", "c", "c/lock"],
    ])("denies for %s", (_, option, given, at) => {
      pipe(at);
      const words = ["--policy", set("out/bundle.tar.gz"), option, join(folder, given), "--deadline", "15"];
      const { status, stdout, stderr } = asked(...words);
      expect([status, stderr]).toEqual([2, expect.stringMatching(/no regular file/)]);
      expect(JSON.parse(stdout)).toEqual(deny(stderr.trimEnd()));
    });

    // No way of Node's ends such a process with a code. The policy stands for a mount that does not answer.
    it("is answered in time by a process that ends: the policy", () => {
      const { signal, error, stdout, stderr } = asked("--policy", pipe("policy"), "--deadline", "2");
      expect([signal, error, stderr]).toEqual(["SIGKILL", undefined, expect.stringContaining("no answer in 2 s")]);
      expect(JSON.parse(stdout)).toEqual(deny(stderr.trimEnd()));
    });
  });

  it("denies where its program is not there", () => {
    const at = join(folder, "missing");
    cpSync(join(root, "compiler/bin"), join(at, "bin"), { recursive: true });
    const args = [join(at, "bin/portcullis.js"), "hook", ...scoped];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", input: call });
    expect(status).toBe(2);
    expect(JSON.parse(stdout)).toEqual(deny(stderr.trimEnd()));
  });

  it("denies for a signal, a limit of input, and an input that does not end", async () => {
    expect(hook(scoped, Buffer.alloc(8 * 1024 * 1024 + 1, 32)).stderr).toContain("has more than 8388608 bytes");
    const child = spawn(process.execPath, [bin, "hook", ...scoped, "--deadline", "1"]);
    child.stdin.write(call);
    const out: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    expect(await once(child, "close")).toEqual([2, null]);
    expect(JSON.parse(Buffer.concat(out).toString())).toMatchObject({ decision: "block", cancel: true });
  });

  // Node ends a worker of a cluster with 0 when its channel closes: here the host's pipe, which a long call keeps open until it is read.
  it.runIf(process.platform === "linux")(
    "denies where its environment takes standard input for a channel",
    async () => {
      const env = { ...process.env, NODE_CHANNEL_FD: "0", NODE_UNIQUE_ID: "1" };
      for (let i = 0; i < 5; i++) {
        const child = spawn(process.execPath, [bin, "hook", ...scoped], { env, stdio: ["pipe", "pipe", "ignore"] });
        const out: Buffer[] = [];
        child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
        child.stdin.on("error", () => {});
        child.stdin.end(JSON.stringify({ tool: "draft.create", args: { text: "x".repeat(2_000_000) } }));
        expect(await once(child, "close")).toEqual([2, null]);
        expect(JSON.parse(Buffer.concat(out).toString())).toMatchObject({ decision: "block", cancel: true });
      }
    },
  );

  it("ends with 2 where its denial is not read", () => {
    const piped = ["-c", '"$@" >&- 2>&-; exit $?', "sh", process.execPath, bin, "hook", ...caller];
    expect(spawnSync("sh", piped, { input: call, timeout: 60_000 }).status).toBe(2);
  });

  it.each<[string, readonly string[], string | Buffer]>([
    ["no policy", scoped.with(1, "/no/such/bundle"), call],
    ["a scope without a value", [...scoped, "--scope", "x"], call],
    ["a log that cannot be written", [...scoped, "--decision-log", "/no/where"], call],
    ["an unknown option", [...scoped, "--allow"], call],
    ["no role", scoped.slice(2), call],
    ["an unknown format", [...scoped, "--format", "other"], call],
    ["help among other words", [...scoped, "--help"], call],
    ["an option without its value", [...scoped, "--tools"], call],
    ["a folder of sources", scoped.with(1, join(root, "policies")), call],
    ["a map that is not there", [...scoped, "--tools", "/no/such/map.yaml"], call],
    ["a bundle that is broken", scoped.with(1, fileURLToPath(import.meta.url)), call],
    ["a deadline that is not a time", [...scoped, "--deadline", "soon"], call],
    ["a deadline without end", [...scoped, "--deadline=1e9"], call],
    ["a word too many", [...scoped, "draft.create"], call],
    ["no input", scoped, ""],
    ["bytes that are not text", scoped, Buffer.from([0xff, 0xfe])],
  ])("ends with 2 for %s", (_, args, input) => {
    const { status, stdout, stderr } = hook(args, input);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^The call cannot be decided, so it is denied: ./);
    expect(JSON.parse(stdout)).toEqual(deny(stderr.trimEnd()));
  });
});

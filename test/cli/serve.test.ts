/** `portcullis serve` as a process, of a file: what it prints and ends with, signals, tokens and logs, ten thousand connections. */

import { execFileSync, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { nodeHost } from "../../compiler/documents/node.ts";
import { compile } from "../../compiler/governance/pipeline.ts";
import {
  ask,
  ended,
  example,
  folder,
  healthOf,
  other,
  pageThatSays,
  start,
  startWith,
  until,
  useServeProcesses,
} from "./serve-process.ts";
import { portcullis } from "./terminal.ts";

useServeProcesses();

describe("serve", () => {
  it("answers, loads again on SIGHUP, keeps the good policy over a bad file, and ends with 0", async () => {
    const file = join(folder, "bundle.tar.gz");
    writeFileSync(file, example);
    const log = join(folder, "decisions.ndjson");
    const running = await start(file, "--decision-log", log);
    expect(await ask(running)).toEqual({ allowed: true, gate: "ALLOW", reason: "lane_authorized" });
    expect(await ask(running, "no/such")).toBeUndefined();
    writeFileSync(file, other);
    running.child.kill("SIGHUP");
    await until(() => running.said().includes("serving revision other\n"));
    writeFileSync(file, example.subarray(0, 1000));
    for (const signal of ["SIGUSR1", "SIGUSR2", "SIGHUP"] as const) running.child.kill(signal);
    await until(() => running.said().includes("warning: the policy stays as it was: "));
    expect(await ask(running)).toMatchObject({ allowed: true });
    expect(running.said()).not.toMatch(/debugger/i);
    expect(await ended(running, "SIGTERM")).toBe(0);
    const events = readFileSync(log, "utf8").trim().split("\n");
    expect(events.length).toBe(2);
  });

  it("is not ended by a SIGHUP that comes with its first word", async () => {
    const file = join(folder, "at-once.tar.gz");
    writeFileSync(file, example);
    const hook = join(folder, "at-once.mjs");
    writeFileSync(
      hook,
      `const { write } = process.stderr;
process.stderr.write = (text, ...rest) => {
  if (text.includes("serving revision")) process.kill(process.pid, "SIGHUP");
  process.stderr.write = write;
  return write.call(process.stderr, text, ...rest);
};`,
    );
    const running = await startWith(["--import", pathToFileURL(hook).href], file);
    await until(() => running.said().split("serving revision").length > 2 || running.child.signalCode !== null);
    expect(running.child.signalCode).toBeNull();
    expect(await ask(running)).toMatchObject({ allowed: true });
  });

  it.skipIf(process.platform === "win32")("waits for no pipe where its key was", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const [secret, key, plain, signed] = ["secret.pem", "key.pem", "unsigned.tar.gz", "signed.tar.gz"].map((name) =>
      join(folder, name),
    ) as [string, string, string, string];
    writeFileSync(secret, privateKey.export({ type: "pkcs8", format: "pem" }));
    writeFileSync(key, publicKey.export({ type: "spki", format: "pem" }));
    writeFileSync(plain, example);
    const flags = ["--signing-alg", "ES256"];
    const { code } = await portcullis("sign", plain, "--signing-key", secret, ...flags, "-o", signed);
    expect(code).toBe(0);
    const running = await start(signed, "--verification-key", key, ...flags);
    rmSync(key);
    execFileSync("mkfifo", [key]);
    running.child.kill("SIGHUP");
    await until(() => running.said().includes(`\`${key}\` is no regular file`));
    expect(await ask(running)).toMatchObject({ allowed: true });
  });

  it.each([1, 2])(
    "is not ended earlier by another signal while requests are under way: %i workers",
    async (workers) => {
      const log = join(folder, `ending-${workers}.ndjson`);
      const file = join(folder, "ending.tar.gz");
      writeFileSync(file, example);
      const running = await start(file, "--decision-log", log, "--workers", `${workers}`);
      expect(await ask(running)).toMatchObject({ allowed: true });
      const body = JSON.stringify({ input: { role: "WRITER", lane: "DRAFTING" } });
      const { port } = new URL(running.url);
      const socket = connect(Number(port), "127.0.0.1");
      const said = text(socket);
      socket.write(
        `POST /v1/data/portcullis/lane/decision HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, -1)}`,
      );
      // Its head has arrived: what is told to end waits for it.
      await until(async () => (await ask(running)) !== undefined);
      const end = ended(running, "SIGTERM");
      await until(() =>
        fetch(running.url).then(
          () => false,
          () => true,
        ),
      );
      for (const signal of ["SIGUSR1", "SIGUSR2", "SIGHUP"] as const) running.child.kill(signal);
      await new Promise((resolve) => setTimeout(resolve, 200));
      socket.write("}");
      expect(await end).toBe(0);
      expect(await said).toContain("HTTP/1.1 ");
      expect(readFileSync(log, "utf8")).toMatch(/^(?:\{.*"lane_authorized".*\}\n){2,}$/);
      expect(running.said()).not.toMatch(/debugger/i);
    },
  );

  it("asks a shadow beside, which never answers, and loads it again too", async () => {
    const dir = join(folder, "stricter");
    mkdirSync(dir);
    writeFileSync(join(dir, "roles.yaml"), "roles: [{ role_id: EDITOR }]\n");
    writeFileSync(join(dir, "lanes.yaml"), "lanes: [{ lane_id: DRAFTING, allowed_callers: { roles: [EDITOR] } }]\n");
    const { compiled } = await compile({ host: nodeHost, dirs: [dir], revision: "stricter" });
    const [file, shadow] = [join(folder, "in-force.tar.gz"), join(folder, "shadow.tar.gz")];
    writeFileSync(file, example);
    writeFileSync(shadow, compiled?.bundle as Uint8Array);
    const log = join(folder, "shadowed.ndjson");
    const running = await start(file, "--shadow", shadow, "--decision-log", log);
    await until(() => running.said().includes("shadow revision stricter\n"));
    const allow = { allowed: true, gate: "ALLOW", reason: "lane_authorized" };
    expect(await ask(running)).toEqual(allow);
    writeFileSync(shadow, other);
    running.child.kill("SIGHUP");
    await until(() => running.said().includes("shadow revision other\n"));
    expect(await ask(running)).toEqual(allow);
    const metrics = await pageThatSays(`${running.url}/metrics`, /answer="same"\} 1\n/);
    expect(metrics).toContain('portcullis_shadow_decisions_total{answer="newly_denied"} 1\n');
    expect(metrics).toContain('portcullis_shadow_info{revision="other"} 1\n');
    writeFileSync(shadow, "no bundle");
    running.child.kill("SIGHUP");
    await until(() => running.said().includes("warning: the policy stays as it was: "));
    expect(await ended(running, "SIGTERM")).toBe(0);
    const events = readFileSync(log, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.map((event) => event.result)).toEqual([allow, allow]);
    const denial = { allowed: false, gate: "ROLE", reason: "role_not_defined" };
    expect(events.map((event) => event.shadow)).toEqual([{ revision: "stricter", result: denial }, undefined]);
    const refused = await portcullis("serve", file, "--shadow", shadow);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining(shadow) });
  });

  it.skipIf(process.platform !== "linux")("denies what a log that is required does not take", async () => {
    const file = join(folder, "logged.tar.gz");
    writeFileSync(file, example);
    const running = await start(file, "--decision-log", "/dev/full", "--log-required");
    for (let i = 0; i < 2; i++) expect(await ask(running)).toMatchObject({ allowed: false, gate: "INTERNAL_ERROR" });
    expect(await ended(running, "SIGTERM")).toBe(0);
    const problem = "ENOSPC: no space left on device, write";
    expect(running.said().split("\n").slice(1, -1)).toEqual([
      `warning: decisions are denied: the decision log fails: ${problem}`,
      `warning: 1 decision events were lost; the log's last problem: ${problem}`,
    ]);
    const log = join(folder, "required.ndjson");
    const taken = await start(file, "--decision-log", log, "--log-required");
    expect(await ask(taken)).toMatchObject({ allowed: true });
    expect(readFileSync(log, "utf8")).toContain('"allowed":true');
    expect(await ask(taken, undefined, { origin: "http://page.example" })).toBe(403);
  });

  it.skipIf(process.platform === "win32")("waits for the reader of a pipe that its log goes to", async () => {
    const file = join(folder, "piped.tar.gz");
    writeFileSync(file, example);
    const pipe = join(folder, "piped");
    execFileSync("mkfifo", [pipe]);
    const running = await start(file, "--decision-log", pipe);
    const reader = spawn("head", ["-n", "1", pipe]);
    const line = text(reader.stdout);
    expect(await ask(running)).toMatchObject({ allowed: true });
    expect(await line).toContain('"allowed":true');
  });

  it("wants the token, and answers AuthZEN by the library's adapter", async () => {
    const token = join(folder, "token");
    writeFileSync(token, "0123456789abcdef0123\n");
    const file = join(folder, "good.tar.gz");
    writeFileSync(file, example);
    const running = await start(file, "--token-file", token);
    const headers = { authorization: "Bearer 0123456789abcdef0123" };
    expect(await ask(running)).toBe(401);
    expect(await ask(running, undefined, { authorization: "Bearer 0123456789abcdef0124" })).toBe(401);
    expect(await ask(running, undefined, headers)).toMatchObject({ allowed: true });
    const response = await fetch(`${running.url}/access/v1/evaluation`, { method: "POST", body: "{}", headers });
    expect(await response.json()).toEqual({
      decision: false,
      context: { gate: "REQUEST", reason: "request_malformed" },
    });
  });

  it("says what is wrong and ends with 2", async () => {
    const file = join(folder, "bad.tar.gz");
    writeFileSync(file, "no bundle");
    writeFileSync(join(folder, "good.tar.gz"), example);
    const run = async (...args: string[]): Promise<string> => {
      const { code, err } = await portcullis("serve", ...args);
      expect(code, err).toBe(2);
      return err;
    };
    expect(await run(join(folder, "absent.tar.gz"))).toContain("error: cannot read `");
    expect(await run(file)).toContain("error: ");
    expect(await run(file, "--addr", "0.0.0.0:0")).toContain("no client would have to show a token");
    expect(await run(file, "--ext-authz", "0.0.0.0:0")).toContain("others reach `0.0.0.0`");
    expect(await run(file, "--ext-authz", "9191")).toContain("an address is host:port");
    expect(await run(file, "--addr", "here")).toContain("an address is host:port");
    const token = join(folder, "a-token");
    writeFileSync(token, "0123456789abcdef0123\n");
    for (const [path, problem] of [
      [file, "it is there, and no socket"],
      [folder, "it is there, and no socket"],
      [join(folder, "none", "socket"), "no such file or folder"],
    ] as const)
      expect(await run(join(folder, "good.tar.gz"), "--addr", `unix:${path}`, "--token-file", token)).toContain(
        `error: cannot listen on \`unix:${path}\`: ${problem}`,
      );
    expect(await run(file, "--log-required")).toContain("`--log-required` needs `--decision-log`");
    for (const [log, problem] of [
      [join(folder, "none", "log.ndjson"), "no such file or folder"],
      [folder, "is a folder"],
      [join(file, "log.ndjson"), "is not a folder"],
    ] as const)
      for (const workers of ["1", "2"])
        expect(await run(file, "--decision-log", log, "--workers", workers)).toContain(
          `error: cannot write \`--decision-log ${log}\`: ${problem}`,
        );
    expect(await run(file, "--follow", "1")).toContain("`--follow` needs a URL");
    expect(await run(file, "--stale-after", "9")).toContain("`--stale-after` needs `--follow`");
    expect(await run("http://127.0.0.1:1/b.tar.gz", "--follow", "5", "--stale-after", "5")).toContain(
      "longer than `--follow`",
    );
    expect(await run("http://127.0.0.1:1/b.tar.gz", "--follow", "1")).toContain(
      "error: cannot fetch `http://127.0.0.1:1/b.tar.gz`",
    );
  });

  it.skipIf(process.platform !== "linux")(
    "keeps its memory over 10,000 idle connections, and goes on answering",
    async () => {
      const file = join(folder, "idle.tar.gz");
      writeFileSync(file, example);
      const running = await start(file, "--timeout", "2");
      const { port } = new URL(running.url);
      const resident = (): number =>
        Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${running.child.pid}/status`, "utf8"))?.[1]) / 1024;
      await ask(running);
      const before = resident();
      // They say nothing, read nothing and close nothing.
      const sockets: Socket[] = [];
      for (let i = 0; i < 10_000; i++) {
        const socket = connect(Number(port), "127.0.0.1");
        socket.on("error", () => undefined);
        sockets.push(socket);
        if (i % 500 === 499) await new Promise((resolve) => setTimeout(resolve, 10));
      }
      // Those beyond the limit are closed at once, the others when no request has come in time: then there is room again.
      let inOrder = 0;
      await until(async () => {
        inOrder = (await healthOf(running)) === 200 ? inOrder + 1 : 0;
        return inOrder === 5;
      });
      expect(resident() - before).toBeLessThan(100);
      expect(await ask(running)).toMatchObject({ allowed: true });
    },
  );
});

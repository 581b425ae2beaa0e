/** `portcullis serve` as a process: what it prints and ends with, signals, a bundle that is followed, ten thousand connections. */

import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { createServer, get } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { nodeHost } from "../../compiler/documents/node.ts";
import { compile } from "../../compiler/governance/pipeline.ts";
import { BundleServer, serve as serveBundle } from "../runtime/operate/bundle-server.ts";
import { portcullis, removeFolder, temporaryFolder } from "./terminal.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const bin = join(root, "compiler/bin/portcullis.js");
const example = readFileSync(join(root, "generated/bundle.tar.gz"));
const writer = { input: { role: "WRITER", lane: "DRAFTING" } };

let folder = "";
let other: Uint8Array;
beforeAll(async () => {
  folder = temporaryFolder();
  const { compiled } = await compile({ host: nodeHost, dirs: [join(root, "policies")], revision: "other" });
  other = compiled?.bundle as Uint8Array;
});
afterAll(() => removeFolder(folder));

const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0))
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
});

interface Running {
  readonly url: string;
  readonly child: ChildProcess;
  said(): string;
}

const start = (source: string, ...flags: string[]): Promise<Running> => startWith([], source, ...flags);

async function startWith(node: readonly string[], source: string, ...flags: string[]): Promise<Running> {
  const child = spawn(process.execPath, [...node, bin, "serve", source, "--addr", "127.0.0.1:0", ...flags]);
  children.push(child);
  let said = "";
  child.stderr.on("data", (bytes: Buffer) => (said += bytes.toString()));
  await until(() => / on http:\S+\n/.test(said) || child.exitCode !== null);
  const [, url] = / on (http:\S+)\n/.exec(said) ?? [];
  if (url === undefined) throw new Error(`not serving: ${said}`);
  return { url, child, said: () => said };
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 60_000; !(await holds()); )
    if (performance.now() > end) throw new Error("waited for a minute");
    else await new Promise((resolve) => setTimeout(resolve, 20));
}

/** The text of a page, when it says what is awaited. */
async function pageThatSays(url: string, says: RegExp): Promise<string> {
  let text = "";
  await until(async () => says.test((text = await (await fetch(url)).text())));
  return text;
}

async function ask({ url }: Running, path = "portcullis/lane/decision", headers = {}): Promise<number | unknown> {
  const response = await fetch(`${url}/v1/data/${path}`, { method: "POST", body: JSON.stringify(writer), headers });
  return response.ok ? ((await response.json()) as { result?: unknown }).result : response.status;
}

/** Over a connection of its own; `undefined` without an answer. */
function healthOf({ url }: Running): Promise<number | undefined> {
  return new Promise((resolve) => {
    const request = get(`${url}/health`, { agent: false, timeout: 1000 }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode));
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(undefined));
  });
}

async function ended({ child }: Running, signal: NodeJS.Signals): Promise<number | null> {
  const exit = once(child, "exit");
  child.kill(signal);
  const [code] = (await exit) as [number | null];
  return code;
}

describe("serve", { timeout: 120_000 }, () => {
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

  it("follows a URL: new bundles come by themselves, bad ones change nothing", async () => {
    const server = await new BundleServer(example).start();
    try {
      const running = await start(server.url, "--follow", "1");
      expect(await ask(running)).toMatchObject({ allowed: true });
      server.bundle = other;
      await until(() => running.said().includes("serving revision other\n"));
      server.bundle = new Uint8Array(100);
      await until(() => running.said().includes("warning: the policy stays as it was: "));
      expect(await ask(running)).toMatchObject({ allowed: true });
      expect(await ended(running, "SIGINT")).toBe(0);
    } finally {
      await server.stop();
    }
  });

  it("denies everything when what it follows is stale, and goes on when the source is back", async () => {
    const server = await new BundleServer(example).start();
    const running = await start(server.url, "--follow", "1", "--stale-after", "2");
    try {
      expect(await ask(running)).toMatchObject({ allowed: true });
      await server.stop();
      await until(() => running.said().includes("warning: the policy is stale: everything is denied"));
      expect(await ask(running)).toBe(503);
      const health = async (): Promise<number> => (await fetch(`${running.url}/health?bundles`)).status;
      expect(await health()).toBe(503);
      expect(await healthOf(running)).toBe(200);
      expect(await pageThatSays(`${running.url}/metrics`, /./)).toContain("portcullis_policy_stale 1\n");
      await server.start();
      await until(() => running.said().split("serving revision ").length > 2);
      expect(await ask(running)).toMatchObject({ allowed: true });
      expect(await ended(running, "SIGINT")).toBe(0);
    } finally {
      await server.stop();
    }
  });

  it("shows the bundle server the token of a file, as it is then", async () => {
    const server = await new BundleServer(example).start();
    const wants = (token: string): void => {
      server.answer = (request, response, bundle) =>
        request.headers.authorization === `Bearer ${token}`
          ? serveBundle(request, response, bundle)
          : response.writeHead(401).end();
    };
    try {
      const file = join(folder, "source-token");
      const [old, fresh] = ["0123456789abcdef-old", "0123456789abcdef-new"];
      writeFileSync(file, `${old}\n`);
      wants(old);
      const running = await start(server.url, "--follow", "3600", "--source-token", file);
      wants(fresh);
      server.bundle = other;
      running.child.kill("SIGHUP");
      await until(() => running.said().includes("answers with status 401"));
      writeFileSync(file, fresh);
      running.child.kill("SIGHUP");
      await until(() => running.said().includes("serving revision other\n"));
      expect(running.said()).not.toContain("0123456789abcdef");
      const refused = async (place: string): Promise<string> => {
        const { code, err } = await portcullis("serve", place, "--source-token", file);
        expect(code).toBe(2);
        return err;
      };
      expect(await refused("http://bundles.example/bundle.tar.gz")).toContain("without TLS");
      expect(await refused("http://127.0.0.1.example/bundle.tar.gz")).toContain("without TLS");
      expect(await refused("oci://127.0.0.1:1/a")).toContain("needs an http(s) URL");
      writeFileSync(file, "several words, not a token");
      expect(await refused(server.url)).toContain("holds no token");
    } finally {
      await server.stop();
    }
  });

  it("asks the URL at once on SIGHUP", async () => {
    const server = await new BundleServer(example).start();
    try {
      const running = await start(server.url, "--follow", "3600");
      server.bundle = other;
      running.child.kill("SIGHUP");
      await until(() => running.said().includes("serving revision other\n"));
      server.bundle = new Uint8Array(100);
      for (const times of [1, 2]) {
        running.child.kill("SIGHUP");
        await until(() => running.said().split("warning: the policy stays as it was: ").length > times);
      }
      const { length } = running.said().split("serving revision ");
      server.bundle = other;
      running.child.kill("SIGHUP");
      // Also that nothing is wrong any more.
      await until(() => running.said().split("serving revision ").length > length);
    } finally {
      await server.stop();
    }
  });

  it("serves the last good bundle after a restart while the URL is away, verified again", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const [secret, key, plain] = ["secret.pem", "key.pem", "plain.tar.gz"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(secret, privateKey.export({ type: "pkcs8", format: "pem" }));
    writeFileSync(key, publicKey.export({ type: "spki", format: "pem" }));
    writeFileSync(plain, example);
    const kept = join(folder, "kept");
    mkdirSync(kept, { mode: 0o700 });
    const signed = join(folder, "signed.tar.gz");
    expect(
      await portcullis("sign", plain, "--signing-key", secret, "--signing-alg", "ES256", "-o", signed),
    ).toMatchObject({ code: 0 });
    const server = await new BundleServer(readFileSync(signed)).start();
    const flags = ["--follow", "3600", "--persist", kept, "--verification-key", key, "--signing-alg", "ES256"];
    const first = await start(server.url, ...flags);
    expect(await ended(first, "SIGTERM")).toBe(0);
    await server.stop();
    const file = join(kept, "bundle.tar.gz");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const second = await start(server.url, ...flags);
    expect(await ask(second)).toMatchObject({ allowed: true });
    expect(await (await fetch(`${second.url}/health?bundles`)).status).toBe(200);
    expect(await pageThatSays(`${second.url}/metrics`, /./)).toContain("portcullis_failed_checks 1\n");
    expect(await ended(second, "SIGTERM")).toBe(0);
    // As old as its last good check, whatever has happened since.
    const hourAgo = new Date(Date.now() - 3_600_000);
    utimesSync(file, hourAgo, hourAgo);
    const stale = await start(server.url, "--follow", "60", "--stale-after", "120", ...flags.slice(2));
    expect(await ask(stale)).toBe(503);
    expect(await (await fetch(`${stale.url}/health?bundles`)).status).toBe(503);
    expect(stale.said()).toContain("warning: the policy is stale");
    expect(await ended(stale, "SIGTERM")).toBe(0);
    // A good bundle without a signature, in the place of the one that was kept.
    writeFileSync(file, example);
    const { code, err } = await portcullis("serve", server.url, ...flags);
    expect(code).toBe(2);
    expect(err).toContain("cannot fetch");
    chmodSync(kept, 0o777);
    expect(await portcullis("serve", server.url, ...flags)).toMatchObject({
      code: 2,
      err: expect.stringContaining("other users may write into"),
    });
    expect(await portcullis("serve", server.url, "--persist", kept)).toMatchObject({ code: 2 });
    expect(await portcullis("serve", server.url, "--follow", "9", "--persist", file)).toMatchObject({ code: 2 });
  });

  it.skipIf(process.platform !== "linux")("denies what a log that is required does not take", async () => {
    const file = join(folder, "logged.tar.gz");
    writeFileSync(file, example);
    const running = await start(file, "--decision-log", "/dev/full", "--log-required");
    for (let i = 0; i < 2; i++) expect(await ask(running)).toMatchObject({ allowed: false, gate: "INTERNAL_ERROR" });
    expect(await ended(running, "SIGTERM")).toBe(0);
    expect(running.said()).toContain("warning: 1 decision events were lost: ENOSPC");
    const log = join(folder, "required.ndjson");
    const taken = await start(file, "--decision-log", log, "--log-required");
    expect(await ask(taken)).toMatchObject({ allowed: true });
    expect(readFileSync(log, "utf8")).toContain('"allowed":true');
    expect(await ask(taken, undefined, { origin: "http://page.example" })).toBe(403);
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
    expect(await run(file, "--log-required")).toContain("`--log-required` needs `--decision-log`");
    expect(await run(file, "--follow", "1")).toContain("`--follow` needs a URL");
    expect(await run(file, "--stale-after", "9")).toContain("`--stale-after` needs `--follow`");
    expect(await run("http://127.0.0.1:1/b.tar.gz", "--follow", "5", "--stale-after", "5")).toContain(
      "longer than `--follow`",
    );
    expect(await run("http://127.0.0.1:1/b.tar.gz", "--follow", "1")).toContain(
      "error: cannot fetch `http://127.0.0.1:1/b.tar.gz`",
    );
  });

  it("takes no more of a URL than a bundle may have", async () => {
    const server = createServer((_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(1 << 20)));
      };
      response.on("drain", more);
      more();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/b.tar.gz`;
    try {
      const { code, err } = await portcullis("serve", url);
      expect(code).toBe(2);
      expect(err).toContain("sends more than 67108864 bytes");
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it.skipIf(process.platform !== "linux")(
    "keeps its memory over 10,000 idle connections, and goes on answering",
    async () => {
      const file = join(folder, "idle.tar.gz");
      writeFileSync(file, example);
      const running = await start(file, "--timeout", "2000");
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

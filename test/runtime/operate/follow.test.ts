/** Following a source: what servers and files do to a policy in use, which is nothing but replace it by a good one. */

import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  type BundleSource,
  type FollowOptions,
  type HttpSourceOptions,
  httpSource,
  ReloadablePolicy,
  SourceError,
} from "@portcullis/runtime";
import { fileSource, fileStore } from "@portcullis/runtime/node";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { packBundle } from "../../../compiler/rego/bundle/index.ts";
import { runs } from "../../campaign.ts";
import { policyFiles, signed } from "../trust/bundles.ts";
import { type Answer, BundleServer, serve, tagOf } from "./bundle-server.ts";
import { allows, bundlesInOrder, until, verification } from "./followed.ts";

let bundles: readonly [Uint8Array, Uint8Array, Uint8Array];
let unsigned: Uint8Array;
let forged: Uint8Array;
beforeAll(async () => {
  bundles = await bundlesInOrder();
  const eve = await policyFiles({ owner: "eve", revision: "eve", sequence: 9 });
  unsigned = await packBundle(eve);
  forged = await signed(eve, { algorithm: "RS256" });
});
const bundle = (number: 1 | 2 | 3): Uint8Array => bundles[number - 1] as Uint8Array;

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function serverOf(first: Uint8Array): Promise<BundleServer> {
  const server = await new BundleServer(first).start();
  open.push({ close: () => server.stop() });
  return server;
}

const FAST: HttpSourceOptions = { minDelay: 5, maxDelay: 10, timeout: 3_000, maxBytes: 1 << 20 };

async function follow(source: BundleSource, options: FollowOptions = {}): Promise<ReloadablePolicy> {
  const policies = await ReloadablePolicy.follow(source, { verification, ...options });
  open.push(policies);
  return policies;
}

describe("follow over HTTP", () => {
  it("takes what is new, and asks with the tag of what it has", async () => {
    const server = await serverOf(bundle(1));
    const told: (string | undefined)[] = [];
    const policies = await follow(httpSource(server.url, { ...FAST, headers: () => ({ authorization: "Bearer t" }) }), {
      onStatus: ({ revision }) => {
        told.push(revision);
        throw new Error("a listener that throws");
      },
    });
    expect(policies.status()).toMatchObject({ revision: "ann", failures: 0, stale: false, lastError: undefined });
    // On a busy machine a check may come too late, and the next one asks without a tag.
    await until(() => server.requests.some(({ headers }) => headers["if-none-match"] === tagOf(bundle(1))));
    expect(server.requests[0]?.headers).toMatchObject({ authorization: "Bearer t", prefer: "modes=snapshot" });
    const before = policies.current;
    server.bundle = bundle(2);
    await until(() => policies.current.revision === "bob");
    expect([allows(policies, "bob"), allows(policies, "ann"), before.revision]).toEqual([true, false, "ann"]);
    await until(() => told.includes("bob"));
  });

  it("does not load again what a server without tags sends again", async () => {
    const server = await serverOf(bundle(1));
    server.answer = (_, response, bytes) => response.end(bytes);
    const policies = await follow(httpSource(server.url, FAST));
    const { current } = policies;
    await until(() => server.requests.length > 4);
    expect(policies.current).toBe(current);
  });

  const FAULTS: readonly (readonly [string, string, Answer])[] = [
    ["hangs up", "unreachable", (_, response) => response.destroy()],
    ["is slow", "timeout", () => undefined],
    ["is slow in the middle", "timeout", (_, response, bytes) => void response.write(bytes.subarray(0, 99))],
    [
      "sends less than it says",
      "unreachable",
      (_, response, bytes) => {
        response.writeHead(200, { "content-length": bytes.length });
        response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
      },
    ],
    [
      "sends half a chunk",
      "unreachable",
      (request, response, bytes) => {
        response.writeHead(200, { "transfer-encoding": "chunked" }).flushHeaders();
        request.socket.write("ffff\r\n");
        request.socket.write(bytes.subarray(0, 200), () => request.socket.destroy());
      },
    ],
    ["cuts the bundle", "bundle-corrupt", (_, response, bytes) => response.end(bytes.subarray(0, bytes.length - 20))],
    ["has too many requests", "status", (_, response) => response.writeHead(429).end()],
    ["fails", "status", (_, response) => response.writeHead(503).end("no")],
    ["has nothing", "status", (_, response) => response.writeHead(404).end()],
    ["says that nothing changed, unasked", "status", (_, response) => response.writeHead(204).end()],
    [
      "sends a page",
      "not-a-policy",
      (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>"),
    ],
    ["sends nothing", "not-a-policy", (_, response) => response.writeHead(200).end()],
    ["sends too much", "too-large", (_, response) => response.end(Buffer.alloc(2 << 20))],
    ["sends an older revision", "revision-rolled-back", (_, response) => response.end(bundle(1))],
    ["sends an unsigned bundle", "signature-missing", (_, response) => response.end(unsigned)],
    ["sends another's signature", "signature-invalid", (_, response) => response.end(forged)],
  ];

  it.each(FAULTS)("keeps the policy while the server %s, and goes on after it", async (_name, code, answer) => {
    const server = await serverOf(bundle(2));
    const policies = await follow(httpSource(server.url, code === "timeout" ? { ...FAST, timeout: 500 } : FAST));
    server.answer = answer;
    await until(() => (policies.status()?.failures ?? 0) >= 2);
    expect(policies.status()).toMatchObject({ revision: "bob", lastError: { code } });
    expect(allows(policies, "bob")).toBe(true);
    server.answer = serve;
    server.bundle = bundle(3);
    await until(() => policies.status()?.failures === 0);
    expect(policies.status()).toMatchObject({ revision: "zoe", lastError: undefined });
  });

  it("keeps the policy without a listener, and goes on when there is one", async () => {
    const server = await serverOf(bundle(1));
    const policies = await follow(httpSource(server.url, FAST));
    await server.stop();
    await until(() => (policies.status()?.failures ?? 0) >= 2);
    expect(policies.status()?.lastError).toMatchObject({
      code: "unreachable",
      message: expect.stringContaining("ECONNREFUSED"),
    });
    server.bundle = bundle(2);
    await server.start();
    await until(() => policies.current.revision === "bob");
  });

  it("waits as long as the server asks", async () => {
    const server = await serverOf(bundle(1));
    const policies = await follow(httpSource(server.url, FAST));
    for (const retryAfterOf of [() => "1", () => new Date(Date.now() + 2000).toUTCString()]) {
      const after = server.requests.length;
      server.answer = (_, response) => response.writeHead(503, { "retry-after": retryAfterOf() }).end();
      await until(() => server.requests.length > after);
      server.answer = serve;
      const count = server.requests.length;
      await until(() => server.requests.length > count);
      const [refused, next] = server.requests.slice(count - 1, count + 1);
      expect((next?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThan(900);
    }
    await until(() => policies.status()?.lastError === undefined);
  });

  it("lets a server that offers it hold the answer back until there is something new", async () => {
    const server = await serverOf(bundle(1));
    const type = { "content-type": "application/vnd.openpolicyagent.bundles" };
    let held: (() => void) | undefined;
    server.answer = (request, response) => {
      const send = (): void => void response.writeHead(200, { ...type, etag: tagOf(server.bundle) }).end(server.bundle);
      if (request.headers["if-none-match"] === tagOf(server.bundle)) held = send;
      else send();
    };
    const policies = await follow(httpSource(server.url, { ...FAST, wait: 20 }));
    await until(() => held !== undefined);
    expect(server.requests.at(-1)?.headers.prefer).toBe("modes=snapshot;wait=20");
    server.bundle = bundle(2);
    held?.();
    await until(() => policies.current.revision === "bob");
  });

  it("rejects where there is nothing to begin with", async () => {
    const server = await serverOf(bundle(1));
    server.answer = (_, response) => response.writeHead(500).end();
    await expect(follow(httpSource(server.url, FAST))).rejects.toBeInstanceOf(SourceError);
    server.answer = (_, response) => response.end(forged);
    await expect(follow(httpSource(server.url, FAST))).rejects.toMatchObject({ code: "signature-invalid" });
  });

  it("asks nothing any more after `close`", async () => {
    const server = await serverOf(bundle(1));
    const policies = await follow(httpSource(server.url, FAST));
    policies.close();
    await new Promise((resolve) => setTimeout(resolve, 30));
    const { length } = server.requests;
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(server.requests).toHaveLength(length);
    expect(allows(policies, "ann")).toBe(true);
  });
});

describe("a stale policy", () => {
  it.each([
    ["serve", true],
    ["deny", false],
  ] as const)("with `%s`", async (stale, serves) => {
    const server = await serverOf(bundle(1));
    const policies = await follow(httpSource(server.url, { ...FAST, staleAfter: 80 }), { stale });
    server.answer = (_, response) => response.writeHead(500).end();
    await until(() => policies.status()?.stale === true);
    expect(allows(policies, "ann")).toBe(serves);
    expect(policies.current.tool({ role: "R", lane: "L", tool: "T" }).allowed).toBe(false);
    if (!serves) {
      expect(policies.current.evaluateJson("app/decision", '{"user":"ann"}')).toBeUndefined();
      expect(policies.current.lastFault).toMatchObject({ message: expect.stringContaining("stale") });
    }
    server.answer = serve;
    await until(() => policies.status()?.stale === false);
    expect(allows(policies, "ann")).toBe(true);
  });
});

describe("with a file", () => {
  const folder = mkdtempSync(join(tmpdir(), "portcullis-follow-"));
  const path = join(folder, "bundle.tar.gz");
  const replace = (bytes: Uint8Array): void => {
    writeFileSync(`${path}.new`, bytes);
    renameSync(`${path}.new`, path);
  };
  afterEach(() => rmSync(path, { force: true }));

  it("takes what replaces it, and keeps what it has while that is half written or gone", async () => {
    replace(bundle(1));
    const policies = await follow(fileSource(path, { settle: 5, interval: 30 }));
    replace(bundle(2));
    await until(() => policies.current.revision === "bob");
    writeFileSync(path, bundle(3).subarray(0, 1000));
    await until(() => policies.status()?.lastError?.code === "bundle-corrupt");
    rmSync(path);
    await until(() => policies.status()?.lastError?.code === "unreachable");
    expect(allows(policies, "bob")).toBe(true);
    replace(bundle(3));
    await until(() => policies.current.revision === "zoe");
  });

  it("keeps what it has while the folder is gone, and follows the one that takes its place", async () => {
    const inner = join(folder, "inner");
    const inside = join(inner, "bundle.tar.gz");
    mkdirSync(inner);
    writeFileSync(inside, bundle(1));
    const policies = await follow(fileSource(inside, { settle: 5, interval: 300 }));
    rmSync(inner, { recursive: true });
    await until(() => policies.status()?.lastError?.code === "unreachable");
    expect(allows(policies, "ann")).toBe(true);
    for (const [n, revision] of [
      [2, "bob"],
      [3, "zoe"],
    ] as const) {
      mkdirSync(`${inner}.new`);
      writeFileSync(join(`${inner}.new`, "bundle.tar.gz"), bundle(n));
      rmSync(inner, { recursive: true, force: true });
      renameSync(`${inner}.new`, inner);
      await until(() => policies.current.revision === revision);
    }
    expect(policies.status()?.lastError).toBeUndefined();
  });

  it("survives a restart with the last good bundle, and does not go back behind it", async () => {
    const persist = fileStore(join(folder, "kept.tar.gz"));
    const server = await serverOf(bundle(2));
    (await follow(httpSource(server.url, FAST), { persist })).close();
    expect(Buffer.compare(readFileSync(join(folder, "kept.tar.gz")), bundle(2))).toBe(0);
    expect(statSync(join(folder, "kept.tar.gz")).mode & 0o777).toBe(0o600);
    server.bundle = bundle(1);
    const restarted = await follow(httpSource(server.url, FAST), { persist });
    expect(restarted.status()).toMatchObject({ revision: "bob", lastError: { code: "revision-rolled-back" } });
    restarted.close();
    await server.stop();
    expect((await follow(httpSource(server.url, FAST), { persist })).current.revision).toBe("bob");
    writeFileSync(join(folder, "kept.tar.gz"), forged);
    await expect(follow(httpSource(server.url, FAST), { persist })).rejects.toMatchObject({
      code: "unreachable",
      message: expect.stringMatching(/ECONNREFUSED.*; what was kept is refused: .*sign/),
    });
  });

  it("serves a good bundle that cannot be kept, and says so", async () => {
    const server = await serverOf(bundle(1));
    const policies = await follow(httpSource(server.url, { ...FAST, minDelay: 1000, maxDelay: 1000 }), {
      persist: fileStore(join(folder, "no/such/folder")),
    });
    expect(policies.status()).toMatchObject({
      revision: "ann",
      lastError: { message: expect.stringContaining("ENOENT") },
    });
  });
});

describe("under load", () => {
  it("no decision fails or mixes two revisions while policies are swapped, and memory stays level", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const server = await serverOf(bundle(1));
    // Unsigned sequences may alternate: nothing here carries one.
    const pair = await Promise.all(
      ["ann", "bob"].map(async (owner) => packBundle(await policyFiles({ owner, revision: owner }))),
    );
    server.bundle = pair[0] as Uint8Array;
    const policies = await ReloadablePolicy.follow(httpSource(server.url, { minDelay: 0, maxDelay: 0 }));
    open.push(policies);
    const swaps = runs(1000);
    let decisions = 0;
    let swapped = 0;
    let level = 0;
    let current = policies.current;
    server.bundle = pair[1] as Uint8Array;
    const memory = (): number => {
      collect();
      const { heapUsed, external, arrayBuffers } = process.memoryUsage();
      return heapUsed + external + arrayBuffers;
    };
    while (swapped < swaps) {
      for (let i = 0; i < 500; i++) {
        const policy = policies.current;
        const allowed = ["ann", "bob"].filter(
          (user) => (policy.evaluate("app/decision", { user }) as { allowed: unknown }).allowed === true,
        );
        if (allowed.length !== 1 || allowed[0] !== policy.revision || policy.faults > 0)
          throw new Error(`${allowed} under ${policy.revision}`);
        decisions += 2;
      }
      if (policies.current !== current) {
        current = policies.current;
        server.bundle = pair[swapped++ % 2] as Uint8Array;
        if (swapped === Math.floor(swaps / 5)) level = memory();
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(decisions).toBeGreaterThan(swaps * 100);
    expect(policies.status()).toMatchObject({ failures: 0 });
    expect(memory() - level).toBeLessThan(8 << 20);
  });
});

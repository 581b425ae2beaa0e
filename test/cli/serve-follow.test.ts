/** `portcullis serve` of a URL: what it follows and how it asks, a source that is stale, away or bad, a bundle that is kept. */

import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BundleServer, serve as serveBundle } from "../runtime/operate/bundle-server.ts";
import {
  ask,
  ended,
  example,
  folder,
  healthOf,
  other,
  pageThatSays,
  start,
  until,
  useServeProcesses,
} from "./serve-process.ts";
import { portcullis } from "./terminal.ts";

useServeProcesses();

describe("serve of a URL", () => {
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
    expect(err).toMatch(/cannot fetch .*; what was kept is refused: the bundle is not signed/);
    chmodSync(kept, 0o777);
    expect(await portcullis("serve", server.url, ...flags)).toMatchObject({
      code: 2,
      err: expect.stringContaining("other users may write into"),
    });
    expect(await portcullis("serve", server.url, "--persist", kept)).toMatchObject({ code: 2 });
    expect(await portcullis("serve", server.url, "--follow", "9", "--persist", file)).toMatchObject({
      code: 2,
      err: expect.stringContaining("`mkdir -m 700` it"),
    });
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
});

/** A registry that lies, breaks off and leads elsewhere: nothing is taken, and no other server is shown who asks. */

import { createHash } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ociSource, pushBundle } from "@portcullis/runtime/node";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type OciRef, ociRef, originOf } from "../../../runtime/node/registry.ts";

const never = new AbortController().signal;
const bundle = Buffer.from("these are the bytes of a bundle");
const digestOf = (bytes: Uint8Array): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
const LAYER = "application/vnd.oci.image.layer.v1.tar+gzip";
const layer = { mediaType: LAYER, digest: digestOf(bundle), size: bundle.length };
const manifestOf = (...layers: object[]): string => JSON.stringify({ schemaVersion: 2, layers });

interface Seen {
  readonly path: string;
  readonly method: string;
  readonly authorization: string | undefined;
}
type Answers = (request: IncomingMessage, response: ServerResponse, host: string) => unknown;

const servers: Server[] = [];
const folder = mkdtempSync(join(tmpdir(), "portcullis-docker-"));
beforeEach(() => void vi.stubEnv("DOCKER_CONFIG", folder));
afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections();
  rmSync(join(folder, "config.json"), { force: true });
  vi.unstubAllEnvs();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function serverOf(answers: Answers): Promise<{ readonly host: string; readonly seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const { url: path = "", method = "", headers } = request;
    seen.push({ path, method, authorization: headers.authorization });
    request.resume();
    answers(request, response, host);
  }).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, seen };
}

/** A registry with one bundle, by any tag. */
const good =
  (manifest = manifestOf(layer), blob: Uint8Array = bundle): Answers =>
  (request, response) =>
    void response.end(request.url?.includes("/blobs/") ? blob : manifest);

function login(host: string, more: object = {}): void {
  const auth = Buffer.from("ann:secret").toString("base64");
  writeFileSync(join(folder, "config.json"), JSON.stringify({ auths: { [host]: { auth } }, ...more }));
}

describe("a reference", () => {
  it.each<[string, Partial<OciRef>]>([
    [
      "oci://registry.example/policies/newsroom",
      { host: "registry.example", repository: "policies/newsroom", tag: "latest" },
    ],
    ["oci://127.0.0.1:5000/a:v1.2_x", { host: "127.0.0.1:5000", repository: "a", tag: "v1.2_x" }],
    [`oci://r.example/a/b@sha256:${"0".repeat(64)}`, { digest: `sha256:${"0".repeat(64)}` }],
    [`oci://r.example/a/b:t@sha256:${"0".repeat(64)}`, { tag: "t", digest: `sha256:${"0".repeat(64)}` }],
  ])("%s is read", (text, parts) => {
    expect(ociRef(text)).toMatchObject(parts);
  });

  it.each([
    "registry.example/a",
    "oci://registry.example",
    "oci://registry.example/",
    "oci://registry.example/A",
    "oci://registry.example/../a",
    "oci://registry.example/a/../../b",
    "oci://registry.example/a//b",
    "oci://user:secret@registry.example/a",
    "oci://registry.example/a?x",
    "oci://registry.example/a#x",
    "oci://registry.example/a:t@sha256:0",
    "oci://registry.example/a@sha512:00",
    "oci://registry.example/a:t/../x",
    "oci://registry.example/a\nb",
  ])("%j is refused", (text) => {
    expect(() => ociSource(text)).toThrow(TypeError);
  });

  it("leads to TLS, but on this machine", () => {
    const origin = (host: string): string => originOf(ociRef(`oci://${host}/a`));
    expect(origin("registry.example")).toBe("https://registry.example");
    expect(origin("127.0.0.1.example")).toBe("https://127.0.0.1.example");
    expect(origin("localhost.example:5000")).toBe("https://localhost.example:5000");
    expect(origin("localhost:5000")).toBe("http://localhost:5000");
    expect(origin("127.0.0.1:5000")).toBe("http://127.0.0.1:5000");
  });
});

describe("ociSource", () => {
  it("gives the bundle, and the digest of its manifest as the tag", async () => {
    const { host } = await serverOf(good());
    const fetched = await ociSource(`oci://${host}/a`).fetch(undefined, never);
    expect(Buffer.from(fetched.bytes ?? [])).toEqual(bundle);
    expect(fetched.tag).toBe(digestOf(Buffer.from(manifestOf(layer))));
  });

  const spoiled = Buffer.from(bundle);
  spoiled[3] = 0;
  it.each<[string, Answers, string]>([
    ["other bytes of the same length", good(undefined, spoiled), "digest"],
    ["a part of the bytes", good(undefined, bundle.subarray(0, 10)), "digest"],
    ["more bytes than the manifest says", good(undefined, Buffer.concat([bundle, bundle])), "too-large"],
    ["a manifest without a layer", good(manifestOf()), "status"],
    [
      "a manifest with a layer of another kind",
      good(manifestOf({ ...layer, mediaType: "application/gzip" })),
      "status",
    ],
    ["two bundles", good(manifestOf(layer, layer)), "status"],
    ["a digest of another form", good(manifestOf({ ...layer, digest: "../../v2/other/blobs/x" })), "status"],
    ["a size that is not one", good(manifestOf({ ...layer, size: "1" })), "status"],
    ["a layer over the limit", good(manifestOf({ ...layer, size: 2 ** 40 })), "too-large"],
    ["a manifest that is not JSON", good("{"), "status"],
    ["layers that are not a list", good('{"layers":{"length":1}}'), "status"],
    ["null in place of a layer", good('{"layers":[null]}'), "status"],
    ["no manifest", (_, response) => response.writeHead(404).end(), "status"],
    [
      "an answer that breaks off",
      (_, response) => response.writeHead(200, { "content-length": 99 }).write("{", () => response.destroy()),
      "unreachable",
    ],
  ])("refuses %s", async (_, answers, code) => {
    const { host } = await serverOf(answers);
    await expect(ociSource(`oci://${host}/a`).fetch(undefined, never)).rejects.toMatchObject({
      name: "SourceError",
      code,
    });
  });

  it("refuses another manifest than that of the digest", async () => {
    const { host, seen } = await serverOf(good());
    const source = ociSource(`oci://${host}/a:t@sha256:${"0".repeat(64)}`);
    await expect(source.fetch(undefined, never)).rejects.toMatchObject({ code: "digest" });
    // Also where it is asked again with the tag of what it was given.
    await expect(source.fetch(digestOf(Buffer.from(manifestOf(layer))), never)).rejects.toMatchObject({
      code: "digest",
    });
    expect(seen.every(({ path }) => path.endsWith(`/manifests/sha256:${"0".repeat(64)}`))).toBe(true);
  });
});

describe("who asks", () => {
  const basic = `Basic ${Buffer.from("ann:secret").toString("base64")}`;
  const challenges =
    (challenge: string, wanted: string, then = good()): Answers =>
    (request, response, host) =>
      request.headers.authorization === wanted
        ? then(request, response, host)
        : response.writeHead(401, { "www-authenticate": challenge.replace("HOST", host) }).end();

  it("is shown to the registry alone, and not to where its blobs are", async () => {
    const store = await serverOf((_, response) => response.end(bundle));
    const { host, seen } = await serverOf(
      challenges('Basic realm="x"', basic, (request, response) =>
        request.url?.includes("/blobs/")
          ? response.writeHead(307, { location: `http://${store.host}/bytes` }).end()
          : response.end(manifestOf(layer)),
      ),
    );
    login(host);
    expect(Buffer.from((await ociSource(`oci://${host}/a`).fetch(undefined, never)).bytes ?? [])).toEqual(bundle);
    // Not before it is asked for.
    expect(seen.map(({ authorization }) => authorization)).toEqual([undefined, basic, basic]);
    expect(store.seen).toEqual([{ path: "/bytes", method: "GET", authorization: undefined }]);
  });

  it("is not shown to a place of tokens without TLS that is not the registry", async () => {
    const thief = await serverOf((_, response) => response.end('{"token":"t"}'));
    const { host } = await serverOf(challenges(`Bearer realm="http://${thief.host}/token",service="s"`, "Bearer t"));
    login(host);
    await expect(ociSource(`oci://${host}/a`).fetch(undefined, never)).rejects.toMatchObject({ code: "status" });
    expect(thief.seen).toEqual([]);
  });

  it("gets a token for what it asks for", async () => {
    const { host, seen } = await serverOf((request, response, own) => {
      if (request.url?.startsWith("/token"))
        return response.end(request.headers.authorization === basic ? '{"token":"t"}' : "{}");
      return challenges('Bearer realm="http://HOST/token",service="s",scope="repository:a:pull"', "Bearer t")(
        request,
        response,
        own,
      );
    });
    login(host);
    expect((await ociSource(`oci://${host}/a`).fetch(undefined, never)).tag).toBeDefined();
    expect(seen.find(({ path }) => path.startsWith("/token"))?.path).toBe(
      "/token?service=s&scope=repository%3Aa%3Apull",
    );
  });

  it("takes no token of an answer without end", async () => {
    let sent = 0;
    const { host } = await serverOf((request, response, own) => {
      if (request.url?.startsWith("/token") !== true) {
        challenges('Bearer realm="http://HOST/token"', "Bearer t")(request, response, own);
        return;
      }
      const part = Buffer.alloc(1 << 20, " ");
      const send = (): void => {
        while (sent < 1 << 26) {
          sent += part.length;
          if (!response.write(part)) return;
        }
        response.end('{"token":"t"}');
      };
      response.on("drain", send);
      send();
    });
    await expect(ociSource(`oci://${host}/a`).fetch(undefined, never)).rejects.toMatchObject({ code: "too-large" });
    expect(sent).toBeLessThan(1 << 25);
  });

  it.each(["", "Bearer", 'Bearer realm="not a url"', "Negotiate"])(
    "is not told by a challenge like %j",
    async (challenge) => {
      const { host, seen } = await serverOf((_, response) =>
        response.writeHead(401, challenge === "" ? {} : { "www-authenticate": challenge }).end(),
      );
      login(host);
      await expect(ociSource(`oci://${host}/a`).fetch(undefined, never)).rejects.toMatchObject({ code: "status" });
      expect(seen.every(({ authorization }) => authorization === undefined)).toBe(true);
    },
  );

  it("is not told to a registry whose host has no credentials, and wrong ones are not tried without end", async () => {
    const { host, seen } = await serverOf(challenges('Basic realm="x"', "Basic other"));
    login("other.example");
    await expect(ociSource(`oci://${host}/a`).fetch(undefined, never)).rejects.toMatchObject({ code: "status" });
    login(host);
    await expect(ociSource(`oci://${host}/a`).fetch(undefined, never)).rejects.toMatchObject({ code: "status" });
    expect(seen.map(({ authorization }) => authorization)).toEqual([undefined, undefined, basic]);
  });

  it.skipIf(process.platform === "win32")(
    "is asked of the helper that the configuration names, and of no path",
    async () => {
      const helper = join(folder, "docker-credential-kept");
      writeFileSync(helper, '#!/bin/sh\nread host\nprintf \'{"Username":"ann","Secret":"secret"}\'\n');
      chmodSync(helper, 0o700);
      vi.stubEnv("PATH", `${folder}:${process.env["PATH"]}`);
      const { host } = await serverOf(challenges('Basic realm="x"', basic));
      writeFileSync(join(folder, "config.json"), JSON.stringify({ credHelpers: { [host]: "kept" } }));
      expect((await ociSource(`oci://${host}/a`).fetch(undefined, never)).tag).toBeDefined();
      for (const name of ["absent", "../kept", "kept; true"]) {
        writeFileSync(join(folder, "config.json"), JSON.stringify({ credsStore: name }));
        await expect(ociSource(`oci://${host}/a`).fetch(undefined, never)).rejects.toMatchObject({
          code: "unreachable",
        });
      }
    },
  );
});

describe("pushBundle", () => {
  it("sends nothing elsewhere, wherever the registry leads", async () => {
    const thief = await serverOf((_, response) => response.writeHead(201).end());
    const { host } = await serverOf((request, response) => {
      if (request.method === "HEAD") return response.writeHead(404).end();
      return response.writeHead(202, { location: `http://${thief.host}/upload` }).end();
    });
    login(host);
    await expect(pushBundle(`oci://${host}/a`, bundle)).rejects.toMatchObject({ code: "status" });
    const redirecting = await serverOf((_, response) =>
      response.writeHead(307, { location: `http://${thief.host}/` }).end(),
    );
    await expect(pushBundle(`oci://${redirecting.host}/a`, bundle)).rejects.toMatchObject({ code: "unreachable" });
    expect(thief.seen).toEqual([]);
  });

  it("puts no manifest where a part is not taken", async () => {
    const { host, seen } = await serverOf((request, response) => {
      if (request.method === "HEAD") return response.writeHead(404).end();
      if (request.method === "POST") return response.writeHead(202, { location: "/upload?state=1" }).end();
      return response.writeHead(request.url?.includes(layer.digest.slice(7)) ? 507 : 201).end();
    });
    await expect(pushBundle(`oci://${host}/a`, bundle)).rejects.toMatchObject({ code: "status" });
    expect(seen.some(({ path }) => path.includes("/manifests/"))).toBe(false);
    await expect(pushBundle(`oci://${host}/a@sha256:${"0".repeat(64)}`, bundle)).rejects.toThrow(TypeError);
  });
});

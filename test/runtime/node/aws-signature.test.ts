/**
 * Signed requests to object stores: AWS's own examples, and a store of this machine that works out each signature by itself, and by
 * botocore's where Python has it.
 */

import { spawnSync } from "node:child_process";
import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { httpSource } from "@portcullis/runtime";
import { awsSignature } from "@portcullis/runtime/node";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";

/** https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html */
const EXAMPLE = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
};
const HOST = "https://examplebucket.s3.amazonaws.com";
const TOKEN = "session/token+of=one";
const never = new AbortController().signal;

describe("awsSignature", () => {
  it.each([
    ["/?lifecycle", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"],
    ["/?max-keys=2&prefix=J", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"],
  ])("signs AWS's example %s as AWS says", async (path, signature) => {
    const sign = awsSignature({ region: "us-east-1", credentials: () => EXAMPLE });
    const headers = await sign({ url: HOST + path, date: new Date("2013-05-24T00:00:00Z") });
    expect(headers["authorization"]).toContain(`Signature=${signature}`);
    expect(headers["x-amz-date"]).toBe("20130524T000000Z");
  });

  it("has no signature without credentials, or without a region", async () => {
    for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) vi.stubEnv(name, "");
    await expect(awsSignature({ region: "r" })({ url: HOST })).rejects.toThrow("there are no AWS_ACCESS_KEY_ID");
    vi.stubEnv("AWS_ACCESS_KEY_ID", "A");
    await expect(awsSignature({ region: "r" })({ url: HOST })).rejects.toThrow("there are no AWS_ACCESS_KEY_ID");
    vi.unstubAllEnvs();
    for (const options of [{}, { region: "" }, { region: "r", regoin: "s" }])
      expect(() => awsSignature(options as never)).toThrow(TypeError);
  });
});

/** The signature of a request by its parts alone: https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html */
function expected(request: IncomingMessage, secret: string): string {
  const { authorization = "" } = request.headers;
  const [, scope = "", names = ""] = /Credential=[^/]+\/([^,]+), SignedHeaders=([^,]+)/.exec(authorization) ?? [];
  const { pathname, searchParams } = new URL(`http://x${request.url}`);
  const query = [...searchParams].map((pair) => pair.map(encodeURIComponent).join("=")).sort();
  const headers = names.split(";").map((name) => `${name}:${String(request.headers[name]).trim()}\n`);
  const hash = String(request.headers["x-amz-content-sha256"]);
  const canonical = [request.method, pathname, query.join("&"), headers.join(""), names, hash].join("\n");
  const digest = createHash("sha256").update(canonical).digest("hex");
  const text = ["AWS4-HMAC-SHA256", request.headers["x-amz-date"], scope, digest].join("\n");
  const hmac = (key: string | Buffer, value: string): Buffer => createHmac("sha256", key).update(value).digest();
  const key = scope.split("/").reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return hmac(key, text).toString("hex");
}

const BOTOCORE = `
import json, sys, datetime
import botocore.auth, botocore.awsrequest, botocore.credentials
asked = json.load(sys.stdin)
class Then(datetime.datetime):
    @classmethod
    def utcnow(cls): return cls.strptime(asked["date"], "%Y%m%dT%H%M%SZ")
    @classmethod
    def now(cls, tz=None): return cls.strptime(asked["date"], "%Y%m%dT%H%M%SZ")
botocore.auth.datetime.datetime = Then if hasattr(botocore.auth.datetime, "datetime") else Then
if hasattr(botocore.auth, "get_current_datetime"): botocore.auth.get_current_datetime = lambda *a, **k: Then.now()
request = botocore.awsrequest.AWSRequest("GET", asked["url"], headers={})
botocore.auth.S3SigV4Auth(botocore.credentials.Credentials(asked["id"], asked["secret"], asked["token"]), "s3", asked["region"]).add_auth(request)
print(request.headers["Authorization"])
`;
const python = process.env["PORTCULLIS_BOTOCORE"] ?? "python3";
const hasBotocore = spawnSync(python, ["-c", "import botocore.auth"]).status === 0;
if (!hasBotocore)
  process.stderr.write(
    "SKIPPED, NOT TESTED: Python has no botocore (pip install botocore, PORTCULLIS_BOTOCORE=python)\n",
  );

describe("a private object store", () => {
  const asked: { readonly url: string; readonly headers: IncomingMessage["headers"] }[] = [];
  const foreign: IncomingMessage["headers"][] = [];
  const store = createServer((request, response) => {
    asked.push({ url: request.url ?? "", headers: request.headers });
    const { host = "", authorization = "" } = request.headers;
    const isSigned = authorization.endsWith(`Signature=${expected(request, EXAMPLE.secretAccessKey)}`);
    if (!isSigned || !authorization.includes("x-amz-security-token")) response.writeHead(403).end();
    else if (request.url?.startsWith("/moved")) {
      const { port } = elsewhere.address() as AddressInfo;
      response.writeHead(307, { location: `http://127.0.0.1:${port}/there` }).end();
    } else response.writeHead(200, { etag: `"${host}"` }).end("bundle");
  });
  const elsewhere = createServer((request, response) => {
    foreign.push(request.headers);
    response.end("elsewhere");
  });
  let base = "";
  beforeAll(async () => {
    for (const server of [store, elsewhere])
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    base = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
  });
  afterEach(() => asked.splice(0));
  afterAll(() => {
    for (const server of [store, elsewhere]) server.close();
  });
  const signing = (secretAccessKey = EXAMPLE.secretAccessKey) =>
    awsSignature({ region: "eu-central-1", credentials: () => ({ ...EXAMPLE, secretAccessKey, sessionToken: TOKEN }) });
  const PATHS = ["/bucket/bundle.tar.gz", "/bucket/a%20b/c%2Bd.tar.gz?versionId=a%2Fb&x=1"];

  it.each(PATHS)("gives %s to a caller that signs with the secret, and to no other", async (path) => {
    const good = httpSource(base + path, { headers: signing() });
    expect(new TextDecoder().decode((await good.fetch(undefined, never)).bytes)).toBe("bundle");
    const bad = httpSource(base + path, { headers: signing("another") });
    await expect(bad.fetch(undefined, never)).rejects.toMatchObject({ code: "status" });
    await expect(httpSource(base + path).fetch(undefined, never)).rejects.toMatchObject({ code: "status" });
  });

  it("signs with the credentials of the environment, asked each time", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", EXAMPLE.accessKeyId);
    vi.stubEnv("AWS_SESSION_TOKEN", TOKEN);
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "old");
    const source = httpSource(`${base}/bucket/b`, { headers: awsSignature({ region: "eu-central-1" }) });
    await expect(source.fetch(undefined, never)).rejects.toMatchObject({ code: "status" });
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", EXAMPLE.secretAccessKey);
    expect((await source.fetch(undefined, never)).bytes).toBeDefined();
    vi.unstubAllEnvs();
  });

  it("shows another origin neither the signature nor the token", async () => {
    await httpSource(`${base}/moved`, { headers: signing() }).fetch(undefined, never);
    expect(foreign.flatMap((headers) => Object.keys(headers)).filter((name) => /amz|authorization/.test(name))).toEqual(
      [],
    );
    expect(foreign.length).toBe(1);
  });

  it.skipIf(!hasBotocore).each(PATHS)("is asked for %s as botocore asks", async (path) => {
    await httpSource(base + path, { headers: signing() }).fetch(undefined, never);
    const [{ url, headers } = { url: "", headers: {} as IncomingMessage["headers"] }] = asked;
    const input = JSON.stringify({
      ...{ url: base + url, date: headers["x-amz-date"], id: EXAMPLE.accessKeyId },
      ...{ secret: EXAMPLE.secretAccessKey, token: TOKEN, region: "eu-central-1" },
    });
    const { stdout, stderr } = spawnSync(python, ["-c", BOTOCORE], { input, encoding: "utf8" });
    expect(stdout.trim(), stderr).toBe(headers.authorization);
  });
});

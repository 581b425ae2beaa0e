/**
 * Envoy's external authorization by a real Envoy, over gRPC and HTTP: what passes is what the runtime allows for the same request, and
 * nothing passes without an answer.
 */

import { readFileSync } from "node:fs";
import { Agent, request as httpRequest } from "node:http";
import { load, type Policy } from "@portcullis/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CheckServerError, type Server } from "../../../compiler/enforcement/serving/index.ts";
import { runs, SEED } from "../../campaign.ts";
import { freePort } from "../../free-port.ts";
import { HAS_ENVOY, type RunningEnvoy, startEnvoy, tokenWith, WITHOUT_ENVOY } from "./envoy-server.ts";
import { servedExample } from "./served.ts";

const hasGrpc = await import("@grpc/grpc-js").then(
  () => true,
  () => false,
);
const WITHOUT = HAS_ENVOY ? "SKIPPED, NOT TESTED: @grpc/grpc-js is not installed" : WITHOUT_ENVOY;
const isTested = HAS_ENVOY && hasGrpc;
if (!isTested) process.stderr.write(`${WITHOUT}\n`);

const TOKEN = "0123456789abcdef0123";
const { served } = servedExample();
const desk = JSON.stringify([{ agent_type: "news_desk", spawn_depth: 0 }]);

let plain: Policy;
beforeAll(async () => {
  plain = await load(readFileSync("generated/bundle.tar.gz"));
});

interface Request {
  readonly method: string;
  readonly path: string;
  readonly claims: {
    readonly role?: string;
    readonly run?: string;
    readonly lineage?: string;
    readonly approval?: string;
  };
  readonly body?: string;
  readonly type?: string;
}

const CHOICES = {
  method: ["GET", "POST", "POST", "PUT"],
  path: [
    "/stories/s-1/archive",
    "/stories/s-1/archive?year=1999",
    "/stories/s-1/archive?yeer=1999",
    "/stories/s-1/archive?year=1999&year=2000",
    "/stories/s-1/drafts",
    "/contributors/c-9/payouts",
    "/contributors/c-9/payouts?amount_cents=1",
    "/nowhere",
  ],
  role: ["WRITER", "RESEARCHER", "COPY_EDITOR", "ROYALTIES_CLERK", "NO_SUCH", undefined],
  run: ["r-7", "r-7", undefined],
  lineage: [desk, desk, "[]", "{", undefined],
  body: [
    '{"amount_cents":500}',
    '{"amount_cents":1,"amount_cents":500}',
    "[1]",
    "{",
    '{"amount_cents":1e400}',
    undefined,
  ],
  type: ["application/json", "application/json; charset=utf-8", "text/plain"],
} as const;

/** Requests from a seed. */
function* requests(count: number): Generator<Request> {
  let state = SEED >>> 0;
  const one = <T>(list: readonly T[]): T => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return list[Math.floor((state / 2 ** 32) * list.length)] as T;
  };
  for (let i = 0; i < count; i++) {
    const { method, path, role, run, lineage, body, type } = CHOICES;
    const claims = { role: one(role), run: one(run), lineage: one(lineage) };
    const known = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
    const [verb, text] = [one(method), one(body)];
    const payload = verb === "GET" || text === undefined ? {} : { body: text, type: one(type) };
    yield { method: verb, path: one(path), claims: known, ...payload };
  }
}

/** What the runtime says of it, asked without any of what is between. */
function decided({ method, path, claims, body, type }: Request): { readonly allowed: boolean; readonly told: object } {
  const named = Object.entries(claims).map(([name, value]) => [`x-saltmarsh-${name}`, value]);
  const headers = Object.fromEntries(type === undefined ? named : [...named, ["content-type", type]]);
  // Two members of one name, and a number beyond doubles, are read differently by different readers: it is as if there were no body.
  const isOne = body !== undefined && !/amount_cents.*amount_cents|1e400/.test(body) && body !== "{";
  const parsed = isOne && type !== "text/plain" ? { parsed_body: JSON.parse(body) as unknown } : {};
  const input = { attributes: { request: { http: { method, path, headers } } }, ...parsed };
  const verdict = plain.evaluate("portcullis/envoy/authz", input) as { allowed: boolean; gate: string; reason: string };
  return { allowed: verdict.allowed, told: { gate: verdict.gate, reason: verdict.reason } };
}

const agent = new Agent({ keepAlive: true });
const tokens = new Map<string, string>();
function tokenOf(claims: Request["claims"]): string {
  const name = JSON.stringify(claims);
  const token = tokens.get(name) ?? tokenWith(claims);
  tokens.set(name, token);
  return token;
}

/** As it is written: `fetch` would tidy the path. The client claims to be an editor, too. */
function send(
  envoy: RunningEnvoy,
  { method, path, claims, body, type }: Omit<Request, "body"> & { readonly body?: string | Buffer },
  more = {},
): Promise<{ status: number; text: string }> {
  const headers = {
    authorization: `Bearer ${tokenOf(claims)}`,
    ...{ "x-saltmarsh-role": "EDITOR_IN_CHIEF", "x-saltmarsh-run": "r-1", "x-saltmarsh-lineage": desk },
    ...(type === undefined ? {} : { "content-type": type }),
    ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }),
    ...more,
  };
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: "127.0.0.1", port: envoy.port, method, path, headers, agent }, (response) => {
      let text = "";
      response.on("data", (bytes: Buffer) => void (text += bytes));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    request.on("error", reject);
    request.end(body);
  });
}

const draft: Request = {
  ...{ method: "POST", path: "/stories/s-1/drafts", claims: { role: "WRITER", run: "r-7", lineage: desk } },
  ...{ body: "{}", type: "application/json" },
};

describe.skipIf(!isTested).each(["grpc", "http"] as const)(isTested ? "Envoy over %s" : WITHOUT, (over) => {
  let server: Server;
  let envoy: RunningEnvoy;
  beforeAll(async () => {
    const grpcPort = await freePort();
    server = await served({ token: TOKEN, requestMs: 10_000, checks: `127.0.0.1:${grpcPort}` });
    const port = over === "grpc" ? grpcPort : Number(new URL(server.url).port);
    envoy = await startEnvoy({ over, port, token: TOKEN });
  });
  afterAll(async () => {
    await envoy?.stop();
  });

  it("lets pass what the runtime allows, and says why it does not", { timeout: 1_800_000 }, async () => {
    const seen = { allowed: 0, denied: 0 };
    for (const request of [draft, ...requests(runs(10_000))]) {
      const { allowed, told } = decided(request);
      const before = envoy.passed.length;
      const { status, text } = await send(envoy, request);
      const what = JSON.stringify({ ...request, status, text, told });
      expect(status, what).toBe(allowed ? 200 : 403);
      expect(envoy.passed.length - before, what).toBe(allowed ? 1 : 0);
      if (!allowed) expect(JSON.parse(text), what).toEqual(told);
      seen[allowed ? "allowed" : "denied"]++;
    }
    expect(seen.allowed).toBeGreaterThan(0);
    expect(seen.denied).toBeGreaterThan(0);
  });

  it.each<[string, Partial<Request>, object?]>([
    ["an escape", { path: "/stories/s%241/drafts" }],
    ["an escaped slash", { path: "/stories/s-1%2fdrafts" }],
    ["two slashes", { path: "/stories//drafts" }],
    ["a slash at the end", { path: "/stories/s-1/drafts/" }],
    ["a fragment", { path: "/stories/s-1/drafts?x#y" }],
    ["a semicolon", { path: "/stories/s-1;a/drafts" }],
    [
      "a body that is not the whole of it",
      { path: "/contributors/c-9/payouts", body: `{"a":"${"x".repeat(70_000)}"}` },
    ],
    [
      "a header that says that a body is not whole",
      { path: "/contributors/c-9/payouts" },
      { "x-envoy-auth-partial-body": "false" },
    ],
    ["packed JSON", { path: "/contributors/c-9/payouts" }, { "content-encoding": "gzip" }],
  ])("lets no request pass that has %s", async (_, changed, more) => {
    const before = envoy.passed.length;
    const { status } = await send(envoy, { ...draft, ...changed }, more);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(envoy.passed.length).toBe(before);
  });

  it("passes on no header that would lead to another request", async () => {
    const paths = ["x-original-url", "x-rewrite-url", "x-envoy-original-path"].map((name) => [name, "/nowhere"]);
    const methods = ["x-http-method", "x-http-method-override", "x-method-override"].map((name) => [name, "DELETE"]);
    const more = Object.fromEntries([...paths, ...methods, ["x-other", "a"]]);
    expect(await send(envoy, draft, more)).toEqual({ status: 200, text: "passed" });
    expect(envoy.headers().filter((name) => name in more)).toEqual(["x-other"]);
  });

  it("lets no body pass but the one that was decided", async () => {
    const claims = { role: "RIGHTS_CLERK", run: "r-7", lineage: desk.replace("news", "rights") };
    const payout = { ...draft, path: "/contributors/c-9/payouts", claims };
    const body = '{"amount_cents":500,"note":"now!"}';
    expect((await send(envoy, { ...payout, body })).status).toBe(200);
    const before = envoy.passed.length;
    // Latin-1: Envoy would show the policy `!` in its place.
    const { status, text } = await send(envoy, { ...payout, body: Buffer.from(body.replace("!", "\xff"), "latin1") });
    expect([status, JSON.parse(text)]).toEqual([403, { gate: "REQUEST", reason: "body_not_understood" }]);
    expect(envoy.passed.length).toBe(before);
  });

  it("lets nothing pass without an answer", async () => {
    expect(await send(envoy, draft)).toEqual({ status: 200, text: "passed" });
    await server.close();
    const before = envoy.passed.length;
    expect((await send(envoy, draft)).status).toBe(403);
    expect(envoy.passed.length).toBe(before);
  });
});

describe.skipIf(!isTested)(isTested ? "a check" : WITHOUT, () => {
  it("needs the token, where there is one", async () => {
    const grpcPort = await freePort();
    await served({ token: TOKEN, requestMs: 10_000, checks: `127.0.0.1:${grpcPort}` });
    const envoy = await startEnvoy({ over: "grpc", port: grpcPort, token: `${TOKEN}4` });
    try {
      expect((await send(envoy, draft)).status).toBe(403);
      expect(envoy.passed).toEqual([]);
    } finally {
      await envoy.stop();
    }
  });

  it("is refused as 503 while the policy is stale", async () => {
    const grpcPort = await freePort();
    const fault = { code: "stale", message: "stale" };
    const stale = { evaluateJson: () => undefined, lastFault: fault, roots: [], entrypoints: [] } as unknown as Policy;
    await served({ served: () => ({ policy: stale }), requestMs: 10_000, checks: `127.0.0.1:${grpcPort}` });
    const envoy = await startEnvoy({ over: "grpc", port: grpcPort, token: undefined });
    try {
      expect(await send(envoy, draft)).toEqual({ status: 503, text: '{"gate":"INTERNAL_ERROR","reason":"stale"}' });
      expect(envoy.passed).toEqual([]);
    } finally {
      await envoy.stop();
    }
  });
});

it.skipIf(hasGrpc)("says which packages gRPC needs", async () => {
  await expect(served({ checks: "127.0.0.1:0" })).rejects.toThrow(CheckServerError);
});

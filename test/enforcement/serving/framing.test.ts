/** Requests as bytes: where two readers could see two requests there is one answer, OPA's, or a refusal. And the end of serving. */

import { request } from "node:http";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { ServeOptions, Server } from "../../../compiler/enforcement/serving/index.ts";
import { cpuMs } from "../../cpu-time.ts";
import { servedExample } from "./served.ts";

const LANE = "/v1/data/portcullis/lane/decision";
const ALLOWED = { role: "WRITER", lane: "DRAFTING" };
const ASK = JSON.stringify({ input: ALLOWED });

const { policy, served: example } = servedExample();
const served = (options: Partial<ServeOptions> = {}): Promise<Server> => example({ graceMs: 2000, ...options });

function raw({ url }: Server, ...pieces: (string | Uint8Array)[]): Promise<string> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    let text = "";
    socket.on("data", (chunk) => void (text += chunk));
    socket.on("error", () => resolve(text));
    socket.on("close", () => resolve(text));
    for (const piece of pieces) socket.write(piece);
  });
}

/** A server, a path that it allows, and a number for each request that it was about to decide. */
async function counting(
  options: Partial<ServeOptions> = {},
): Promise<{ server: Server; path: string; seen: number[] }> {
  const seen: number[] = [];
  const server = await served({
    ...options,
    served: () => {
      seen.push(seen.length);
      return { policy: policy() };
    },
  });
  return { server, path: `${LANE}?input=${encodeURIComponent(JSON.stringify(ALLOWED))}`, seen };
}

const head = (...lines: string[]): string =>
  [`POST ${LANE} HTTP/1.1`, "Host: x", "Connection: close", ...lines, "", ""].join("\r\n");
const chunked = `${ASK.length.toString(16)}\r\n${ASK}\r\n0\r\n\r\n`;

async function answerTo(body: string): Promise<unknown> {
  const { url } = await served();
  return (await (await fetch(url + LANE, { method: "POST", body })).json()) as unknown;
}

it("looks for an entrypoint in no more of a long path than one can have", async () => {
  const { url } = await served();
  const before = cpuMs();
  const told = await fetch(`${url}/v1/data${"/a".repeat(7900)}`);
  expect([told.status, await told.text()]).toEqual([200, "{}\n"]);
  // Two seconds before.
  expect(cpuMs() - before).toBeLessThan(500);
});

describe("framing", () => {
  it.each([
    ["a length and chunks", head("Transfer-Encoding: chunked", "Content-Length: 5"), chunked],
    ["two lengths", head("Content-Length: 5", `Content-Length: ${ASK.length}`), ASK],
    ["a coding before the chunks", head("Transfer-Encoding: gzip, chunked"), chunked],
    ["an unknown coding", head("Transfer-Encoding: xchunked"), chunked],
    ["an unknown expectation", head("Expect: nothing", `Content-Length: ${ASK.length}`), ASK],
    ["a folded header", head("X: y\r\n z", `Content-Length: ${ASK.length}`).replace("X: y\r\n z", "X\r\n y"), ASK],
  ])("refuses %s", async (_, ...pieces) => {
    const answer = await raw(await served(), ...pieces);
    expect(answer).toMatch(/^HTTP\/1.1 (400|417|501) /);
    expect(answer).not.toContain("result");
  });

  it.each([
    ["two hosts", "HTTP/1.1", ["Host: x", "Host: x"], 400],
    ["a host with a blank", "HTTP/1.1", ["Host: a b"], 400],
    ["a host with a user", "HTTP/1.1", ["Host: a@b"], 400],
    ["HTTP/2 without its preface", "HTTP/2.0", ["Host: x"], 505],
    ["HTTP/0.9 with a version", "HTTP/0.9", ["Host: x"], 505],
    ["chunks of HTTP/1.0", "HTTP/1.0", ["Host: x", "Transfer-Encoding: chunked"], 400],
  ])("refuses %s", async (_, version, lines, status) => {
    const length = lines.some((line) => line.startsWith("Transfer")) ? [] : [`Content-Length: ${ASK.length}`];
    const ask = [`POST ${LANE} ${version}`, "Connection: close", ...lines, ...length, "", ""].join("\r\n");
    const answer = await raw(await served(), ask, length.length === 0 ? chunked : ASK);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).not.toContain("result");
  });

  // RFC 9112, 3.2.2. The answers are OPA's.
  it.each([
    [`http://host${LANE}`, 200],
    [`HTTPS://[::1]:80${LANE}?pretty=false`, 200],
    [`http://a:b@host${LANE}`, 200],
    ["http://host", 307],
    ["http://host/v1/../v1/data", 307],
    ["http://host/nowhere", 404],
    [`http://host:port${LANE}`, 400],
    [`http://[::1${LANE}`, 400],
    [`://host${LANE}`, 400],
    [`1http://host${LANE}`, 400],
  ])("answers the target %s with %i", async (target, status) => {
    const lines = ["Host: x", "Connection: close", `Content-Length: ${ASK.length}`, "", ""];
    const answer = await raw(await served(), [`POST ${target} HTTP/1.1`, ...lines].join("\r\n"), ASK);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer.includes('"allowed":true')).toBe(status === 200);
    if (status === 307) expect(answer).toMatch(/^Location: \/(v1\/data)?\r$/m);
  });

  it("asks for the token of a proxy's target, too", async () => {
    const answer = await raw(
      await served({ token: "a".repeat(16) }),
      `GET http://host${LANE} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 401 /);
  });

  it("says of a body that nests too deep that it is no JSON", async () => {
    const answer = await raw(
      await served({ maxBodyBytes: 100_000 }),
      head("Content-Length: 50000"),
      "[".repeat(50_000),
    );
    expect(answer).toMatch(/^HTTP\/1.1 400 .*nested deeper/s);
  });

  it.each(["/\\\\elsewhere.example/.", "/./\\elsewhere.example"])(
    "redirects from %s to a path of its own",
    async (path) => {
      const answer = await raw(await served(), `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(answer).toMatch(/^Location: \/(%5C)+elsewhere\.example\r$/m);
    },
  );

  it("takes chunks, and a length with an expectation to go on", async () => {
    const server = await served();
    expect(await raw(server, head("Transfer-Encoding: chunked"), chunked)).toContain('"allowed":true');
    const expecting = await raw(server, head("Expect: 100-continue", `Content-Length: ${ASK.length}`), ASK);
    expect(expecting).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK\r\n/);
  });

  it("takes gzip as one or more members, and nothing behind them", async () => {
    const server = await served();
    const gzip = (...parts: Uint8Array[]): [string, Uint8Array] => {
      const body = Buffer.concat(parts);
      return [head("Content-Encoding: gzip", `Content-Length: ${body.length}`), body];
    };
    const halves = [gzipSync(ASK.slice(0, 9)), gzipSync(ASK.slice(9))];
    expect(await raw(server, ...gzip(...halves))).toContain('"allowed":true');
    for (const behind of [Buffer.alloc(1), Buffer.alloc(600), Buffer.from("junk")])
      expect(await raw(server, ...gzip(gzipSync(ASK), behind))).toMatch(/^HTTP\/1.1 400 /);
    expect(await raw(server, head("Content-Encoding:", `Content-Length: ${ASK.length}`), ASK)).toContain("true");
  });
});

describe("the member `input`", () => {
  const denied = { role: "STRANGER" };
  // Go reads members whatever their case, and the last one counts: https://pkg.go.dev/encoding/json#Unmarshal
  it.each<[object: string, input: object | null]>([
    [`{"Input": ${JSON.stringify(ALLOWED)}}`, ALLOWED],
    [`{"input": ${JSON.stringify(ALLOWED)}, "INPUT": ${JSON.stringify(denied)}}`, denied],
    [`{"iNpUt": ${JSON.stringify(denied)}, "input": ${JSON.stringify(ALLOWED)}}`, ALLOWED],
    [`{"input": ${JSON.stringify(ALLOWED)}, "Input": null}`, null],
    [`{"\\u0049nput": ${JSON.stringify(ALLOWED)}, "ınput": {}, "İnput": {}}`, ALLOWED],
  ])("of %s is OPA's", async (body, input) => {
    const answer = (await answerTo(body)) as { readonly result: unknown };
    expect(answer.result).toEqual(policy().evaluate("portcullis/lane/decision", input ?? undefined));
  });
});

describe("HEAD", () => {
  it.each(["/health", "/metrics"])("of %s is answered as GET, without the body", async (path) => {
    const { url } = await served();
    const response = await fetch(url + path, { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("");
  });
});

describe("ending", () => {
  it("answers a request whose body was still under way, and keeps no connection after it", async () => {
    const server = await served();
    const { port } = new URL(server.url);
    const asking = request({ port, method: "POST", path: LANE, agent: false, headers: { connection: "keep-alive" } });
    asking.write(ASK.slice(0, 9));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const closed = server.close();
    const answered = new Promise<string | undefined>((resolve, reject) => {
      asking.on("response", (response) => {
        response.resume();
        resolve(`${response.statusCode} ${response.headers.connection}`);
      });
      asking.on("error", reject);
    });
    asking.end(ASK.slice(9));
    expect(await answered).toBe("200 close");
    await closed;
  });
});

describe("requests that are sent ahead of the answers", () => {
  const token = "a".repeat(16);
  const bearing = `Authorization: Bearer ${token}`;
  const get = (path: string, ...lines: string[]): string =>
    [`GET ${path} HTTP/1.1`, "Host: x", ...lines, "", ""].join("\r\n");

  it("are answered in turn, and not decided behind one that ends the connection", async () => {
    const { server, seen } = await counting({ token });
    const answer = await raw(server, get(LANE, bearing) + get(LANE) + get(LANE, bearing));
    expect(answer.match(/^HTTP\/1.1 \d+/gm)).toEqual(["HTTP/1.1 200", "HTTP/1.1 401"]);
    expect(seen).toEqual([0]);
  });

  it.each([
    ["", []],
    ["of a request that ends the connection", ["Connection: close"]],
  ])("are answered before bytes behind them that are not HTTP %s", async (_, lines) => {
    const { server, path, seen } = await counting();
    const answer = await raw(server, `${get(path)}${get(path, ...lines)}NOT HTTP\r\n\r\n`);
    // What is decided is logged, and counted.
    expect([answer.match(/"allowed":true/g)?.length, seen.length]).toEqual([2, 2]);
    expect(answer.match(/^HTTP\/1.1 \d+/gm)?.slice(0, 2)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200"]);
  });

  it("are not waited for where one of them is not HTTP itself", async () => {
    const server = await served({ requestMs: 600_000 });
    const broken = [`POST ${LANE} HTTP/1.1`, "Host: x", "Transfer-Encoding: chunked", "", "no chunk", ""].join("\r\n");
    expect((await raw(server, get("/health") + broken)).match(/^HTTP\/1.1 \d+/gm)).toEqual([
      "HTTP/1.1 200",
      "HTTP/1.1 400",
    ]);
    expect((await raw(server, broken)).match(/^HTTP\/1.1 \d+/gm)).toEqual(["HTTP/1.1 400"]);
  });

  it("let others in between", async () => {
    const { server, path, seen } = await counting();
    const all = raw(server, get(path).repeat(89), get(path, "Connection: close"));
    while (seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(await raw(server, get("/health", "Connection: close"))).toMatch(/^HTTP\/1.1 200 /);
    expect(seen.length).toBeLessThan(60);
    expect((await all).match(/"allowed":true/g)?.length).toBe(90);
  });

  it("are not read without end while one waits", async () => {
    const server = await served({ graceMs: 10, requestMs: 600_000, metrics: () => new Promise<string>(() => {}) });
    // Before, each of them waited in memory.
    expect(await raw(server, get("/metrics"), ...Array.from({ length: 300 }, () => get("/health")))).toBe("");
  });
});

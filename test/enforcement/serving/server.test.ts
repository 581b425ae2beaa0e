/** The server by itself: what is not served is refused, a request without the token does not get in, and hostile HTTP ends in an error. */

import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { type DecisionEvent, load } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import type { ServeOptions, Server } from "../../../compiler/enforcement/serving/index.ts";
import { servedExample } from "./served.ts";

const LANE = "/v1/data/portcullis/lane/decision";
const ASK = JSON.stringify({ input: { role: "WRITER", lane: "DRAFTING" } });
const TOKEN = "0123456789abcdef0123";

const { served: example } = servedExample();
const served = (options: Partial<ServeOptions> = {}): Promise<Server> => example({ requestMs: 500, ...options });

const post = (body: BodyInit, headers: Record<string, string> = {}): RequestInit => ({ method: "POST", body, headers });

/** What comes back on a connection until it is closed. */
function raw(url: string, ...writes: (string | number)[]): Promise<string> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket: Socket = connect(Number(port), hostname);
    let text = "";
    socket.on("data", (chunk) => void (text += chunk));
    socket.on("error", () => resolve(text));
    socket.on("close", () => resolve(text));
    for (const write of writes) if (typeof write === "string") socket.write(write);
  });
}

describe("serve", () => {
  it.each<[path: string, status: number, init?: RequestInit]>([
    [`${LANE}?explain=full`, 400],
    [`${LANE}?strict-builtin-errors`, 400],
    ["/v1/data", 404],
    ["/v1/data/portcullis", 404],
    ["/v1/data/portcullis/lane", 404],
    ["/v1/data/portcullis/policy/roles", 404],
    ["/v1/data/portcullis/lane/decision/x/y", 200],
    [LANE, 405, { method: "PUT", body: "1" }],
    [LANE, 405, { method: "PATCH", body: "[]" }],
    [LANE, 405, { method: "DELETE" }],
    ["/health", 405, { method: "POST" }],
    ["/v1/query?q=1", 404],
    ["/v1/policies", 404],
    ["/v1/compile", 404, { method: "POST", body: "{}" }],
    ["/v0/data/portcullis/lane/decision", 405],
    ["/v0/data/portcullis/lane", 404, { method: "POST", body: "{}" }],
    ["/v0/data/portcullis/lane/decision/x", 404, { method: "POST", body: "{}" }],
    ["/v1/data/%ff", 400],
    ["/", 404],
    [LANE, 415, post("input: 1", { "Content-Type": "application/x-yaml" })],
    [LANE, 415, post(ASK, { "Content-Encoding": "br" })],
    [LANE, 400, post("xx", { "Content-Encoding": "gzip" })],
    [LANE, 400, post(new Uint8Array([0x22, 0xff, 0x22]))],
    [LANE, 400, post(`${ASK} x`)],
    [LANE, 413, post(JSON.stringify({ input: "x".repeat(20_000) }))],
    [LANE, 413, post(new Uint8Array(gzipSync(Buffer.alloc(1 << 26, " "))), { "Content-Encoding": "gzip" })],
    ["/access/v1/evaluation", 405],
  ])("%s is answered with %d", async (path, status, init) => {
    const { url } = await served();
    const response = await fetch(url + path, init);
    expect(response.status).toBe(status);
    const text = await response.text();
    if (status !== 200) expect(text).not.toContain('"result"');
  });

  it("asks for its token everywhere but at /health", async () => {
    const { url } = await served({ token: TOKEN });
    const status = async (path: string, authorization?: string): Promise<number> => {
      const headers = authorization === undefined ? {} : { Authorization: authorization };
      return (await fetch(url + path, { headers })).status;
    };
    expect(await status("/health")).toBe(200);
    for (const path of [LANE, "/metrics", "/access/v1/evaluation", "/nope"]) expect(await status(path)).toBe(401);
    for (const wrong of [
      "",
      "Bearer",
      "Bearer x",
      `Basic ${TOKEN}`,
      `Bearer ${TOKEN}0`,
      `Bearer ${TOKEN.slice(1)}`,
      TOKEN,
    ])
      expect(await status(LANE, wrong)).toBe(401);
    expect(await status(LANE, `Bearer ${TOKEN}`)).toBe(200);
  });

  it("answers with the id of the decision, where decisions are written down", async () => {
    const events: DecisionEvent[] = [];
    const heard = await load(readFileSync("generated/bundle.tar.gz"), { onDecision: (event) => events.push(event) });
    const { url } = await served({ served: () => ({ policy: heard }) });
    const ids: unknown[] = [];
    for (const path of [LANE, LANE, "/v1/data/no/such"]) {
      const answer = (await (await fetch(url + path, post(ASK))).json()) as Record<string, unknown>;
      ids.push(answer["decision_id"]);
      if (path === LANE) expect(Object.keys(answer)).toEqual(["decision_id", "result"]);
    }
    heard.events?.flush();
    expect(ids).toEqual([...events.map((event) => event.decision_id), undefined]);
    expect(new Set(ids).size).toBe(3);
  });

  it("gives metrics that count what it answered", async () => {
    const { url } = await served();
    await fetch(url + LANE, post(ASK));
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(text).toContain('portcullis_decisions_total{entrypoint="portcullis/lane/decision",outcome="allow"');
  });

  it("ends a text that is not HTTP, what does not arrive, and what never ends", async () => {
    const { url } = await served();
    const head = `POST ${LANE} HTTP/1.1\r\nHost: x\r\n`;
    expect(await raw(url, "hello\r\n\r\n")).toMatch(/^HTTP\/1.1 400 /);
    expect(await raw(url, `${head}X: ${"x".repeat(20_000)}\r\n\r\n`)).toMatch(/^HTTP\/1.1 4\d\d /);
    expect(await raw(url, `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 400 /,
    );
    // A head that does not end, and a body that does not come.
    for (const slow of [head, `${head}Content-Length: 100\r\n\r\n{`]) {
      // It ends at all: without a limit the connection would stay open until the test's own.
      expect(await raw(url, slow)).not.toContain("200 OK");
    }
    expect((await fetch(url + LANE, post(ASK))).status).toBe(200);
  });

  it("ends a connection whose client reads no answers", async () => {
    const { url } = await served({ requestMs: 100 });
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname).pause();
    const ended = new Promise((resolve) => socket.on("close", resolve).on("error", () => {}));
    // More answers than the buffers on the way hold.
    const requests = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2000);
    while (socket.write(requests) || socket.writableLength < 1 << 24);
    await ended;
    expect((await fetch(url + LANE, post(ASK))).status).toBe(200);
  });

  it("answers requests that come in one piece in their order", async () => {
    const { url } = await served();
    const ask = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n`;
    const text = await raw(url, `${ask("/health")}\r\n${ask("/nope")}\r\n${ask("/health")}Connection: close\r\n\r\n`);
    expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 404", "HTTP/1.1 200"]);
  });

  it("has room for this many connections, and closes the rest", async () => {
    const { url } = await served({ maxConnections: 20 });
    const ended: string[] = [];
    const idle = Array.from({ length: 300 }, () => raw(url, "").then((text) => ended.push(text)));
    await expect.poll(() => ended.length).toBeGreaterThanOrEqual(280);
    await Promise.all(idle);
    expect((await fetch(url + LANE, post(ASK))).status).toBe(200);
  });

  it("takes a body of 100 MB no further than its limit", async () => {
    const { url } = await served();
    const before = process.memoryUsage().rss;
    const large = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1 << 20)),
    });
    const answer = fetch(url + LANE, { ...post(large), duplex: "half" } as RequestInit).then(
      ({ status }) => status,
      () => "closed",
    );
    expect([413, "closed"]).toContain(await answer);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 << 20);
  });

  it("finishes what is under way when it is told to end, and no more", async () => {
    const server = await served({ graceMs: 1000 });
    const slow = raw(
      server.url,
      `POST ${LANE} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${ASK.length}\r\n\r\n${ASK}`,
    );
    await slow;
    await server.close();
    await expect(fetch(server.url + LANE)).rejects.toThrow();
    expect(await slow).toContain('"allowed":true');
  });
});

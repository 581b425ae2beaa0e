/** The gateway over HTTP against clients that want the server to read another request than the one that was decided: connections and headers. */

import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { cpuMs } from "../../cpu-time.ts";
import { call, done, gateways, idOf } from "./behind.ts";
import { type Behind, post, type Remote, say } from "./remote.ts";

const behind = gateways();
const text = JSON.stringify({ jsonrpc: "2.0", ...call(1) });

/** Bytes as they are, and the first answer to them; empty where the connection is closed without one. */
async function raw(of: Remote, ...lines: readonly string[]): Promise<string> {
  const socket = connect(Number(new URL(of.gateway.url).port), "127.0.0.1");
  await once(socket, "connect");
  socket.write(lines.join("\r\n"));
  let said = "";
  socket.on("data", (chunk: Buffer) => {
    said += chunk.toString();
    if (said.includes("\r\n\r\n")) socket.destroy();
  });
  await once(socket, "close");
  return said.split("\r\n", 1)[0] ?? "";
}
const HEAD = ["POST /mcp HTTP/1.1", "Host: localhost", "Content-Type: application/json"];

describe("two readers of one connection", () => {
  it.each([
    ["a length and chunks", ["Content-Length: 4", "Transfer-Encoding: chunked", "", "0", "", ""]],
    ["two lengths", ["Content-Length: 4", `Content-Length: ${text.length}`, "", text]],
    ["a malformed length", ["Content-Length: +4", "", text]],
    ["chunks that are not the last coding", ["Transfer-Encoding: chunked, identity", "", "0", "", ""]],
    [
      "a coding before the chunks",
      ["Transfer-Encoding: gzip, chunked", "", text.length.toString(16), text, "0", "", ""],
    ],
    ["a coding that is hidden", ["Transfer-Encoding: xchunked", "", "0", "", ""]],
    ["a blank before the colon", [`Content-Length : ${text.length}`, "", text]],
    ["a folded line", ["X-A: b", " Transfer-Encoding: chunked", `Content-Length: ${text.length}`, "", text]],
    ["two hosts", ["Host: evil.example", `Content-Length: ${text.length}`, "", text]],
    ["two types", ["Content-Type: text/plain", `Content-Length: ${text.length}`, "", text]],
    ["two tokens", ["Authorization: Bearer a", "Authorization: Bearer b", `Content-Length: ${text.length}`, "", text]],
    ["two sessions", ["Mcp-Session-Id: a", "Mcp-Session-Id: b", `Content-Length: ${text.length}`, "", text]],
    [
      "two revisions",
      ["MCP-Protocol-Version: 2025-11-25", "MCP-Protocol-Version: 2026-07-28", "Content-Length: 0", "", ""],
    ],
  ])("get nothing from a request with %s", async (_, lines) => {
    const of = await behind(done);
    expect(await raw(of, ...HEAD, ...lines)).toMatch(/^HTTP\/1\.1 (?:400|501) /);
    expect([of.sent, of.records]).toEqual([[], []]);
  });

  it.each([
    ["", []],
    ["of a request that ends the connection", ["Connection: close"]],
  ])("are answered before bytes behind a call that are not HTTP %s", async (_, lines) => {
    const of = await behind(done);
    const head = [...HEAD, ...lines, `Content-Length: ${text.length}`, "", text].join("\r\n");
    // The tool runs.
    expect(await raw(of, `${head}NOT HTTP`, "", "")).toBe("HTTP/1.1 200 OK");
    expect([of.sent.length, of.records.length]).toEqual([1, 1]);
  });

  it("get nothing from a body that ends too early, and the gateway goes on", async () => {
    const of = await behind(done);
    const socket = connect(Number(new URL(of.gateway.url).port), "127.0.0.1");
    await once(socket, "connect");
    socket.write(
      [...HEAD, "Transfer-Encoding: chunked", "", text.length.toString(16), text, "", ""].slice(0, -1).join("\r\n"),
    );
    socket.end();
    await once(socket.resume(), "close");
    expect(of.sent).toEqual([]);
    expect((await post(of, call(1))).status).toBe(200);
  });
});

describe("headers", () => {
  it.each([
    [{ mcp_name: "payout.release" }, "could be read as another header"],
    [{ content_type: "application/json; charset=utf-7" }, "could be read as another header"],
    [{ connection: "authorization" }, "takes `authorization` away"],
    [{ connection: "keep-alive, Mcp-Session-Id" }, "takes `mcp-session-id` away"],
    [{ "mcp-protocol-version": "draft" }, "is no revision"],
    [{ "mcp-protocol-version": "2026-07-28\t" + "x" }, "is no revision"],
  ])("that servers could read in two ways are refused: %j", async (headers, message) => {
    const of = await behind(done);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const socket = connect(Number(new URL(of.gateway.url).port), "127.0.0.1");
    await once(socket, "connect");
    socket.write([...HEAD, ...lines, `Content-Length: ${text.length}`, "", text].join("\r\n"));
    const [said] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    expect(said.toString()).toMatch(/^HTTP\/1\.1 400 /);
    expect(said.toString()).toContain(message);
    expect(of.sent).toEqual([]);
  });

  it("that lead to another endpoint, or method, do not reach the server", async () => {
    const of = await behind(done);
    const odd = {
      ...{ "x-http-method-override": "DELETE", "x-http-method": "PUT", "x-method-override": "PUT" },
      ...{
        "x-original-url": "/admin",
        "x-rewrite-url": "/admin",
        x_rewrite_url: "/admin",
        transfer_encoding: "chunked",
      },
    };
    expect((await post(of, call(1), { ...odd, "x-api-key": "k", x_other: "o" })).status).toBe(200);
    const names = Object.keys(of.sent[0]?.headers ?? {});
    expect(names.filter((name) => Object.hasOwn(odd, name))).toEqual([]);
    expect(of.sent[0]?.headers).toMatchObject({ "x-api-key": "k", x_other: "o" });
  });

  it("say no other encoding than the one that was read, on either side", async () => {
    const list = { jsonrpc: "2.0", id: 1, result: { tools: [] } };
    const of = await behind((_, response) =>
      say(response, list, { "content-type": "application/json; charset=utf-7" }),
    );
    for (const charset of ["utf-7", "utf-16", "cp037", "utf-8; x=y"]) {
      const told = await post(of, call(1), { "content-type": `application/json; charset=${charset}` });
      expect([charset, told.status]).toEqual([charset, 415]);
    }
    expect(of.sent).toEqual([]);
    const told = await post(
      of,
      { id: 1, method: "tools/list" },
      { "content-type": 'application/json; charset="UTF-8"' },
    );
    expect([told.status, told.headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(of.sent[0]?.headers["content-type"]).toBe("application/json");
    const streamed = await behind(
      (_, response) =>
        void response
          .writeHead(200, { "content-type": "text/event-stream; charset=utf-7" })
          .end(`data: ${JSON.stringify(list)}\n\n`),
    );
    expect((await post(streamed, { id: 1, method: "tools/list" })).headers.get("content-type")).toBe(
      "text/event-stream",
    );
    const refused = await behind(
      (_, response) => void response.writeHead(400, { "content-type": "text/html" }).end("<b>no"),
    );
    expect((await post(refused, call(1))).headers.get("content-type")).toBe("text/plain; charset=utf-8");
  });

  it("of notifications and answers agree with it, too", async () => {
    const of = await behind((_, response) => void response.writeHead(202).end());
    const note = { method: "notifications/initialized" };
    expect((await post(of, note, { "mcp-method": "notifications/initialized" })).status).toBe(202);
    const answer = { id: 1, result: {} };
    expect((await post(of, answer)).status).toBe(202);
    for (const [message, headers] of [
      [note, { "mcp-method": "tools/call" }],
      [note, { "mcp-name": "payout.release" }],
      [answer, { "mcp-method": "tools/call" }],
      [answer, { "mcp-name": "payout.release" }],
      [answer, { "mcp-name": "=?base64?x?=" }],
    ] as const)
      expect((await post(of, message, headers)).json.error?.code).toBe(-32_020);
    expect(of.sent).toHaveLength(2);
  });

  it("repeat the very member that the message is decided by", async () => {
    const of = await behind(done);
    const odd = async (message: object, headers: Record<string, string>): Promise<unknown> =>
      (await post(of, message, headers)).json.error?.code;
    // A router goes by the name, and the decision by the address.
    const read = { id: 1, method: "resources/read", params: { uri: "memo://secret", name: "memo://style" } };
    expect(await odd(read, { "mcp-name": "memo://style" })).toBe(-32_020);
    expect(await odd({ id: 1, method: "ping" }, { "mcp-name": "=?base64?x?=" })).toBe(-32_020);
    const given = (args: object) => call(1, "draft.create", { arguments: args });
    expect(await odd(given({ region: "eu", note: "us" }), { "mcp-param-region": "us" })).toBe(-32_020);
    expect(await odd(given({ Region: "eu", region: "us" }), { "mcp-param-region": "us" })).toBe(-32_020);
    expect(await odd(given({ n: 0 }), { "mcp-param-n": "" })).toBe(-32_020);
    expect(await odd(given({ n: 66 }), { "mcp-param-n": "0x42" })).toBe(-32_020);
    expect(await odd(given({ region: { a: "eu" } }), { "mcp-param-region": "eu" })).toBe(-32_020);
    expect(of.sent).toEqual([]);
    expect(
      await odd(given({ region: "eu", n: 1.5 }), { "mcp-param-region": "eu", "mcp-param-n": "1.50" }),
    ).toBeUndefined();
    expect(await odd(given({ place: { area: "eu" } }), { "mcp-param-region": "eu" })).toBeUndefined();
    expect(of.sent).toHaveLength(2);
  });

  it("are compared with the arguments in one pass, however many there are", async () => {
    const of = await behind(done);
    const args = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, i]));
    const named = Array.from({ length: 400 }, (_, i) => [`mcp-param-k${i}`, `${i}`] as const);
    const held = Array.from({ length: 400 }, (_, i) => [`mcp-param-x${i}`, `${i}.0`] as const);
    const before = cpuMs();
    // One of them differs, and the last value is the first that is looked at.
    const headers = Object.fromEntries([...named, ...held, ["mcp-param-z", "none"]]);
    const told = await post(of, call(1, "draft.create", { arguments: args }), headers);
    expect(told.json.error?.message).toBe("`mcp-param-z` is in no argument");
    // A second for each header before.
    expect(cpuMs() - before).toBeLessThan(20_000);
  });

  it.each([
    ["another case of the encoding's name", "=?BASE64?ZXU=?=", "eu"],
    ["an encoded text that is written as it stands", "=?Base64?ZXU=?=", "=?Base64?ZXU=?="],
    ["bytes that are not UTF-8", "=?base64?/w==?=", "\ufffd"],
    ["a character that each reader decodes in its own way", "\u00e9", "\u00e9"],
  ])("say nothing with %s", async (_, header, region) => {
    const of = await behind(done);
    const told = await post(of, call(1, "draft.create", { arguments: { region } }), { "mcp-param-region": header });
    expect(told.json.error?.code).toBe(-32_020);
    expect(of.sent).toEqual([]);
  });

  it("count, however many come before", async () => {
    const of = await behind(done);
    const more = Array.from({ length: 3000 }, () => "a:");
    const twice = ["Mcp-Name: draft.create", ...more, "Mcp-Name: payout.release", `Content-Length: ${text.length}`];
    expect(await raw(of, ...HEAD, ...twice, "", text)).toMatch(/^HTTP\/1\.1 400 /);
    expect(of.sent).toEqual([]);
  });

  it("are there for every message of a revision that needs them", async () => {
    const of = await behind(done);
    const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
    const told = await post(of, call(1, "draft.create", { _meta }));
    expect([told.status, told.json.error?.message]).toEqual([400, "`MCP-Protocol-Version` is missing"]);
    expect(of.sent).toEqual([]);
  });
});

describe("a client that does not read what it asked for", () => {
  const note = JSON.stringify({
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { text: "x".repeat(60_000) },
  });
  const endless: Behind = (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const more = (): void => {
      while (!response.destroyed && response.write(`data: ${note}\n\n`));
      if (!response.destroyed) response.once("drain", more);
    };
    more();
  };
  const long: Behind = (sent, response) =>
    say(response, { jsonrpc: "2.0", id: idOf(sent), result: { text: "x".repeat(8_000_000) } });

  it.each([
    ["an answer", long],
    ["a stream", endless],
  ])("keeps no connection: %s", async (_, answer) => {
    const of = await behind(answer, { unreadMs: 50, maxConnections: 1 });
    const socket = connect(Number(new URL(of.gateway.url).port), "127.0.0.1")
      .on("error", () => {})
      .pause();
    socket.write([...HEAD, `Content-Length: ${text.length}`, "", text].join("\r\n"));
    while (of.sent.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    const health = of.gateway.url.replace("/mcp", "/health");
    // There is room for one.
    while ((await fetch(health).catch(() => undefined))?.status !== 200)
      await new Promise((resolve) => setTimeout(resolve, 10));
    socket.destroy();
  });

  it("gets no further requests answered, and they are not kept without end", async () => {
    const silent: Behind = (_, response) =>
      void response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    const of = await behind(silent);
    const socket = connect(Number(new URL(of.gateway.url).port), "127.0.0.1").on("error", () => {});
    socket.write("GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n");
    await once(socket, "data");
    socket.write("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(300));
    await once(socket.resume(), "close");
  });
});

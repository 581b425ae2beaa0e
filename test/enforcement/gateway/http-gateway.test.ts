/** The gateway over HTTP: a real client and a real server, and then each side as it should not be. */

import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import {
  CallToolRequestSchema,
  ElicitRequestSchema,
  ListToolsRequestSchema,
  LoggingMessageNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../compiler/enforcement/gateway/index.ts";
import { call, done, gateways } from "./behind.ts";
import { type Behind, post, type Remote, say } from "./remote.ts";
import { writer } from "./session.ts";

const behind = gateways();

const tools = ["draft.create", "payout.release", "draft.revise"].map((name) => ({
  name,
  inputSchema: { type: "object" as const },
}));

/** A server of the official SDK, one transport a session. */
function sessions(): Behind {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  return (sent, response) => {
    void (async () => {
      const known = transports.get(String(sent.headers["mcp-session-id"]));
      const transport = known ?? new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
      if (known === undefined) {
        const server = new Server({ name: "s", version: "1" }, { capabilities: { tools: {}, logging: {} } });
        server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
        server.setRequestHandler(CallToolRequestSchema, async ({ params }, { sendNotification }) => {
          await sendNotification({ method: "notifications/message", params: { level: "info", data: "on the way" } });
          const asked = await server.elicitInput({
            message: "Who?",
            requestedSchema: { type: "object", properties: {} },
          });
          return { content: [{ type: "text", text: `${params.name} ${asked.action}` }] };
        });
        await server.connect(transport as never);
      }
      const { req } = response as ServerResponse;
      await transport.handleRequest(req as never, response, sent.body === "" ? undefined : JSON.parse(sent.body));
      if (transport.sessionId !== undefined) transports.set(transport.sessionId, transport);
    })();
  };
}

async function client(of: Remote, headers: Record<string, string> = {}): Promise<Client> {
  const made = new Client({ name: "c", version: "1" }, { capabilities: { elicitation: {} } });
  await made.connect(new StreamableHTTPClientTransport(new URL(of.gateway.url), { requestInit: { headers } }) as never);
  return made;
}

describe("a client and a server of the official SDK", () => {
  it("list and call what is allowed; questions to people and messages on the way go through", async () => {
    const of = await behind(sessions());
    const one = await client(of, { authorization: "Bearer one" });
    const heard: unknown[] = [];
    one.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void heard.push(params.data));
    one.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: {} }));
    expect((await one.listTools()).tools.map(({ name }) => name)).toEqual(["draft.create", "draft.revise"]);
    expect(await one.callTool({ name: "draft.create" })).toMatchObject({ content: [{ text: "draft.create accept" }] });
    expect(heard).toEqual(["on the way"]);
    expect(await one.callTool({ name: "payout.release" })).toMatchObject({ isError: true });
    expect(of.records.map(({ name, disposition }) => [name, disposition])).toEqual([
      ["draft.create", "ALLOW"],
      ["payout.release", "DENY"],
    ]);
    // The server's own credentials reach it, and no line.
    expect(new Set(of.sent.map(({ headers }) => headers.authorization))).toEqual(new Set(["Bearer one"]));
    expect(JSON.stringify([of.lines, of.records])).not.toContain("Bearer one");
    expect(of.sent.some(({ body }) => body.includes("payout.release"))).toBe(false);
    const metrics = await (await fetch(of.gateway.url.replace(/mcp$/, "metrics"))).text();
    expect(metrics).toMatch(/portcullis_mcp_sessions 1\n/);
    await one.close();
  });

  it("have sessions that are their own", async () => {
    const of = await behind(sessions());
    const one = await client(of, { authorization: "Bearer one" });
    const id = (one.transport as StreamableHTTPClientTransport).sessionId as string;
    const list = { id: 7, method: "tools/list" };
    const theirs = await post(of, list, { "mcp-session-id": id, authorization: "Bearer two" });
    expect([theirs.status, theirs.json.error?.message]).toEqual([404, "there is no session of this id"]);
    expect((await post(of, list, { "mcp-session-id": id })).status).toBe(404);
    const own = await post(of, list, { "mcp-session-id": id, authorization: "Bearer one" });
    expect([own.status, own.text.includes("draft.create")]).toEqual([200, true]);
    await (one.transport as StreamableHTTPClientTransport).terminateSession();
    const after = await post(of, list, { "mcp-session-id": id, authorization: "Bearer one" });
    expect(after.status).toBe(404);
    await one.close();
  });

  it("have as many sessions as there may be", async () => {
    const of = await behind(sessions(), { sessions: { most: 1, idleMs: 60_000 } });
    const one = await client(of);
    await expect(client(of)).rejects.toThrow("as many sessions as there may be");
    await (one.transport as StreamableHTTPClientTransport).terminateSession();
    await (await client(of)).close();
    await one.close();
  });
});

describe("a request", () => {
  const reading = async (of: Remote, path: string, init: RequestInit = {}): Promise<number> =>
    (await fetch(of.gateway.url.replace(/\/mcp$/, path), init)).status;

  it("of another machine or page is not read", async () => {
    const of = await behind(done);
    const sent = (headers: Record<string, string>) => post(of, { id: 1, method: "ping" }, headers);
    for (const headers of [{ origin: "http://evil.example" }, { "sec-fetch-site": "cross-site" }])
      expect((await sent(headers)).status).toBe(403);
    expect((await sent({ origin: new URL(of.gateway.url).origin })).status).toBe(200);
    expect(of.sent).toHaveLength(1);
  });

  it("of another path, method or type is refused", async () => {
    const of = await behind(done);
    expect(await reading(of, "/health")).toBe(200);
    expect(await reading(of, "/metrics")).toBe(200);
    expect(await reading(of, "/")).toBe(404);
    expect(await reading(of, "/mcp?x=1", { method: "POST" })).toBe(404);
    expect(await reading(of, "/mcp", { method: "PUT" })).toBe(405);
    expect((await post(of, { id: 1, method: "ping" }, { "content-type": "text/plain" })).status).toBe(415);
    expect((await post(of, { id: 1, method: "ping" }, { "content-encoding": "gzip" })).status).toBe(415);
    for (const text of ["", "[]", '{"jsonrpc":"2.0"}', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]'])
      expect((await post(of, text)).status).toBe(400);
    expect((await post(of, { method: "tools/call", params: { name: "draft.create" } })).status).toBe(400);
    expect(of.sent).toEqual([]);
  });

  it("that is too long is refused, whether it says so or not", async () => {
    const of = await behind(done, { limits: { ...LIMITS, messageBytes: 1_000, graceMs: 100 } });
    const long = call(1, "draft.create", { arguments: { a: "x".repeat(2_000) } });
    expect((await post(of, long)).status).toBe(413);
    const body = new ReadableStream({
      start: (stream) => {
        stream.enqueue(new TextEncoder().encode("x".repeat(5_000)));
        stream.close();
      },
    });
    const headers = { "content-type": "application/json" };
    const streamed = await fetch(of.gateway.url, { method: "POST", headers, body, duplex: "half" } as RequestInit);
    expect(streamed.status).toBe(413);
    expect(of.sent).toEqual([]);
  });

  it("whose headers say otherwise than its message is refused", async () => {
    const of = await behind(done);
    const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
    const message = call(1, "draft.create", { arguments: { region: "eu", deep: [{ n: 42 }] }, _meta });
    const right = {
      "mcp-method": "tools/call",
      "mcp-name": "draft.create",
      "mcp-protocol-version": "2026-07-28",
      "mcp-param-region": "eu",
      "mcp-param-n": "42.0",
    };
    expect((await post(of, message, right)).status).toBe(200);
    expect((await post(of, message, { ...right, "mcp-name": "=?base64?ZHJhZnQuY3JlYXRl?=" })).status).toBe(200);
    for (const wrong of [
      { "mcp-method": "tools/list" },
      { "mcp-name": "payout.release" },
      { "mcp-name": "=?base64?ZHJhZnQuY3JlYXRl=?=" },
      { "mcp-protocol-version": "2025-11-25" },
      { "mcp-param-region": "us" },
    ]) {
      const told = await post(of, message, { ...right, ...wrong });
      expect([told.status, told.json.error?.code]).toEqual([400, -32_020]);
    }
    const { "mcp-name": _, ...nameless } = right;
    const { "mcp-method": __, ...methodless } = right;
    for (const lacking of [nameless, methodless])
      expect((await post(of, message, lacking)).json.error?.message).toContain("is missing");
    // Older revisions have none of them.
    expect((await post(of, call(1), { "mcp-protocol-version": "2025-11-25" })).status).toBe(200);
    expect(of.sent).toHaveLength(3);
  });

  it("of revision 2026-07-28 has no session", async () => {
    const of = await behind(done);
    const stray = {
      ...{ "mcp-session-id": "s", "mcp-protocol-version": "2026-07-28" },
      "mcp-method": "server/discover",
    };
    expect((await post(of, { id: 1, method: "server/discover" }, stray)).status).toBe(200);
    expect(of.sent[0]?.headers["mcp-session-id"]).toBeUndefined();
  });

  it("for a method that could be one of tools is not found", async () => {
    const of = await behind(done);
    expect((await post(of, { id: 1, method: "Tools/Call", params: { name: "draft.create" } })).status).toBe(404);
    expect(of.sent).toEqual([]);
  });
});

describe("a server", () => {
  const events = (response: ServerResponse, ...lines: string[]): void => {
    response.writeHead(200, { "content-type": "text/event-stream" }).end(lines.map((line) => `${line}\n`).join(""));
  };

  it("that leads elsewhere is not followed, and its client does not hear where", async () => {
    const of = await behind((_, response) => say(response, {}, { location: "http://127.0.0.1:1/other" }, 307));
    const told = await post(of, call(1));
    expect([told.status, told.headers.get("location")]).toEqual([502, null]);
    const oldest = await behind((_, response) => events(response, "event: endpoint", "data: /elsewhere", ""));
    const stream = await fetch(oldest.gateway.url, { headers: { accept: "text/event-stream" } });
    expect(await stream.text()).toBe("");
    expect(oldest.lines).toEqual(["server: an event of another kind was dropped"]);
  });

  it("that refuses a token says so itself", async () => {
    const asks = 'Bearer resource_metadata="https://s.example/.well-known/oauth-protected-resource"';
    const of = await behind(
      (_, response) => void response.writeHead(401, { "www-authenticate": asks }).end("no token"),
    );
    const told = await post(of, call(1));
    expect([told.status, told.headers.get("www-authenticate"), told.text]).toEqual([401, asks, "no token"]);
  });

  it("lists no more than may be seen, however its list comes", async () => {
    const list = { id: 1, method: "tools/list" };
    const result = { resultType: "complete", tools, ttlMs: 1, cacheScope: "public" };
    const answer = JSON.stringify({ jsonrpc: "2.0", id: 1, result });
    const seen = [{ name: "draft.create" }, { name: "draft.revise" }];
    const plain = await behind((_, response) => say(response, JSON.parse(answer) as object));
    expect((await post(plain, list)).json.result).toMatchObject({ tools: seen, cacheScope: "private" });
    for (const status of [200, 400, 500]) {
      const odd = await behind((_, response) => say(response, JSON.parse(answer) as object, {}, status));
      expect((await post(odd, { id: 1, method: "x" })).text).not.toContain("payout.release");
    }
    const half = Math.floor(answer.length / 2);
    const lines = [":", "id: 7", `data: ${answer.slice(0, half)}`, `data: ${answer.slice(half)}`, ""];
    // An end of line in a text is not one of JSON's, so the pieces are joined where a blank may stand.
    const cut = answer.replace('"result":', '"result":\n');
    const streamed = await behind((_, response) =>
      events(response, ":", "id: 7", ...cut.split("\n").map((line) => `data: ${line}`), ""),
    );
    expect(lines).toHaveLength(5);
    const told = await post(streamed, list);
    expect(told.text).toContain("draft.create");
    expect(told.text).toContain("id: 7\n");
    expect(told.text).not.toContain("payout.release");
    const resumed = await fetch(streamed.gateway.url, {
      headers: { accept: "text/event-stream", "last-event-id": "6" },
    });
    const text = await resumed.text();
    expect(text).toContain("draft.create");
    expect(text).not.toContain("payout.release");
  });

  it.each([
    ["another request", { jsonrpc: "2.0", id: 2, result: {} }, 502],
    ["a question", { jsonrpc: "2.0", id: 1, method: "roots/list" }, 502],
    ["no message", { ok: true }, 502],
    ["an error without an id", { jsonrpc: "2.0", error: { code: 1, message: "m" } }, 200],
  ])("that answers with %s", async (_, body, status) => {
    const of = await behind((_sent, response) => say(response, body));
    expect((await post(of, call(1))).status).toBe(status);
  });

  it("that says too much, or nothing in time, is answered for at once", async () => {
    const limits = { ...LIMITS, messageBytes: 10_000, answerMs: 300, graceMs: 100 };
    const answer = (text: string) => JSON.stringify({ jsonrpc: "2.0", id: 1, result: { text } });
    const long = await behind((_, response) => void response.end(answer("x".repeat(20_000))), { limits });
    const told = await post(long, call(1));
    expect([told.status, told.json.error?.message]).toEqual([200, "the server's answer is longer than 10000 bytes"]);
    const stream = await behind((_, response) => events(response, `data: ${answer("x".repeat(20_000))}`, ""), {
      limits,
    });
    expect((await post(stream, call(1))).text).toContain('"error"');
    const silent = await behind(() => {}, { limits });
    const late = await post(silent, call(1));
    expect([late.status, late.json.error?.message]).toEqual([504, "the server did not answer in time"]);
    const slow = await behind(
      (_, response) => void response.writeHead(200, { "content-type": "text/event-stream" }).write(":\n\n"),
      { limits },
    );
    expect((await post(slow, call(1))).text).toContain("did not answer in time");
  });

  it("that goes over to another protocol cannot be reached, and is not waited for", async () => {
    const of = await behind(
      (_, { socket }) =>
        void socket?.write("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"),
    );
    const told = await post(of, call(1));
    expect([told.status, told.json.error?.message]).toEqual([502, "the server cannot be reached"]);
  });

  it("whose stream has a status that cannot be passed on does not end the gateway", async () => {
    const of = await behind(
      (_, { socket }) => void socket?.write("HTTP/1.1 099 X\r\nContent-Type: text/event-stream\r\n\r\n"),
    );
    expect((await post(of, call(1))).status).toBe(502);
  });

  it("that breaks off behind an answer that its client has not read yet does not end the gateway", async () => {
    const data = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { text: "x".repeat(8_000_000) } });
    let breakOff: () => void = () => {};
    const of = await behind((sent, response) => {
      if (sent.body.includes("ping")) return say(response, { jsonrpc: "2.0", id: 1, result: {} });
      response.writeHead(200, { "content-type": "text/event-stream" }).write(`data: ${data}\n\n`);
      breakOff = () => response.destroy();
    });
    const text = JSON.stringify({ jsonrpc: "2.0", ...call(1) });
    const head = ["POST /mcp HTTP/1.1", "Host: localhost", "Content-Type: application/json"];
    const socket = connect(Number(new URL(of.gateway.url).port), "127.0.0.1");
    socket.write([...head, `Content-Length: ${text.length}`, "", text].join("\r\n"));
    // What no one takes stays at the gateway, but for what buffers hold. More than comments, which keep the connection until then.
    socket.on("readable", () => {});
    await expect.poll(() => socket.readableLength, { interval: 1 }).toBeGreaterThan(10_000);
    breakOff();
    await expect.poll(() => of.lines).toEqual(["server: aborted"]);
    expect((await post(of, { id: 1, method: "ping" })).status).toBe(200);
    let length = 0;
    socket.removeAllListeners("readable").on("data", (chunk: Buffer) => (length += chunk.length));
    await expect.poll(() => length).toBeGreaterThan(data.length);
    socket.destroy();
  });

  it("that keeps its stream open after the answer is not waited for; one that ends it keeps its connection", async () => {
    const answer = '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}';
    const streaming = (ends: boolean) => {
      const ports: (number | undefined)[] = [];
      const behindIt: Behind = (_, response) => {
        ports.push(response.req.socket.remotePort);
        response.writeHead(200, { "content-type": "text/event-stream" }).write(`data: ${answer}\n\n`);
        if (ends) setTimeout(() => response.end("data: {}\n\n"), 10);
      };
      return { ports, behindIt };
    };
    const [open, ending] = [streaming(false), streaming(true)];
    expect((await post(await behind(open.behindIt), call(1))).text).toBe(`event: message\ndata: ${answer}\n\n`);
    const of = await behind(ending.behindIt);
    await post(of, call(1));
    await expect.poll(() => of.lines).toHaveLength(1);
    await post(of, call(1));
    expect(ending.ports[1]).toBe(ending.ports[0]);
  });

  it("keeps a subscription open for longer than an answer may take", async () => {
    const limits = { ...LIMITS, answerMs: 100, graceMs: 100 };
    const of = await behind(
      (_, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
        setTimeout(() => response.end('data: {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}}\n\n'), 400);
      },
      { limits },
    );
    const told = await post(of, { id: 1, method: "subscriptions/listen", params: { notifications: {} } });
    expect(told.text).toContain('"resultType":"complete"');
  });

  it("hears when the client leaves, and cannot be reached when it is gone", async () => {
    let left: () => void = () => {};
    const gone = new Promise<void>((resolve) => {
      left = resolve;
    });
    const of = await behind((_, response) => void response.on("close", left));
    const controller = new AbortController();
    const asked = fetch(of.gateway.url, {
      ...{ method: "POST", signal: controller.signal, headers: { "content-type": "application/json" } },
      body: JSON.stringify({ jsonrpc: "2.0", ...call(1) }),
    });
    await expect.poll(() => of.sent.length).toBe(1);
    controller.abort();
    await expect(asked).rejects.toThrow();
    await gone;
    const away = await behind(done, { upstream: new URL("http://127.0.0.1:1/mcp") });
    const told = await post(away, call(1));
    expect([told.status, told.json.error?.message]).toEqual([502, "the server cannot be reached"]);
  });

  it("is not called where the decision cannot be recorded", async () => {
    const of = await behind(done, {
      caller: writer,
      record: () => {
        throw new Error("no space left on the device");
      },
    });
    expect((await post(of, call(1))).json.error?.message).toContain("could not be decided and recorded");
    expect(of.sent).toEqual([]);
  });
});

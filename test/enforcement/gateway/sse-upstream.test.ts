/** A server of the oldest transport (HTTP with SSE) behind the gateway: the official SDK's, and then one as it should not be. */

import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import {
  CallToolRequestSchema,
  ElicitRequestSchema,
  ListToolsRequestSchema,
  LoggingMessageNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { Policy } from "@portcullis/runtime";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { LIMITS } from "../../../compiler/enforcement/gateway/index.ts";
import { post, type Remote, remote } from "./remote.ts";
import { examplePolicy } from "./session.ts";

let policy: Policy;
beforeAll(async () => {
  policy = await examplePolicy();
});
const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

const tools = ["draft.create", "payout.release"].map((name) => ({ name, inputSchema: { type: "object" as const } }));

/** What the SDK's old servers are: a stream at `/sse`, an address for messages, a transport for each stream. */
async function oldServer(): Promise<{
  url: URL;
  seen: IncomingMessage[];
  transports: Map<string, SSEServerTransport>;
}> {
  const transports = new Map<string, SSEServerTransport>();
  const seen: IncomingMessage[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    seen.push(request);
    const { pathname, searchParams } = new URL(request.url ?? "", "http://h");
    if (request.method === "POST" && pathname === "/messages") {
      const transport = transports.get(searchParams.get("sessionId") ?? "");
      if (transport === undefined) return void response.writeHead(404).end();
      return transport.handlePostMessage(request, response);
    }
    if (request.method !== "GET" || pathname !== "/sse") return void response.writeHead(405).end();
    const transport = new SSEServerTransport("/messages", response);
    transports.set(transport.sessionId, transport);
    const server = new Server({ name: "old", version: "1" }, { capabilities: { tools: {}, logging: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, { sendNotification }) => {
      await sendNotification({ method: "notifications/message", params: { level: "info", data: "on the way" } });
      const asked = await server.elicitInput({ message: "Who?", requestedSchema: { type: "object", properties: {} } });
      return { content: [{ type: "text", text: `${params.name} ${asked.action}` }] };
    });
    await server.connect(transport as never);
  };
  return {
    url: await listening(
      createServer((request, response) => void answer(request, response)),
      "/sse",
    ),
    seen,
    transports,
  };
}

async function listening(server: HttpServer, path: string): Promise<URL> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  open.push({
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
}

async function inFront(upstream: URL, given: Parameters<typeof remote>[2] = {}): Promise<Remote> {
  const of = await remote(policy, () => {}, { upstream, isSse: true, ...given });
  open.push(of);
  return of;
}

async function client(of: Remote, headers: Record<string, string> = {}): Promise<Client> {
  const made = new Client({ name: "c", version: "1" }, { capabilities: { elicitation: {} } });
  await made.connect(new StreamableHTTPClientTransport(new URL(of.gateway.url), { requestInit: { headers } }) as never);
  open.push(made);
  return made;
}
const sessionOf = ({ transport }: Client): string => (transport as StreamableHTTPClientTransport).sessionId as string;

describe("an old server of the official SDK", () => {
  it("is listed and called by a client of Streamable HTTP, as far as the policy says", async () => {
    const old = await oldServer();
    const of = await inFront(old.url);
    const one = await client(of, { authorization: "Bearer one" });
    const heard: unknown[] = [];
    one.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void heard.push(params.data));
    one.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: {} }));
    expect((await one.listTools()).tools.map(({ name }) => name)).toEqual(["draft.create"]);
    expect(await one.callTool({ name: "draft.create" })).toMatchObject({ content: [{ text: "draft.create accept" }] });
    expect(heard).toEqual(["on the way"]);
    expect(await one.callTool({ name: "payout.release" })).toMatchObject({ isError: true });
    expect(of.records.map(({ name, disposition }) => [name, disposition])).toEqual([
      ["draft.create", "ALLOW"],
      ["payout.release", "DENY"],
    ]);
    expect(new Set(old.seen.map(({ headers }) => headers.authorization))).toEqual(new Set(["Bearer one"]));
    expect(old.seen.every(({ headers }) => headers["mcp-session-id"] === undefined)).toBe(true);
    expect(of.lines).toEqual([]);
  });

  it("has a stream for each session, which ends with it", async () => {
    const old = await oldServer();
    const of = await inFront(old.url);
    const [one, two] = [await client(of), await client(of)];
    expect(old.transports.size).toBe(2);
    const results = await Promise.all([one, two].map((each) => each.listTools()));
    expect(results.map((result) => result.tools.length)).toEqual([1, 1]);
    const [stream] = [...old.transports.values()];
    const ended = new Promise<void>((resolve) => {
      if (stream !== undefined) stream.onclose = resolve;
    });
    const id = sessionOf(one);
    await (one.transport as StreamableHTTPClientTransport).terminateSession();
    await ended;
    expect((await post(of, { id: 9, method: "ping" }, { "mcp-session-id": id })).status).toBe(404);
    expect((await two.listTools()).tools).toHaveLength(1);
  });

  it("that ends a stream has ended the session", async () => {
    const old = await oldServer();
    const of = await inFront(old.url);
    const one = await client(of);
    one.setRequestHandler(ElicitRequestSchema, () => new Promise<never>(() => {}));
    const called = one.callTool({ name: "draft.create" });
    await expect.poll(() => of.records.length).toBe(1);
    const failed = expect(called).rejects.toThrow("the server has ended the session");
    await expect.poll(() => old.seen.filter(({ method }) => method === "POST").length).toBeGreaterThan(2);
    for (const transport of old.transports.values()) await transport.close();
    await failed;
    const after = await post(of, { id: 9, method: "ping" }, { "mcp-session-id": sessionOf(one) });
    expect(after.status).toBe(404);
  });

  it("closes its stream for a session that is idle", async () => {
    const old = await oldServer();
    const of = await inFront(old.url, { sessions: { most: 1, idleMs: 1 } });
    const initialize = {
      ...{ id: 1, method: "initialize" },
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "c", version: "1" } },
    };
    const first = await post(of, initialize);
    const id = first.headers.get("mcp-session-id") ?? "";
    expect(first.text).toContain('"serverInfo"');
    const [stream] = [...old.transports.values()];
    const ended = new Promise<void>((resolve) => {
      if (stream !== undefined) stream.onclose = resolve;
    });
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect((await post(of, { ...initialize, id: 2 })).status).toBe(200);
    await ended;
    expect((await post(of, { id: 3, method: "ping" }, { "mcp-session-id": id })).status).toBe(404);
  });
});

describe("a server of that transport", () => {
  const initialize = { id: 1, method: "initialize", params: { protocolVersion: "2024-11-05", capabilities: {} } };
  const events = (response: ServerResponse, text: string): void => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(text);
  };
  /** Says what it says on its stream, and takes every message. */
  async function odd(stream: (response: ServerResponse) => void, given: Parameters<typeof remote>[2] = {}) {
    const sent: string[] = [];
    const server = createServer((request, response) => {
      if (request.method === "GET") return stream(response);
      sent.push(request.url ?? "");
      request.resume().on("end", () => response.writeHead(202).end());
    });
    return { of: await inFront(await listening(server, "/sse"), given), sent };
  }

  it.each([
    ["of another origin", "event: endpoint\ndata: http://127.0.0.1:1/messages\n\n"],
    ["of another scheme", "event: endpoint\ndata: https://127.0.0.1/messages\n\n"],
    ["that is not an address", "event: endpoint\ndata: http://[\n\n"],
  ])("names an endpoint %s, and gets no message", async (_, text) => {
    const { of, sent } = await odd((response) => events(response, text));
    const told = await post(of, initialize);
    expect([told.status, told.json.error?.message]).toEqual([502, "the server cannot be reached"]);
    expect([sent, of.lines]).toEqual([[], ["server: its endpoint is of another origin"]]);
  });

  it("that names such an endpoint and ends its stream at once ends nothing of the gateway", async () => {
    const faults: unknown[] = [];
    const note = (error: unknown): void => void faults.push(error);
    process.prependListener("uncaughtException", note);
    const foreign = "event: endpoint\ndata: http://127.0.0.1:1/messages\n\n";
    const { of } = await odd(
      (response) => void response.writeHead(200, { "content-type": "text/event-stream" }).end(foreign),
    );
    expect((await post(of, initialize)).status).toBe(502);
    expect((await fetch(of.gateway.url.replace(/mcp$/, "health"))).status).toBe(200);
    process.off("uncaughtException", note);
    expect(faults).toEqual([]);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ["another status", (response) => void response.writeHead(404).end()],
    ["a redirect", (response) => void response.writeHead(307, { location: "/other" }).end()],
    [
      "another type",
      (response) => void response.writeHead(200, { "content-type": "text/html" }).end("event: endpoint"),
    ],
    [
      "packed events",
      (response) =>
        void response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" }).end(),
    ],
    ["no event", (response) => void response.writeHead(200, { "content-type": "text/event-stream" }).end()],
  ])("answers with %s, and is not there", async (_, stream) => {
    const { of, sent } = await odd(stream);
    expect((await post(of, initialize)).status).toBe(502);
    expect(sent).toEqual([]);
  });

  it("names no endpoint in time, and is answered for", async () => {
    const limits = { ...LIMITS, answerMs: 100, graceMs: 100 };
    const { of } = await odd((response) => events(response, ":\n\n"), { limits });
    expect((await post(of, initialize)).status).toBe(504);
  });

  it("has no other endpoint later, and no message too long", async () => {
    let stream: ServerResponse | undefined;
    const limits = { ...LIMITS, messageBytes: 1_000, graceMs: 100 };
    const { of, sent } = await odd(
      (response) => {
        stream = response;
        events(response, "event: endpoint\ndata: /first?x=1\n\nevent: endpoint\ndata: /second\n\n");
      },
      { limits },
    );
    const asked = post(of, initialize);
    await expect.poll(() => sent.length).toBe(1);
    stream?.write('data: {"jsonrpc":"2.0","id":7,"result":{}}\n\nevent: other\ndata: x\n\n');
    stream?.write('data: {"jsonrpc":"2.0","id":1,"result":{"ok":true}}\n\n');
    const told = await asked;
    expect([told.status, told.text.includes('"ok":true'), sent]).toEqual([200, true, ["/first?x=1"]]);
    expect(of.lines).toEqual([
      "server: a message that no client waits for was dropped",
      "server: an event without a message was dropped",
    ]);
    const session = { "mcp-session-id": told.headers.get("mcp-session-id") ?? "" };
    const late = post(of, { id: 2, method: "ping" }, session);
    await expect.poll(() => sent.length).toBe(2);
    stream?.write(`data: ${"x".repeat(2_000)}\n\n`);
    expect((await late).text).toContain("the server has ended the session");
  });

  it("nests a message too deep to be passed on, and goes on with its session", async () => {
    let stream: ServerResponse | undefined;
    const { of, sent } = await odd((response) => {
      stream = response;
      events(response, "event: endpoint\ndata: /messages\n\n");
    });
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const opened = post(of, initialize);
    await expect.poll(() => sent.length).toBe(1);
    stream?.write(`data: {"jsonrpc":"2.0","method":"notifications/x","params":{"a":${deep}}}\n\n`);
    stream?.write('data: {"jsonrpc":"2.0","id":1,"result":{"ok":true}}\n\n');
    const told = await opened;
    expect(told.text).toContain('"ok":true');
    const session = { "mcp-session-id": told.headers.get("mcp-session-id") ?? "" };
    const asked = [2, 3].map((id) => post(of, { id, method: "ping" }, session));
    await expect.poll(() => sent.length).toBe(3);
    stream?.write(`data: {"jsonrpc":"2.0","id":2,"result":{"a":${deep}}}\n\n`);
    stream?.write('data: {"jsonrpc":"2.0","id":3,"result":{"ok":true}}\n\n');
    const texts = (await Promise.all(asked)).map(({ text }) => text);
    expect(texts).toEqual([
      expect.stringContaining("the message could not be passed on"),
      expect.stringContaining('"ok":true'),
    ]);
  });

  it("does not take a message, and its client hears of it", async () => {
    const server = createServer((request, response) => {
      if (request.method === "GET") events(response, "event: endpoint\ndata: /messages\n\n");
      else request.resume().on("end", () => response.writeHead(500).end());
    });
    const of = await inFront(await listening(server, "/sse"));
    expect((await post(of, initialize)).status).toBe(502);
    expect(of.lines).toEqual(["server: its endpoint answers 500"]);
  });

  it("has no session, and is asked nothing", async () => {
    const { of, sent } = await odd((response) => events(response, "event: endpoint\ndata: /messages\n\n"));
    const modern = { "mcp-protocol-version": "2026-07-28", "mcp-method": "server/discover" };
    const told = await post(of, { id: 1, method: "server/discover" }, modern);
    expect([told.status, told.json.error?.code]).toEqual([400, -32_601]);
    expect((await post(of, { method: "notifications/initialized" })).status).toBe(400);
    expect((await fetch(of.gateway.url)).status).toBe(405);
    expect(sent).toEqual([]);
  });
});

/**
 * Streamable HTTP in front of a server that speaks over its pipes, so that the conformance suite, which asks over HTTP alone, can ask
 * it: `node bridge.mjs PORT COMMAND…`. A session has a process of its own; what has no session shares one.
 */

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const [port, program, ...args] = process.argv.slice(2);
const sessions = new Map();

/** One process, and the requests that wait for its answers. */
function started() {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map();
  let [count, listener] = [0, undefined];
  const write = (message) => child.stdin.write(`${JSON.stringify(message)}\n`);
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.id === OPENING.id && !("method" in message)) return;
    const open = "method" in message ? undefined : waiting.get(message.id);
    if (open !== undefined) {
      waiting.delete(message.id);
      open.end({ ...message, id: open.id });
      return;
    }
    const token = message.params?.progressToken;
    const subscription = message.params?._meta?.["io.modelcontextprotocol/subscriptionId"];
    const all = [...waiting.values()];
    const meant = all.find((one) => (token !== undefined && one.token === token) || one.id === subscription);
    (meant ?? all.at(-1) ?? listener)?.event(message);
  });
  return {
    close: () => child.kill(),
    listen: (stream) => {
      listener = stream;
    },
    tell: (message) => write(message),
    ask: (message, stream) => {
      const id = `b-${++count}`;
      waiting.set(id, { ...stream, id: message.id, token: message.params?._meta?.progressToken });
      write({ ...message, id });
      stream.onLeft(() => {
        if (waiting.delete(id)) write({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
      });
    },
  };
}

/** Where answers go: events where the client takes them. */
function streamTo(request, response, headers) {
  const isEvents = (request.headers.accept ?? "").includes("text/event-stream");
  const start = () => {
    if (!response.headersSent)
      response.writeHead(200, { "content-type": "text/event-stream", ...headers }).flushHeaders();
  };
  const event = (message) => {
    if (!isEvents) return;
    start();
    response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  };
  return {
    start,
    event,
    end: (message) => {
      if (response.headersSent) {
        event(message);
        response.end();
      } else {
        const status = message.error?.code === -32601 ? 404 : message.error?.code < -32000 ? 400 : 200;
        response
          .writeHead(headers["mcp-session-id"] ? 200 : status, { "content-type": "application/json", ...headers })
          .end(JSON.stringify(message));
      }
    },
    onLeft: (act) => response.once("close", act),
  };
}

/** A process stays with the revision of its first request: one of no session is asked in the newest first. */
const OPENING = {
  ...{ jsonrpc: "2.0", id: "b-0", method: "tools/list" },
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "bridge", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
};

let shared;
function answer(request, response, text) {
  const refuse = (status) => void response.writeHead(status).end();
  const host = request.headers.host ?? "";
  const origin = request.headers.origin ?? `http://${host}`;
  if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host) || !/^http:\/\/(127\.0\.0\.1|localhost)(:\d+)?$/.test(origin))
    return refuse(403);
  const session = request.headers["mcp-session-id"];
  const known = session === undefined ? undefined : sessions.get(session);
  if (session !== undefined && known === undefined) return refuse(404);
  if (request.method === "DELETE") {
    known?.close();
    sessions.delete(session);
    return refuse(known === undefined ? 405 : 200);
  }
  if (request.method === "GET") {
    if (known === undefined) return refuse(405);
    const stream = streamTo(request, response, {});
    stream.start();
    return known.listen(stream);
  }
  const message = JSON.parse(text);
  const opens = message.method === "initialize";
  const id = opens ? randomUUID() : undefined;
  const isModern = (request.headers["mcp-protocol-version"] ?? "") >= "2026-07-28";
  if (opens) sessions.set(id, started());
  if (isModern && shared === undefined) {
    shared = started();
    shared.tell(OPENING);
  }
  const to = opens ? sessions.get(id) : (known ?? (isModern ? shared : undefined));
  if (to === undefined) return refuse(400);
  if ("method" in message && "id" in message)
    return to.ask(message, streamTo(request, response, opens ? { "mcp-session-id": id } : {}));
  to.tell(message);
  refuse(202);
}

createServer((request, response) => {
  let text = "";
  request.on("data", (chunk) => {
    text += chunk;
  });
  request.on("end", () => {
    try {
      answer(request, response, text);
    } catch {
      response.writeHead(400).end();
    }
  });
}).listen(Number(port), "127.0.0.1", () => process.stdout.write("ready\n"));
for (const signal of ["SIGTERM", "SIGINT"])
  process.on(signal, () => {
    for (const one of [...sessions.values(), ...(shared ? [shared] : [])]) one.close();
    process.exit(0);
  });

/** The gateway over HTTP as a whole: messages, what is not read, addresses, faults and the end. */

import type { ServerResponse } from "node:http";
import { isLoopback } from "../../../compiler/enforcement/gateway/http-gateway.ts";
import { LIMITS } from "../../../compiler/enforcement/gateway/limits.ts";
import { type Check, same } from "./check.ts";
import { clocked, until, wait } from "./clock.ts";
import { type Behind, call, done, INITIALIZE, OK, parsed, ping, refused, remote, say } from "./remote.ts";
import { remoteIdChecks } from "./remote-ids.ts";
import { remoteSessionChecks } from "./remote-sessions.ts";

export function remoteChecks(): readonly Check[] {
  return [
    { what: "messages through the gateway", run: messages },
    { what: "requests that are not read", run: unread },
    { what: "bodies that are not messages", run: bodies },
    { what: "headers and messages", run: headers },
    ...remoteSessionChecks(),
    ...remoteIdChecks(),
    { what: "other addresses", run: addresses },
    { what: "the oldest transport behind the gateway", run: oldest },
    { what: "faults of the gateway", run: faults },
    { what: "the end of a gateway", run: ends },
  ];
}

async function messages(): Promise<void> {
  await remote(done, {}, async (of) => {
    same("a call", parsed(await of.post(call("yes"), { authorization: "Bearer t" })), [200, OK]);
    same("its body", JSON.parse(of.sent[0]?.body ?? ""), { jsonrpc: "2.0", ...call("yes") });
    same("its token", of.sent[0]?.headers.authorization, "Bearer t");
    const deniedCall = await of.post(call("no", "a"));
    same("a denial", [deniedCall.status, deniedCall.text.includes("FLAGS")], [200, true]);
    same("records", [of.records, of.sent.length], [["ALLOW yes", "FLAGS no"], 1]);
    const unknown = 'the gateway knows no method "tools/other"';
    same("no method", parsed(await of.post({ id: 1, method: "tools/other" })), refused(404, -32_601, unknown, 1));
    const nameless = "`name` is the name of a tool";
    same("no name", parsed(await of.post({ id: 1, method: "tools/call" })), refused(200, -32_602, nameless, 1));
    same("a notification", (await of.post({ method: "x" })).status, 502);
    for (const method of ["tools/call", "TOOLS/call"])
      same(
        method,
        parsed(await of.post({ method, params: { name: "yes" } })),
        refused(400, -32_600, "a call of a tool wants an answer"),
      );
    same("an answer that is answered", (await of.post({ id: 7, result: {} })).status, 502);
    same("a stream", (await of.send("GET", "/mcp", {})).status, 502);
    same(
      "asked",
      of.sent.map(({ method }) => method),
      ["POST", "POST", "POST", "GET"],
    );
    const { text, headers } = await of.send("GET", "/metrics", {});
    const lines = ["m 1", "# TYPE portcullis_mcp_requests_total counter", "portcullis_mcp_requests_total 10"];
    const gauge = ["# TYPE portcullis_mcp_sessions gauge", "portcullis_mcp_sessions 0", ""];
    same(
      "metrics",
      [text, headers["content-type"]],
      [[...lines, ...gauge].join("\n"), "text/plain; version=0.0.4; charset=utf-8"],
    );
    for (const path of ["/health", "/metrics"]) same(`HEAD ${path}`, (await of.send("HEAD", path, {})).status, 200);
    same("health", parsed(await of.send("GET", "/health", {})), [200, {}]);
  });
}

async function unread(): Promise<void> {
  await remote(done, {}, async (of) => {
    const where = refused(404, -32_600, "clients ask `/mcp`");
    const none = refused(405, -32_600, "there is no such method");
    for (const [method, path, headers, expected] of [
      ["GET", "/", {}, where],
      ["POST", "/mcp?x=1", {}, where],
      ["POST", "/health", {}, where],
      ["POST", "/metrics", {}, where],
      ["PUT", "/mcp", {}, none],
      ["OPTIONS", "/mcp", {}, none],
      [
        "GET",
        "/mcp",
        { host: "evil.example" },
        refused(403, -32_600, "the request is refused: its `Host` is not a name of this machine"),
      ],
      [
        "GET",
        "/health",
        { origin: "http://evil.example" },
        refused(403, -32_600, "the request is refused: its `Origin` is another one"),
      ],
      ["GET", "/mcp", { host: "a/b" }, refused(400, -32_600, "the `Host` header is malformed, or there are several")],
      ["GET", "/mcp", { mcp_name: "a" }, refused(400, -32_600, "`mcp_name` could be read as another header")],
    ] as const) {
      const told = await of.send(method, path, headers);
      same(`${method} ${path} ${JSON.stringify(headers)}`, parsed(told), expected);
      const { connection, allow, "www-authenticate": challenge } = told.headers;
      const methods = told.status === 405 ? "GET, POST, DELETE" : undefined;
      same("its connection", [connection, allow, challenge], ["close", methods, undefined]);
    }
    same("HEAD", (await of.send("HEAD", "/mcp", {})).status, 405);
    same("nothing went on", of.sent.length, 0);
    same("by a proxy's name", (await of.send("DELETE", `http://${of.url.host}/mcp`, {})).status, 502);
  });
}

async function bodies(): Promise<void> {
  const most = 200;
  await remote(done, { limits: { ...LIMITS, messageBytes: most, graceMs: 40 } }, async (of) => {
    const text = JSON.stringify({ jsonrpc: "2.0", ...ping });
    const json = { "content-type": "application/json" };
    const type = refused(415, -32_600, "a message is `application/json` in UTF-8");
    const long = refused(413, -32_600, `the message is longer than ${most} bytes`);
    const odd = refused(400, -32_700, "not a message of the protocol");
    const padded = (length: number): string => `${text}${" ".repeat(length - text.length)}`;
    for (const [given, body, expected] of [
      [{}, text, type],
      [{ "content-type": "text/plain" }, text, type],
      [{ "content-type": "application/json; charset=utf-7" }, text, type],
      [{ "content-type": "xapplication/json" }, text, type],
      [{ "content-type": "application/jsonx" }, text, type],
      [{ "content-type": 'Application/JSON ; charset="UTF-8" ' }, text, [200, OK]],
      [{ ...json, "content-encoding": "gzip" }, text, refused(415, -32_600, "the message is packed")],
      [{ ...json, "content-encoding": "identity" }, text, [200, OK]],
      [json, padded(most), [200, OK]],
      [json, padded(most + 1), long],
      [{ ...json, "transfer-encoding": "chunked" }, padded(most), [200, OK]],
      [{ ...json, "transfer-encoding": "chunked" }, padded(most + 1), long],
      [json, "", odd],
      [json, "[]", odd],
      [json, `[${text}]`, odd],
      [json, '{"jsonrpc":"2.0"}', odd],
    ] as const)
      same(JSON.stringify([given, body.length]), parsed(await of.send("POST", "/mcp", given, body)), expected);
    const latin = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"\u00e4"}', "latin1") as never;
    same("no UTF-8", parsed(await of.send("POST", "/mcp", json, latin)), odd);
    same("what went on", of.sent.length, 4);
  });
}

async function headers(): Promise<void> {
  await remote(done, {}, async (of) => {
    const other = "`Mcp-Method` is another method";
    for (const [message, id] of [
      [ping, 1],
      [{ method: "ping" }, undefined],
      [{ id: "a", result: {} }, "a"],
    ] as const)
      same("another", parsed(await of.post(message, { "mcp-method": "x" })), refused(400, -32_020, other, id));
    const modern = { "mcp-protocol-version": "2026-07-28" };
    same("missing", parsed(await of.post(ping, modern)), refused(400, -32_020, "`Mcp-Method` is missing", 1));
    same("nothing went on", of.sent.length, 0);
    same("there", (await of.post(ping, { ...modern, "mcp-method": "ping" })).status, 200);
    const long = refused(400, -32_600, "there are several `mcp-name`");
    same("twice", parsed(await of.post(ping, { "mcp-name": ["a", "b"] })), long);
  });
}

async function addresses(): Promise<void> {
  for (const [host, expected] of [
    ["127.0.0.1", true],
    ["::1", true],
    ["localhost", true],
    ["0.0.0.0", false],
    ["127.0.0.1.example", false],
  ] as const)
    same(host, isLoopback(host), expected);
  await remote(done, { host: "0.0.0.0" }, async (of) => {
    same(
      "by another name",
      (
        await of.send(
          "POST",
          "/mcp",
          { host: "gateway.example", "content-type": "application/json" },
          JSON.stringify({ jsonrpc: "2.0", ...ping }),
        )
      ).status,
      200,
    );
    const page = await of.send("GET", "/mcp", { host: "gateway.example", origin: "http://evil.example" });
    same("by a page", page.status, 403);
  });
  await remote(done, { host: "::1" }, async (of) => {
    same("version 6", [of.url.hostname, (await of.post(ping)).status], ["[::1]", 200]);
  });
}

async function oldest(): Promise<void> {
  let stream: ServerResponse | undefined;
  const behind: Behind = ({ method, body }, response) => {
    if (method === "POST") {
      response.writeHead(202).end();
      stream?.write(
        `event: other\n\ndata: ${JSON.stringify({ jsonrpc: "2.0", id: (JSON.parse(body) as { id: number }).id, result: {} })}\n\n`,
      );
      return;
    }
    stream = response;
    response.writeHead(200, { "content-type": "text/event-stream" }).write("event: endpoint\ndata: /m\n\n");
  };
  await remote(behind, { isSse: true, sessions: { most: 1, idleMs: 20 } }, async (of) => {
    const { status, text, headers } = await of.post(INITIALIZE);
    same("opened", [status, text.includes('"result":{}'), typeof headers["mcp-session-id"]], [200, true, "string"]);
    same("a fault", of.lines, ["server: an event without a message was dropped"]);
    const closed = new Promise((resolve) => stream?.once("close", resolve));
    await wait(40);
    same("idle", (await of.post(ping, { "mcp-session-id": headers["mcp-session-id"] })).status, 404);
    await closed;
  });
}

async function faults(): Promise<void> {
  const full = (): never => {
    throw new Error("full");
  };
  await remote(done, { record: full }, async (of) => {
    const words = "the request could not be decided and recorded";
    same("a record", parsed(await of.post(call("yes"))), refused(200, -32_603, words, 1));
    same("said", [of.lines, of.sent.length], [["a request was not forwarded: full"], 0]);
  });
  await remote(done, { metrics: full }, async (of) => {
    same(
      "metrics",
      parsed(await of.send("GET", "/metrics", {})),
      refused(500, -32_600, "the request could not be answered"),
    );
    same("said", of.lines, ["request: full"]);
    for (let i = 0; i < 21; i++) await of.send("GET", "/metrics", {});
    await of.close();
    same("how many were not said", of.lines.slice(20), ["2 further faults were not logged"]);
  });
  const broken: Behind = (_, response) => {
    response
      .writeHead(200, { "content-type": "text/event-stream" })
      .write(`data: ${JSON.stringify({ jsonrpc: "2.0", method: "x" })}\n\n`);
    setTimeout(() => response.destroy(), 10);
  };
  await remote(broken, {}, async (of) => {
    const { status, text } = await of.post(ping);
    same("in the middle", [status, text.includes("the server cannot be reached")], [200, true]);
  });
}

function ends(): Promise<void> {
  const waiting: ServerResponse[] = [];
  const behind: Behind = (_, response) => void waiting.push(response);
  return clocked((tick) =>
    remote(behind, { limits: { ...LIMITS, graceMs: 60 } }, async (of) => {
      const finished = of.post(ping);
      const cut = of.post(call("yes", 2)).then(
        () => "ended",
        () => "cut",
      );
      await until(() => waiting.length === 2);
      const closing = of.close();
      const now = await of.send("GET", "/health", {}).then(
        () => "taken",
        () => "refused",
      );
      await tick(59);
      say(waiting[0] as ServerResponse, { id: 1, result: {} });
      same("finished", [now, (await finished).status], ["refused", 200]);
      await tick(1);
      same("what is under way for too long", await cut, "cut");
      await closing;
    }),
  );
}

/** The gateway over HTTP as a whole: a client that is us, a server that is a function, and a policy that is one. */
import { request as ask, type IncomingHttpHeaders, type OutgoingHttpHeaders, type ServerResponse } from "node:http";
import { memoryHistory } from "@portcullis/runtime";
import {
  type HttpGatewayOptions,
  isLoopback,
  serveGateway,
} from "../../../compiler/enforcement/gateway/http-gateway.ts";
import type { Identified } from "../../../compiler/enforcement/gateway/identity.ts";
import { LIMITS } from "../../../compiler/enforcement/gateway/limits.ts";
import { type Check, same } from "./check.ts";
import { clocked, until, wait } from "./clock.ts";
import { serving } from "./serving.ts";
import { ALLOW, CALLER, deciding, denied, TOOLS } from "./verdicts.ts";

export function remoteChecks(): readonly Check[] {
  return [
    { what: "messages through the gateway", run: messages },
    { what: "requests that are not read", run: unread },
    { what: "bodies that are not messages", run: bodies },
    { what: "headers and messages", run: headers },
    { what: "who asks", run: identities },
    { what: "sessions of the gateway", run: sessions },
    { what: "how many sessions", run: reserved },
    { what: "sessions of the newest revision", run: stateless },
    { what: "counts by session", run: counted },
    { what: "streams and tokens", run: held },
    { what: "other addresses", run: addresses },
    { what: "the oldest transport behind the gateway", run: oldest },
    { what: "faults of the gateway", run: faults },
    { what: "the end of a gateway", run: ends },
  ];
}

interface Told {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}
interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}
type Behind = (sent: Sent, response: ServerResponse) => void;

const POLICY = deciding({ yes: ALLOW, no: denied("FLAGS") });
const say = (response: ServerResponse, value: object, more: OutgoingHttpHeaders = {}, status = 200): void =>
  void response
    .writeHead(status, { "content-type": "application/json", ...more })
    .end(JSON.stringify({ jsonrpc: "2.0", ...value }));
const idOf = ({ body }: Sent): unknown =>
  body === "" ? undefined : (JSON.parse(body) as { readonly id?: unknown }).id;
const done: Behind = (sent, response) => say(response, { id: idOf(sent), result: { ok: true } });

interface Remote {
  readonly url: URL;
  readonly sent: readonly Sent[];
  readonly lines: readonly string[];
  readonly records: readonly string[];
  send(method: string, path: string, headers: OutgoingHttpHeaders, body?: string): Promise<Told>;
  post(value: object, headers?: OutgoingHttpHeaders): Promise<Told>;
  close(): Promise<void>;
}

/** Asks a gateway in front of such a server. */
async function remote(behind: Behind, given: Partial<HttpGatewayOptions>, work: (of: Remote) => Promise<void>) {
  await serving(behind, async (upstream, sent) => {
    const [lines, records]: [string[], string[]] = [[], []];
    const gateway = await serveGateway({
      ...{ policy: POLICY, caller: CALLER, tools: TOOLS, limits: { ...LIMITS, graceMs: 40 }, maxConnections: 100 },
      ...{ sessions: { most: 9, idleMs: 60_000 }, upstream, host: "127.0.0.1", port: 0, metrics: () => "m 1\n" },
      record: ({ gate }, name) => void records.push(`${gate} ${name}`),
      log: (line) => lines.push(line),
      ...given,
    });
    const url = new URL(gateway.url);
    const send = (method: string, path: string, headers: OutgoingHttpHeaders, body?: string): Promise<Told> =>
      new Promise((resolve, reject) => {
        const host = url.hostname.replace(/^\[|\]$/g, "");
        const options = { method, path, headers, host, port: url.port, agent: false };
        const asking = ask(options as never, (response) => {
          let text = "";
          response.on("data", (chunk: Buffer) => {
            text += chunk.toString();
          });
          const end = (): void => resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
          response.on("end", end).on("error", reject);
        });
        asking.on("error", reject).end(body);
      });
    const post = (value: object, headers: OutgoingHttpHeaders = {}): Promise<Told> =>
      send(
        "POST",
        "/mcp",
        { "content-type": "application/json", ...headers },
        JSON.stringify({ jsonrpc: "2.0", ...value }),
      );
    let closed: Promise<void> | undefined;
    const close = (): Promise<void> => {
      closed ??= gateway.close();
      return closed;
    };
    try {
      await work({ url, sent, lines, records, send, post, close });
    } finally {
      await close();
    }
  });
}

const call = (name: string, id: unknown = 1): object => ({ id, method: "tools/call", params: { name, arguments: {} } });
const ping = { id: 1, method: "ping" };
const OK = { jsonrpc: "2.0", id: 1, result: { ok: true } };
const parsed = ({ status, text }: Told): unknown => [status, text === "" ? "" : (JSON.parse(text) as unknown)];
const refused = (status: number, code: number, message: string, id?: unknown): unknown => [
  status,
  { jsonrpc: "2.0", ...(id === undefined ? {} : { id }), error: { code, message } },
];

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
    same("an answer", (await of.post({ id: 7, result: {} })).status, 200);
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

async function identities(): Promise<void> {
  const found: Identified = { caller: { ...CALLER, role: "S" }, principal: "p" };
  const asked: unknown[] = [];
  const identity = {
    callerOf: async (authorization: string | undefined) => {
      asked.push(authorization);
      if (authorization === "broken") throw new Error("no keys");
      return authorization === "good" ? found : undefined;
    },
  };
  const policy = deciding({ yes: ALLOW });
  await remote(done, { identity, policy }, async (of) => {
    const missing = await of.post(call("yes"));
    same("no token", parsed(missing), refused(401, -32_600, "the request bears no valid token"));
    same("how to ask", missing.headers["www-authenticate"], "Bearer");
    same("metrics", (await of.send("GET", "/metrics", {})).status, 401);
    same("health", (await of.send("GET", "/health", {})).headers["www-authenticate"], undefined);
    const broken = await of.post(call("yes"), { authorization: "broken" });
    same("no keys", parsed(broken), refused(503, -32_600, "the keys that verify tokens cannot be had"));
    same("said", of.lines, ["identity: the keys cannot be had: no keys"]);
    same("nothing is decided", [policy.asked.length, of.sent.length], [0, 0]);
    same("a token", (await of.post(call("yes"), { authorization: "good" })).status, 200);
    same(
      "whose it is",
      policy.asked.map(({ role }) => role),
      ["S"],
    );
  });
}

const INITIALIZE = { id: 1, method: "initialize", params: {} };
/** Opens a session for each `initialize`, under the name that the client gives it. */
const opening: Behind = (sent, response) => {
  const { "x-open": id, "x-status": status = "200" } = sent.headers;
  say(
    response,
    { id: idOf(sent) ?? 1, result: { ok: true } },
    id === undefined ? {} : { "mcp-session-id": id },
    Number(status),
  );
};

async function sessions(): Promise<void> {
  await remote(opening, {}, async (of) => {
    const gone = refused(404, -32_600, "there is no session of this id");
    const use = (id: string, authorization = "one"): Promise<Told> =>
      of.post(ping, { "mcp-session-id": id, authorization });
    const open = (id: string, message: object = INITIALIZE, more: OutgoingHttpHeaders = {}): Promise<Told> =>
      of.post(message, { "x-open": id, authorization: "one", ...more });
    same("unknown", parsed(await use("a")), gone);
    const opened = await open("a");
    same("opened", [opened.status, opened.headers["mcp-session-id"]], [200, "a"]);
    same("theirs", [(await use("a")).status, parsed(await use("a", "two"))], [200, gone]);
    same("without a token", parsed(await of.post(ping, { "mcp-session-id": "a" })), gone);
    await open("a", INITIALIZE, { authorization: "two" });
    same("the first one's still", [(await use("a")).status, parsed(await use("a", "two"))], [200, gone]);
    for (const [message, more] of [
      [ping, {}],
      [{ method: "initialize" }, {}],
      [{ id: 1, result: {} }, {}],
      [INITIALIZE, { "x-status": "400" }],
      [INITIALIZE, { "x-status": "300" }],
    ] as const) {
      await open("b", message, more);
      same(`not by ${JSON.stringify([message, more])}`, parsed(await use("b")), gone);
    }
    await open("c", INITIALIZE, { "x-status": "299" });
    same("299", (await use("c")).status, 200);
    await open("");
    await of.post(INITIALIZE, { authorization: "one" });
    const remove = (more: OutgoingHttpHeaders): Promise<Told> =>
      of.send("DELETE", "/mcp", { "mcp-session-id": "a", authorization: "one", ...more });
    for (const status of ["405", "300"]) await remove({ "x-status": status });
    same("not closed", (await use("a")).status, 200);
    await of.post(ping, { "mcp-session-id": "a", authorization: "one", "x-status": "400" });
    same("nor by another failure", (await use("a")).status, 200);
    await remove({ "x-status": "299" });
    same("closed", parsed(await use("a")), gone);
    await of.post(ping, { "mcp-session-id": "c", authorization: "one", "x-status": "404" });
    same("not known to the server", parsed(await use("c")), gone);
    const metrics = await of.send("GET", "/metrics", {});
    same("how many", /portcullis_mcp_sessions (\d+)/.exec(metrics.text)?.[1], "1");
  });
}

async function reserved(): Promise<void> {
  const waiting: (() => void)[] = [];
  const behind: Behind = (sent, response) =>
    void waiting.push(() => say(response, { id: idOf(sent), result: {} }, { "mcp-session-id": `s-${waiting.length}` }));
  const { performance } = globalThis;
  const clock = performance.now.bind(performance);
  let ahead = 0;
  performance.now = () => clock() + ahead;
  await remote(behind, { sessions: { most: 1, idleMs: 60_000 } }, async (of) => {
    const first = of.post(INITIALIZE);
    await until(() => waiting.length === 1);
    const full = refused(503, -32_600, "there are as many sessions as there may be", 1);
    same("is being opened", parsed(await of.post(INITIALIZE)), full);
    waiting[0]?.();
    const { status, headers } = await first;
    same("opened", status, 200);
    // In use, it is not idle.
    const using = of.post(ping, { "mcp-session-id": headers["mcp-session-id"] });
    await until(() => waiting.length === 2);
    ahead += 61_000;
    same("in use", parsed(await of.post(INITIALIZE)), full);
    waiting[1]?.();
    await using;
    same("used just now", parsed(await of.post(INITIALIZE)), full);
    ahead += 61_000;
    const third = of.post(INITIALIZE);
    await until(() => waiting.length === 3);
    waiting[2]?.();
    same("idle", (await third).status, 200);
  }).finally(() => {
    performance.now = clock;
  });
}

async function stateless(): Promise<void> {
  await remote(done, {}, async (of) => {
    const modern = { "mcp-protocol-version": "2026-07-28", "mcp-method": "ping" };
    same("without one", (await of.post(ping, { ...modern, "mcp-session-id": "x" })).status, 200);
    same("it does not go on", of.sent[0]?.headers["mcp-session-id"], undefined);
    same(
      "of an older one",
      (await of.post(ping, { "mcp-session-id": "x", "mcp-protocol-version": "2025-11-25" })).status,
      404,
    );
  });
}

/** Who counts is one, whatever token, and a session of theirs is another one: each has a budget of its own. */
async function counted(): Promise<void> {
  const limits = { L: { calls: {}, per: ["session"], max_calls: 1 } };
  const identity = {
    callerOf: async (authorization: string | undefined) => ({ caller: CALLER, principal: authorization ?? "" }),
  };
  for (const given of [{}, { identity }]) {
    const policy = Object.assign(deciding({ yes: ALLOW }), { limits });
    await remote(opening, { ...given, policy: policy as never, facts: { history: memoryHistory() } }, async (of) => {
      const named = async (headers: OutgoingHttpHeaders): Promise<unknown> => {
        await of.post(call("yes"), headers);
        const { facts } = policy.asked.at(-1) as unknown as { readonly facts: { readonly session: unknown } };
        return facts.session;
      };
      await of.post(INITIALIZE, { "x-open": "s", authorization: "one" });
      const one = await named({ authorization: "one" });
      const two = await named({ authorization: "two" });
      const session = await named({ authorization: "one", "mcp-session-id": "s" });
      same("who", one === two, !("identity" in given));
      same(
        "a session",
        [session === one, session],
        [false, await named({ authorization: "one", "mcp-session-id": "s" })],
      );
      same(
        "digests",
        [session, one].every((text) => String(text).length === 44),
        true,
      );
    });
  }
}

async function held(): Promise<void> {
  let now: Identified | undefined | Error = { caller: CALLER, principal: "p" };
  let looks = 0;
  const identity = {
    callerOf: async () => {
      looks++;
      if (now instanceof Error) throw now;
      return now;
    },
  };
  const behind: Behind = (_, response) =>
    void response.writeHead(200, { "content-type": "text/event-stream" }).write(":\n\n");
  const listen = { id: 1, method: "subscriptions/listen", params: {} };
  const GOOD = now;
  for (const later of [undefined, { ...GOOD, principal: "q" }, new Error("no keys")])
    await remote(behind, { identity, recheckMs: 10 }, async (of) => {
      now = GOOD;
      const ends: string[] = [];
      const watch = (name: string, asked: Promise<Told>): void =>
        void asked.then(
          () => ends.push(`${name} ended`),
          () => ends.push(`${name} cut`),
        );
      watch("stream", of.send("GET", "/mcp", {}));
      watch("subscription", of.post(listen));
      watch("call", of.post(ping));
      await until(() => of.sent.length === 3);
      const before = looks;
      await until(() => looks > before + 3);
      same("stays", ends, []);
      now = later;
      await until(() => ends.length === 2);
      await wait(30);
      same("ends with its token", ends.sort(), ["stream cut", "subscription cut"]);
      const after = looks;
      await wait(40);
      same("is looked at no more", looks, after);
    });
  await remote(behind, { recheckMs: 10 }, async (of) => {
    const cut = of.send("GET", "/mcp", {}).then(
      () => "ended",
      () => "cut",
    );
    const first = await Promise.race([cut, wait(60).then(() => "open")]);
    same("without an identity", first, "open");
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

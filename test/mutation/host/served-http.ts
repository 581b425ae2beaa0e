/** The server itself: who is answered, by which API, with which head; and what becomes of its connections, sockets and end. */
import { mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server as NetServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ServeOptions, type Server, serve } from "../../../compiler/enforcement/serving/server.ts";
import { type Check, same } from "./check.ts";
import { answering } from "./served-policy.ts";

export function httpChecks(): readonly Check[] {
  return [
    { what: "paths and methods", run: paths },
    { what: "answers' heads", run: answerHeads },
    { what: "who is answered", run: callers },
    { what: "Envoy over HTTP", run: envoy },
    { what: "state of others", run: state },
    { what: "health", run: health },
    { what: "metadata's base", run: base },
    { what: "what is not a request", run: broken },
    { what: "connections", run: connections },
    { what: "sockets", run: sockets },
    { what: "addresses", run: addresses },
    { what: "the end", run: end },
  ];
}

const TOKEN = "0123456789abcdef0123";
const BEARS = `Authorization: Bearer ${TOKEN}`;

function policyOf(): ReturnType<typeof answering> {
  const policy = answering({
    "app/ok": (input) => ({ is: "data", input }),
    "system/main": () => "main",
    "authzen/evaluation": () => ({ decision: true }),
    "portcullis/envoy/authz": () => ({ allowed: true }),
  });
  return Object.assign(policy, { evaluate: (entry: string) => (entry === "system/main" ? "main" : { is: "data" }) });
}

async function serving(options: Partial<ServeOptions>, work: (server: Server) => Promise<void>): Promise<void> {
  const policy = policyOf();
  const server = await serve({
    served: () => ({ policy }),
    metrics: () => "counted\n",
    ...{ host: "127.0.0.1", port: 0, authzen: "authzen/evaluation", anonymous: true, version: "0" },
    ...{ maxBodyBytes: 1000, maxConnections: 50, requestMs: 5000, graceMs: 100 },
    ...options,
  });
  try {
    await work(server);
  } finally {
    await server.close();
  }
}

/** What comes back for these bytes until the connection ends. */
function raw({ url }: Server, text: string | Buffer): Promise<string> {
  const socket = opened(url);
  socket.write(text);
  return all(socket);
}

function opened(url: string): Socket {
  if (url.startsWith("unix:")) return connect(url.slice("unix:".length));
  return connect(Number(new URL(url).port), new URL(url).hostname.replace(/[[\]]/g, ""));
}

function all(socket: Socket): Promise<string> {
  let text = "";
  return new Promise((resolve) => {
    socket.on("data", (bytes) => void (text += bytes.toString("latin1")));
    socket.on("error", () => undefined).on("close", () => resolve(text));
  });
}

interface Told {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The answer to one request of a connection, with a host of this machine where no other is said. */
async function ask(server: Server, line: string, headers: readonly string[] = [], body = ""): Promise<Told> {
  const host = headers.some((one) => one.startsWith("Host:")) ? [] : ["Host: localhost"];
  const length = body === "" ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const head = [`${line} HTTP/1.1`, ...host, "Connection: close", ...length, ...headers];
  const text = await raw(server, `${head.join("\r\n")}\r\n\r\n${body}`);
  const at = text.indexOf("\r\n\r\n");
  const [status = "", ...lines] = text.slice(0, at).split("\r\n");
  const pairs = lines.map((one) => [one.slice(0, one.indexOf(":")).toLowerCase(), one.slice(one.indexOf(":") + 2)]);
  return { status: Number(status.split(" ")[1]), headers: Object.fromEntries(pairs), body: text.slice(at + 4) };
}

const PAGE = "404 page not found\n";

async function paths(): Promise<void> {
  await serving({ token: TOKEN }, async (server) => {
    for (const [line, status, says, body = ""] of [
      ["GET /health", 200, "{}\n"],
      ["HEAD /health", 200, ""],
      ["POST /health", 405, "Method Not Allowed"],
      ["GET /health/a", 404, PAGE],
      ["GET /metrics", 200, "counted\n"],
      ["HEAD /metrics", 200, ""],
      ["POST /metrics", 405, "Method Not Allowed"],
      ["GET /metrics/a", 404, PAGE],
      ["GET /a", 404, PAGE],
      ["GET /v1/data/app/ok", 200, '{"result":{"is":"data"}}'],
      ["POST /v1/data/app/ok", 200, '"input":7', '{"input":7}'],
      ["GET /v1/data/app/ok", 200, '{"result":{"is":"data"}}', '{"input":7}'],
      ["PUT /v1/data/app/ok", 405, "GET, POST"],
      ["GET /v1/data", 404, "resource_not_found"],
      ["GET /v9/data/app/ok", 404, PAGE],
      ["GET /v1/nothing", 404, PAGE],
      ["POST /v0/data/app/ok", 200, '{"input":7,"is":"data"}', "7"],
      ["POST /v0/data", 404, "resource_not_found"],
      ["GET /v0/data/app/ok", 405, "this path takes POST"],
      ["POST /v9/data/app/ok", 404, PAGE],
      ["POST /v0/nothing", 404, PAGE],
      ["POST /", 200, '"main"\n'],
      ["GET /", 404, PAGE],
      ["POST /a", 404, PAGE],
      ["POST /access/v1/evaluation", 200, '{"decision":true}\n', "{}"],
      ["POST /access/v1/evaluations", 200, '{"evaluations":[{"decision":true}]}\n', '{"evaluations":[{}]}'],
      ["POST /access/v1/evaluation", 200, '{"decision":true}\n', '{"evaluations":[{}]}'],
      ["GET /access/v1/evaluation", 405, "this path takes POST"],
      ["POST /access/v1/evaluation/a", 404, PAGE],
      ["POST /access/v1/search/subject", 404, "which subjects"],
      ["GET /access/v1/search/subject", 405, "this path takes POST"],
      ["POST /access/v1/search/subject/a", 404, PAGE],
      ["POST /access/v1/search/a", 404, PAGE],
      ["POST /access/v1/a/subject", 404, PAGE],
      ["POST /access/a/search/subject", 404, PAGE],
      ["POST /a/v1/search/subject", 404, PAGE],
      ["GET /.well-known/authzen-configuration", 200, "access_evaluation_endpoint"],
      ["HEAD /.well-known/authzen-configuration", 200, ""],
      ["POST /.well-known/authzen-configuration", 405, "Method Not Allowed"],
      ["POST /v1/state/a", 404, PAGE],
      ["GET /v1/status", 500, "status plugin not enabled"],
      ["POST /v1/status", 405, "Method Not Allowed"],
      ["GET /v1/status/a", 404, PAGE],
      ["GET /a/status", 404, PAGE],
      ["GET /v1/policies", 404, "not supported"],
      ["GET /a/policies", 404, PAGE],
      ["GET /%ff", 400, "malformed"],
      ["GET /a?b=%ff", 400, "malformed"],
      ["GET //health", 307, ""],
      ["POST /v1/data/app/ok", 413, "1000 bytes", `{"input":"${"a".repeat(1000)}"}`],
    ] as const) {
      const told = await ask(server, line, [BEARS], body);
      same(line, [told.status, told.body.includes(says)], [status, true]);
      if (says === "") same(`${line} has no body`, told.body.length === 0 || told.status === 307, true);
    }
  });
}

async function answerHeads(): Promise<void> {
  await serving({}, async (server) => {
    const data = await ask(server, "GET /v1/data/app/ok");
    same("a decision", data.headers["content-type"], "application/json");
    same("its length", Number(data.headers["content-length"]), data.body.length);
    const packed = ["Content-Encoding: br"];
    same("a body that is not read", (await ask(server, "GET /v1/data/app/ok", packed, "a")).status, 200);
    same("one that is", (await ask(server, "POST /v1/data/app/ok", packed, "a")).status, 415);
    same("no guesses", data.headers["x-content-type-options"], "nosniff");
    same("HEAD has the length", (await ask(server, "HEAD /health")).headers["content-length"], "3");
    same("metrics", (await ask(server, "GET /metrics")).headers["content-type"]?.split(";")[0], "text/plain");
    same("methods", (await ask(server, "PUT /v1/data/app/ok")).headers["allow"], "GET, POST");
    same("a way", (await ask(server, "GET //health")).headers["location"], "/health");
    const id = async (line: string): Promise<unknown> =>
      (await ask(server, line, ["X-Request-ID: r1"], "{}")).headers["x-request-id"];
    same("an evaluation's id", await id("POST /access/v1/evaluation"), "r1");
    same("a search's id", await id("POST /access/v1/search/subject"), "r1");
    same("no other's id", await id("POST /v1/data/app/ok"), undefined);
    same("none", (await ask(server, "POST /access/v1/evaluation", [], "{}")).headers["x-request-id"], undefined);
  });
}

async function callers(): Promise<void> {
  const status = async (options: Partial<ServeOptions>, headers: readonly string[], path = "/v1/data/app/ok") => {
    let told: Told | undefined;
    await serving(options, async (server) => void (told = await ask(server, `GET ${path}`, headers)));
    return told?.status;
  };
  const [local, other] = ["Host: localhost", "Host: example.org"];
  same("a program of this machine", await status({ anonymous: false }, [local]), 200);
  same("another name", await status({ anonymous: false }, [other]), 403);
  same("health under another name", await status({ anonymous: false }, [other], "/health"), 403);
  same("anybody", await status({ anonymous: true }, [other]), 200);
  for (const anonymous of [true, false]) {
    const own = { anonymous, token: TOKEN };
    for (const path of ["/v1/data/app/ok", "/ext-authz/a", "/metrics", "/nothing"]) {
      same(`no token at ${path}`, await status(own, [local], path), 401);
      const wrong = [other, `Authorization: Bearer ${TOKEN}0`];
      same(`another token at ${path}`, await status(own, wrong, path), 401);
      same(`the token at ${path}`, await status(own, [other, BEARS], path), path === "/nothing" ? 404 : 200);
    }
    same("health without a token", await status(own, [other], "/health"), 200);
  }
  await serving({ token: TOKEN }, async (server) => {
    same("what is wanted", (await ask(server, "GET /a")).headers["www-authenticate"], "Bearer");
  });
}

async function envoy(): Promise<void> {
  const checked = async (options: Partial<ServeOptions>, headers: readonly string[], body: string | Buffer = "") => {
    const policy = policyOf();
    let text = "";
    await serving({ served: () => ({ policy }), ...options }, async (server) => {
      const head = ["PUT /ext-authz/a/b?c=d HTTP/1.1", "Host: h", "Connection: close", ...headers];
      const bytes = Buffer.concat([
        Buffer.from(`${head.join("\r\n")}\r\nContent-Length: ${body.length}\r\n\r\n`),
        Buffer.from(body),
      ]);
      text = await raw(server, bytes);
    });
    same("is let through", text.startsWith("HTTP/1.1 200 "), true);
    const [{ input } = { input: undefined }] = policy.asked;
    return (input as { attributes: { request: { http: Record<string, unknown> } } }).attributes.request.http;
  };
  const http = await checked({}, ["X: 1", "X: 2", BEARS], "text");
  same(
    "what is asked",
    { ...http, headers: undefined },
    { method: "PUT", path: "/a/b?c=d", protocol: "HTTP/1.1", body: "text" },
  );
  const headers = http["headers"] as Readonly<Record<string, unknown>>;
  same("its headers", [headers["x"], headers["host"]], ["1,2", "h"]);
  same("a credential of the client's", headers["authorization"], `Bearer ${TOKEN}`);
  const own = (await checked({ token: TOKEN }, [BEARS, "X: 1"]))["headers"] as Readonly<Record<string, unknown>>;
  same("the token is not the policy's", [own["authorization"], own["x"]], [undefined, "1"]);
  same("no text", "body" in (await checked({}, [], Buffer.from([0xff]))), false);
  const headed = { "content-type": "text/a", "x-a": "b" };
  const policy = answering({ "portcullis/envoy/authz": () => ({ allowed: false, headers: headed, body: "no" }) });
  await serving({ served: () => ({ policy }) }, async (server) => {
    const told = await ask(server, "GET /ext-authz/a");
    same(
      "a denial",
      [told.status, told.headers["content-type"], told.headers["x-a"], told.body],
      [403, "text/a", "b", "no"],
    );
    same("elsewhere", (await ask(server, "GET /a/ext-authz/")).body.includes("no"), false);
  });
}

async function state(): Promise<void> {
  const asked: string[] = [];
  const kept = {
    answer: (_: unknown, path: string, body: string) => {
      asked.push(`${path} ${body}`);
      return Promise.resolve({ status: 207, value: { kept: true } });
    },
  } as never;
  await serving({ token: TOKEN, state: kept }, async (server) => {
    const told = await ask(server, "POST /v1/state/a/b", [BEARS], "{}");
    same("state", [told.status, told.body, asked.join()], [207, '{"kept":true}\n', "a/b {}"]);
    same("another method", (await ask(server, "GET /v1/state/a", [BEARS])).status, 405);
    for (const path of ["/v1/a/state", "/v2/state/a", "/v1/nothing"])
      same(path, (await ask(server, `POST ${path}`, [BEARS])).body, PAGE);
  });
  await serving({ state: kept }, async (server) => {
    same("without a token", (await ask(server, "POST /v1/state/a", [], "{}")).body, PAGE);
  });
  same("is asked once", asked.length, 1);
}

async function health(): Promise<void> {
  for (const isStale of [true, false, undefined])
    await serving(
      { served: () => ({ policy: policyOf(), ...(isStale === undefined ? {} : { isStale }) }) },
      async (server) => {
        const status = async (path: string): Promise<number> => (await ask(server, `GET ${path}`)).status;
        same("health", await status("/health"), 200);
        same(`health of a policy that is ${isStale}`, await status("/health?bundles"), isStale === true ? 503 : 200);
        same("body", (await ask(server, "GET /health?bundles")).body.includes("stale"), isStale === true);
      },
    );
}

async function base(): Promise<void> {
  await serving({}, async (server) => {
    const point = async (...headers: string[]): Promise<unknown> => {
      const { body } = await ask(server, "GET /.well-known/authzen-configuration", headers);
      return (JSON.parse(body) as { policy_decision_point: unknown }).policy_decision_point;
    };
    same("as asked", await point("Host: a.example:1"), "http://a.example:1");
    same("behind TLS", await point("Host: a.example", "X-Forwarded-Proto: https"), "https://a.example");
    same("behind none", await point("Host: a.example", "X-Forwarded-Proto: http"), "http://a.example");
  });
}

async function broken(): Promise<void> {
  await serving({}, async (server) => {
    same("no HTTP", (await raw(server, "hello\r\n\r\n")).startsWith("HTTP/1.1 400 "), true);
    const twice = await raw(server, "GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n");
    same("two hosts", [twice.startsWith("HTTP/1.1 400 "), twice.includes("Connection: close")], [true, true]);
  });
  const failing = answering({ "app/ok": () => void 0 });
  Object.assign(failing, {
    evaluate: () => {
      throw new Error("broken");
    },
  });
  await serving({ served: () => ({ policy: failing }) }, async (server) => {
    same("an answer that fails", await raw(server, "GET /v1/data/app/ok HTTP/1.1\r\nHost: a\r\n\r\n"), "");
  });
  await serving({ requestMs: 50 }, async (server) => {
    const late = await raw(server, "POST /v1/data/app/ok HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{");
    same("what does not arrive", late.includes("200"), false);
  });
}

async function connections(): Promise<void> {
  await serving({ maxConnections: 2 }, async (server) => {
    const get = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n";
    const answered = (socket: Socket): Promise<string> =>
      new Promise((resolve) => {
        socket.once("data", (bytes) => resolve(bytes.toString())).on("error", () => undefined);
        socket.once("close", () => resolve("closed"));
        socket.write(get);
      });
    const kept = [opened(server.url), opened(server.url)];
    for (const socket of kept) same("one that may", (await answered(socket)).startsWith("HTTP/1.1 200 "), true);
    same("goes on", (await answered(kept[0] as Socket)).includes("Connection: close"), false);
    same("one too many", await answered(opened(server.url)), "closed");
    for (const socket of kept) socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 20));
    const next = opened(server.url);
    same("after them", (await answered(next)).startsWith("HTTP/1.1 200 "), true);
    next.destroy();
  });
}

async function sockets(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "portcullis-served-"));
  const at = (name: string): string => join(folder, name);
  const listens = async (socketPath: string): Promise<string> => {
    const mask = process.umask(0o777);
    try {
      let status = 0;
      await serving({ socketPath, token: TOKEN }, async (server) => {
        same("its address", server.url, `unix:${socketPath}`);
        same("everybody may connect", statSync(socketPath).mode & 0o666, 0o666);
        ({ status } = await ask(server, "GET /v1/data/app/ok", [BEARS]));
      });
      return String(status);
    } catch (error) {
      return (error as { code?: string }).code ?? (error as Error).name;
    } finally {
      process.umask(mask);
    }
  };
  try {
    same("a new one", await listens(at("new")), "200");
    writeFileSync(at("file"), "");
    same("a file", [await listens(at("file")), statSync(at("file")).isFile()], ["EADDRINUSE", true]);
    let thrown = "";
    await serving({ socketPath: at("none") }, async () => undefined).catch(
      (error: Error) => void (thrown = error.name),
    );
    same("without a token", thrown, "TypeError");
    const live = await listening(at("live"));
    same("one that is listened on", [await listens(at("live")), statSync(at("live")).isSocket()], ["EADDRINUSE", true]);
    live.close();
    // A server removes the name that it has made: under another the socket stays when it is gone.
    const gone = await listening(at("gone"));
    renameSync(at("gone"), at("dead"));
    await new Promise((resolve) => gone.close(resolve));
    same("one whose server is gone", [statSync(at("dead")).isSocket(), await listens(at("dead"))], [true, "200"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function listening(path: string): Promise<NetServer> {
  const server = createServer();
  return new Promise((resolve) => server.listen(path, () => resolve(server)));
}

async function addresses(): Promise<void> {
  await serving({}, async ({ url }) => same("IPv4", /^http:\/\/127\.0\.0\.1:\d+$/.test(url), true));
  await serving({ host: "::1" }, async ({ url }) => same("IPv6", /^http:\/\/\[::1\]:\d+$/.test(url), true));
}

async function end(): Promise<void> {
  await serving({ graceMs: 5000 }, async (server) => {
    const socket = opened(server.url);
    const text = all(socket);
    socket.write("POST /v0/data/app/ok HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n");
    await new Promise((resolve) => socket.once("data", resolve));
    const closed = server.close();
    socket.write("7");
    const answer = await text;
    same("what was under way", [answer.includes('"input":7'), answer.includes("Connection: close")], [true, true]);
    await closed;
    same("it is the same end", await Promise.race([server.close().then(() => true)]), true);
    same("no other", await raw(server, "GET /health HTTP/1.1\r\nHost: a\r\n\r\n"), "");
  });
}

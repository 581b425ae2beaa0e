/** The HTTP server: who may ask, how much and for how long; what is asked goes to the API that it names. */

import { isUtf8 } from "node:buffer";
import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { rmSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { FactHost, Policy } from "@portcullis/runtime";
import { endBroken, foreignTo, headProblem, holdConnections, isNext, originForm } from "../http/index.ts";
import type { KeptState } from "../state/index.ts";
import { type Answer, problem, unsupported } from "./answer.ts";
import { answerEvaluation, answerEvaluations } from "./authzen.ts";
import { answerConfiguration, answerSearch, isSought } from "./authzen-search.ts";
import type { Calls } from "./call-history.ts";
import { answerData, answerDocument, type ServedFacts } from "./data-api.ts";
import { answerCheck, type CheckAnswer, type CheckedRequest } from "./ext-authz.ts";
import { type CheckServer, serveChecks } from "./ext-authz-grpc.ts";
import { type RecordingLog, recordedAnswer } from "./recorded-answer.ts";
import { bodyOf, Refused, sentBytes } from "./request-body.ts";
import { redirectOf, targetOf } from "./request-path.ts";
import { answerSuccess } from "./successes.ts";

export interface ServedPolicy {
  /** Read once a request. */
  readonly policy: Policy;
  /** The policy denies everything: its source has not been heard of for too long. */
  readonly isStale?: boolean;
}

export interface ServeOptions {
  readonly served: () => ServedPolicy;
  /** The text of `GET /metrics`. */
  readonly metrics: () => string | Promise<string>;
  /** Ignored with `socketPath`. */
  readonly host: string;
  /** The path of a socket that is listened on in place of a port. Every user may connect who reaches its folder: the token is asked for. */
  readonly socketPath?: string | undefined;
  /** Takes AuthZEN's requests, `pkg/rule`. */
  readonly authzen: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Requests must bear it, except for `/health`. Without it programs of this machine alone are answered. */
  readonly token?: string | undefined;
  /** Without a token: whether everybody is answered. */
  readonly anonymous?: boolean;
  /** The log of a policy that denies what it does not take. An answer is given when its decisions are in it. */
  readonly requiredLog?: RecordingLog | undefined;
  /** Most bytes of a body, both packed and unpacked. */
  readonly maxBodyBytes: number;
  readonly maxConnections: number;
  /** For a request to arrive. A client that does not read its answers has twice as long. */
  readonly requestMs: number;
  /** For requests under way, when the server is told to end. */
  readonly graceMs: number;
  readonly version: string;
  /** Whether requests may have `facts`: every client is a host that finds them out. */
  readonly trustFacts?: boolean;
  /** What facts of calls are found out with. */
  readonly facts?: FactHost;
  /** History and approvals that are kept for others, who bear the token. */
  readonly state?: KeptState | undefined;
  /** `host:port` that takes Envoy's checks over gRPC. */
  readonly checks?: string | undefined;
}

export interface Server {
  readonly url: string;
  /** Takes no more requests, finishes those under way, and ends. */
  close(): Promise<void>;
}

/** Rejects when the address cannot be listened on. */
export async function serve(options: ServeOptions): Promise<Server> {
  const tokenDigest = options.token === undefined ? undefined : digestOf(options.token);
  const server = createServer(
    {
      headersTimeout: options.requestMs,
      requestTimeout: options.requestMs,
      keepAliveTimeout: 5000,
      connectionsCheckingInterval: Math.min(5000, options.requestMs),
      maxHeaderSize: 16_384,
    },
    (request, response) => {
      respond(request, response, options, tokenDigest, () => server.listening).catch(() => response.destroy());
    },
  );
  holdConnections(server, options.maxConnections);
  // Node passes over headers after the first thousand, and what is behind a proxy does not: their size is bounded.
  server.maxHeadersCount = 0;
  // Also closes connections of clients that do not read answers. A request that does not arrive in time is answered earlier.
  server.setTimeout(2 * options.requestMs);
  endBroken(server);
  const { socketPath } = options;
  if (socketPath === undefined) server.listen(options.port, options.host);
  else {
    if (tokenDigest === undefined) throw new TypeError("a socket needs a token");
    await removeDeadSocket(socketPath);
    server.listen({ path: socketPath, writableAll: true, readableAll: true });
  }
  await once(server, "listening");
  const checks = await checksOf(options, tokenDigest).catch((error: unknown) => {
    server.close();
    throw error;
  });
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    const ended = once(server, "close");
    server.close();
    server.closeIdleConnections();
    const timer = setTimeout(() => server.closeAllConnections(), options.graceMs);
    await Promise.all([ended, checks?.close()]);
    clearTimeout(timer);
  };
  return {
    url: socketPath === undefined ? urlOf(server.address() as AddressInfo) : `unix:${socketPath}`,
    close: () => (closing ??= close()),
  };
}

/** Where Envoy asks over gRPC, if it may. */
async function checksOf(options: ServeOptions, tokenDigest: Buffer | undefined): Promise<CheckServer | undefined> {
  const { checks: address, maxBodyBytes, maxConnections, requestMs, graceMs, requiredLog, facts = {} } = options;
  if (address === undefined) return undefined;
  return serveChecks({
    ...{ address, maxBodyBytes, maxConnections, requestMs, graceMs },
    bears: (authorization) => tokenDigest === undefined || bears(authorization, tokenDigest),
    answer: (checked) => checkAnswer(options, requiredLog, facts, withoutToken(checked, tokenDigest)),
  });
}

/** An answer that the log does not take has no metadata, and lets nothing pass. */
function checkAnswer(
  { served }: Pick<ServeOptions, "served">,
  log: RecordingLog | undefined,
  facts: FactHost,
  checked: CheckedRequest,
): Promise<CheckAnswer> {
  return recordedAnswer(log, facts, (calls) => answerCheck(served().policy, calls, checked));
}

/** The token is Envoy's for this server. The policy, and its log, are not told it. */
function withoutToken(checked: CheckedRequest, tokenDigest: Buffer | undefined): CheckedRequest {
  if (tokenDigest === undefined) return checked;
  const { authorization: _, ...headers } = checked.http.headers ?? {};
  return { ...checked, http: { ...checked.http, headers } };
}

/** Envoy's check over HTTP: the request that it holds back, below a prefix. */
async function checkedBy(request: IncomingMessage, path: string, most: number): Promise<CheckedRequest> {
  const headers = Object.entries(request.headersDistinct).map(
    ([name, values = []]) => [name, values.join(",")] as const,
  );
  const bytes = await sentBytes(request, most);
  const { method = "" } = request;
  return {
    http: { method, path, headers: Object.fromEntries(headers), protocol: `HTTP/${request.httpVersion}` },
    body: isUtf8(bytes) ? bytes.toString("utf8") : undefined,
  };
}

function urlOf({ address, port, family }: AddressInfo): string {
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

/** A server that was killed leaves its socket, and no other could listen there. One that is listened on stays. */
async function removeDeadSocket(path: string): Promise<void> {
  if (statSync(path, { throwIfNoEntry: false })?.isSocket() !== true) return;
  const socket = connect(path);
  try {
    await once(socket, "connect");
  } catch (error) {
    if ((error as { code?: unknown }).code === "ECONNREFUSED") rmSync(path);
  } finally {
    socket.destroy();
  }
}

const LOCAL = "without a token this server answers programs of its machine";
const OTHERS_MAY = "`--token-file` lets others ask, `--anonymous` everybody";
/** A client that says it opens what waits for it. On this machine that could be an agent's own program. */
const SAYS_SUCCESS = "only a client with a token may say what has succeeded: start the server with `--token-file`";

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  options: ServeOptions,
  tokenDigest: Buffer | undefined,
  isListening: () => boolean,
): Promise<void> {
  if (!(await isNext(request, response))) return;
  let answer: Answer;
  try {
    answer = await answerTo(request, options, tokenDigest);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    answer = error.answer;
    // What is left of the body is not waited for.
    response.setHeader("Connection", "close");
  }
  // A connection that asks again and again must not keep a server that was told to end.
  if (!isListening()) response.setHeader("Connection", "close");
  const { status, body, contentType = "application/json", headers = {} } = answer;
  response.writeHead(status, {
    "Content-Type": contentType,
    "Content-Length": Buffer.byteLength(body),
    "X-Content-Type-Options": "nosniff",
    ...headers,
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

async function answerTo(
  request: IncomingMessage,
  options: ServeOptions,
  tokenDigest: Buffer | undefined,
): Promise<Answer> {
  const arrived = performance.now();
  const { method = "" } = request;
  const broken = headProblem(request);
  if (broken !== undefined) throw new Refused(problem(broken.status, "invalid_parameter", broken.message));
  const isLocal = tokenDigest === undefined && options.anonymous !== true;
  const foreign = isLocal ? foreignTo(request) : undefined;
  if (foreign !== undefined) throw new Refused(problem(403, "unauthorized", `${LOCAL}: ${foreign}; ${OTHERS_MAY}`));
  const target = originForm(request.url ?? "");
  // As it is written: a path that has two meanings is the policy's to deny, and nothing here redirects what Envoy holds back.
  if (target.startsWith(CHECKS)) {
    if (tokenDigest !== undefined && !bears(request.headers.authorization, tokenDigest)) throw withoutValidToken();
    const checked = await checkedBy(request, target.slice(CHECKS.length - 1), options.maxBodyBytes);
    const own = withoutToken(checked, tokenDigest);
    const { headers = {}, ...answer } = await checkAnswer(options, options.requiredLog, options.facts ?? {}, own);
    const { "content-type": contentType = "application/json", ...others } = headers;
    return { ...answer, contentType, headers: others };
  }
  const url = targetOf(target);
  if (url === undefined)
    throw new Refused(problem(400, "invalid_parameter", "the request's path or query is malformed"));
  const elsewhere = redirectOf(target, method);
  if (elsewhere !== undefined) throw new Refused(elsewhere);
  const [first, second, third, ...rest] = url.path;
  if (url.path.length === 1 && first === "health")
    return reads(method) ? healthOf(options, url.parameters.has("bundles")) : readOnly();
  if (tokenDigest !== undefined && !bears(request.headers.authorization, tokenDigest)) throw withoutValidToken();
  if (url.path.length === 1 && first === "metrics")
    return reads(method)
      ? { status: 200, body: await options.metrics(), contentType: "text/plain; version=0.0.4; charset=utf-8" }
      : readOnly();
  const { requiredLog, version, trustFacts, facts = {} } = options;
  if (first === "succeeded") {
    if (tokenDigest === undefined) return problem(403, "unauthorized", SAYS_SUCCESS);
    if (method !== "POST") return notAllowed("POST");
    const body = await bodyOf(request, options.maxBodyBytes);
    const by = { policy: options.served().policy, authzen: options.authzen, trustFacts, host: facts };
    return answerSuccess(by, url.path.slice(1).join("/"), body);
  }
  const served = (calls: Calls): ServedFacts => ({ ...options.served(), version, trustFacts, calls });
  if (first === "v1" && second === "data") {
    if (method !== "GET" && method !== "POST") return notAllowed("GET, POST");
    const body = method === "POST" ? await bodyOf(request, options.maxBodyBytes) : "";
    const path = third === undefined ? [] : [third, ...rest];
    const asked = { method, path, parameters: url.parameters, body, arrived } as const;
    return recordedAnswer(requiredLog, facts, (calls) => answerData(served(calls), asked));
  }
  const isMain = url.path.length === 1 && first === "" && method === "POST";
  if ((first === "v0" && second === "data") || isMain) {
    if (method !== "POST") return notAllowed("POST");
    const body = await bodyOf(request, options.maxBodyBytes);
    const path = isMain ? MAIN : third === undefined ? [] : [third, ...rest];
    const asked = { path, parameters: url.parameters, body, arrived };
    return recordedAnswer(requiredLog, facts, (calls) => answerDocument(served(calls), asked));
  }
  if (url.path.join("/") === "access/v1/evaluation" || url.path.join("/") === "access/v1/evaluations") {
    if (method !== "POST") return notAllowed("POST");
    const body = await bodyOf(request, options.maxBodyBytes);
    const ask = third === "evaluation" ? answerEvaluation : answerEvaluations;
    const answer = await recordedAnswer(requiredLog, facts, (calls) =>
      ask({ policy: options.served().policy, entrypoint: options.authzen, calls }, body),
    );
    return identified(request, answer);
  }
  const authzen = { policy: options.served().policy, entrypoint: options.authzen, facts };
  const [, , search, sought] = url.path;
  if (first === "access" && second === "v1" && search === "search" && url.path.length === 4 && isSought(sought)) {
    if (method !== "POST") return notAllowed("POST");
    const body = await bodyOf(request, options.maxBodyBytes);
    return identified(request, await answerSearch({ ...authzen, policy: options.served().policy }, sought, body));
  }
  if (url.path.join("/") === ".well-known/authzen-configuration")
    return reads(method) ? answerConfiguration(authzen, baseOf(request)) : readOnly();
  const { state } = options;
  if (first === "v1" && second === "state" && state !== undefined && tokenDigest !== undefined) {
    if (method !== "POST") return notAllowed("POST");
    const body = await bodyOf(request, options.maxBodyBytes);
    const { status, value } = await state.answer(options.served().policy, [third, ...rest].join("/"), body);
    return { status, body: `${JSON.stringify(value)}\n` };
  }
  if (first === "v1" && second === "status" && third === undefined)
    return reads(method) ? problem(500, "internal_error", "status plugin not enabled") : readOnly();
  if (first === "v1" && OTHERS.has(second ?? "")) return unsupported(`\`/v1/${second}\``, 404);
  return { status: 404, body: "404 page not found\n", contentType: "text/plain; charset=utf-8" };
}

/** AuthZEN: an answer has the id of its request. */
function identified(request: IncomingMessage, answer: Answer): Answer {
  const id = request.headers["x-request-id"];
  return typeof id === "string" ? { ...answer, headers: { ...answer.headers, "X-Request-ID": id } } : answer;
}

/** The server as the client knows it, or the proxy with TLS in front. It is told to that client alone. */
function baseOf({ headers }: IncomingMessage): string {
  const isSecure = headers["x-forwarded-proto"] === "https";
  return `${isSecure ? "https" : "http"}://${headers.host ?? "localhost"}`;
}

/** Below it are Envoy's checks over HTTP: its `path_prefix` is this without the last slash. */
const CHECKS = "/ext-authz/";
/** What OPA asks for `POST /`. */
const MAIN = ["system", "main"];
/** Parts of OPA's API that are not served. */
const OTHERS: ReadonlySet<string> = new Set(["policies", "query", "compile", "config"]);

function reads(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/** As OPA: with `bundles`, whether the policy in use is one that its source still vouches for. */
function healthOf({ served }: ServeOptions, ofBundles: boolean): Answer {
  const isReady = !ofBundles || served().isStale !== true;
  return isReady ? { status: 200, body: "{}\n" } : { status: 503, body: '{"error":"the policy is stale"}\n' };
}

/** Where only reading makes sense. */
function readOnly(): Answer {
  const contentType = "text/plain; charset=utf-8";
  return { status: 405, body: "Method Not Allowed\n", contentType, headers: { Allow: "GET, HEAD" } };
}

function notAllowed(allow: string): Answer {
  return { ...problem(405, "method_not_allowed", `this path takes ${allow}`), headers: { Allow: allow } };
}

function withoutValidToken(): Refused {
  const refused = problem(401, "unauthorized", "the request bears no valid token");
  return new Refused({ ...refused, headers: { "WWW-Authenticate": "Bearer" } });
}

/** Compared by digests, which have one length, in one time. */
function bears(authorization: string | undefined, tokenDigest: Buffer): boolean {
  const [, token = ""] = /^Bearer +(\S+)$/i.exec(authorization ?? "") ?? [];
  return timingSafeEqual(digestOf(token), tokenDigest);
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

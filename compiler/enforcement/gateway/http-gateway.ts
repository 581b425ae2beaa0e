/**
 * `serveGateway`: a remote server of the Model Context Protocol behind the policy, over Streamable HTTP on both sides. Each
 * request is decided for itself, as revision 2026-07-28 has it; older revisions keep a session, which is its opener's alone.
 */

import { isUtf8 } from "node:buffer";
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { CallDecider, CallRecord, FactHost, Replaceable } from "@portcullis/runtime";
import { endBroken, foreignTo, headProblem, isNext, originForm, originOf } from "../http/index.ts";
import type { Caller } from "./caller.ts";
import { bytesOf, Exchange, type ExchangeHost, sendJson } from "./exchange.ts";
import type { Identified, Identity } from "./identity.ts";
import type { Limits } from "./limits.ts";
import { faultLog } from "./log.ts";
import { marksIn } from "./marks.ts";
import {
  type Answer,
  failed,
  HEADER_MISMATCH,
  INVALID_REQUEST,
  isRequest,
  METHOD_NOT_FOUND,
  type Message,
  PARSE_ERROR,
  type Request,
  type RequestId,
  readMessage,
} from "./messages.ts";
import { ambiguity, isStateless, mismatch, missing } from "./mirrored-headers.ts";
import { type OfferDecider, Offers } from "./offers.ts";
import type { Pins } from "./pins.ts";
import { LISTEN, Rulings, Unsent } from "./rulings.ts";
import { type SessionLimits, Sessions, Turn } from "./sessions.ts";
import { sseUpstreamAt } from "./sse-upstream.ts";
import { TAKEN } from "./taken-ids.ts";
import type { ToolNames } from "./tool-map.ts";
import { type Upstream, upstreamAt } from "./upstream.ts";
import { Verdicts } from "./verdicts.ts";

export interface HttpGatewayOptions {
  readonly policy: Replaceable<CallDecider & OfferDecider>;
  readonly caller: Caller;
  readonly tools: ToolNames;
  readonly limits: Limits;
  readonly sessions: SessionLimits;
  readonly maxConnections: number;
  /** What facts of calls are found out with. */
  readonly facts?: FactHost;
  /** Tools as they were accepted; without it each is what the server says. */
  readonly pins?: Pins | undefined;
  /** Where the server is. */
  readonly upstream: URL;
  /** It speaks the oldest transport (revision 2024-11-05): a stream, and an endpoint that it names. */
  readonly isSse?: boolean;
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Who asks; without it everybody of this machine is the caller. */
  readonly identity?: Identity | undefined;
  /** Milliseconds until the token of an open stream is looked at again; default 30,000. */
  readonly recheckMs?: number;
  /** Milliseconds after which a client that reads nothing of its answer is gone; default 60,000. */
  readonly unreadMs?: number;
  /** Receives each decision, and the server's own name of what was asked for. What cannot be recorded is not done. */
  readonly record: (record: CallRecord, name: string) => void;
  /** Receives lines for people. */
  readonly log: (line: string) => void;
  /** The text of `GET /metrics`, to which the gateway adds its own. */
  readonly metrics: () => string;
}

export interface HttpGateway {
  /** Where clients ask. */
  readonly url: string;
  /** Takes no more requests, finishes those under way in the time of grace, and ends. */
  close(): Promise<void>;
}

const FAULTS_MS = 60_000;
/** How often the token of a stream that is open is looked at again. */
const RECHECK_MS = 30_000;
const UNREAD_MS = 60_000;

/** Rejects when the address cannot be listened on. */
export async function serveGateway(options: HttpGatewayOptions): Promise<HttpGateway> {
  const gateway = new Gateway(options);
  const server = createServer(
    { headersTimeout: 30_000, requestTimeout: 60_000, keepAliveTimeout: 5_000, maxHeaderSize: 32_768 },
    (request, response) => {
      gateway.respond(request, response).catch(() => response.destroy());
    },
  );
  server.maxConnections = options.maxConnections;
  // Node passes over those after the first thousand: their size is bounded.
  server.maxHeadersCount = 0;
  endBroken(server);
  server.listen(options.port, options.host);
  await once(server, "listening");
  const { address, port, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${port}/mcp`,
    close: async () => {
      const ended = once(server, "close");
      server.close();
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), options.limits.graceMs);
      await ended;
      clearTimeout(timer);
      gateway.close();
    },
  };
}

/** Ends a request before it is read further. */
class Refusal extends Error {
  readonly status: number;
  readonly code: number;
  readonly id: RequestId | undefined;

  constructor(status: number, message: string, code: number = INVALID_REQUEST, id?: RequestId) {
    super(message);
    this.status = status;
    this.code = code;
    this.id = id;
  }
}

/** A request of a client, on its way. */
interface Asked {
  readonly rulings: Rulings;
  readonly exchange: Exchange;
  readonly response: ServerResponse;
  readonly turn: Turn;
  /** Takes the id, in a session. */
  begin(): boolean;
}

class Gateway {
  private readonly options: HttpGatewayOptions;
  private readonly sessions: Sessions;
  private readonly upstream: Upstream;
  /** In place of who calls, without `--identity`: whatever a client sends, it is counted with the others. */
  private readonly everybody = randomUUID();
  private readonly isLocal: boolean;
  private readonly faultTimer: NodeJS.Timeout;
  private faults;
  private requests = 0;

  constructor(options: HttpGatewayOptions) {
    this.options = options;
    const { messageBytes } = options.limits;
    this.upstream = options.isSse
      ? sseUpstreamAt(options.upstream, { messageBytes, fault: (line) => this.faults.fault(line) })
      : upstreamAt(options.upstream);
    this.sessions = new Sessions(options.sessions, (id) => this.upstream.forget(id));
    this.isLocal = isLoopback(options.host);
    this.faults = faultLog(options.log);
    // A peer that misbehaves for days fills no disk, and is heard of every minute.
    this.faultTimer = setInterval(() => {
      this.faults.rest();
      this.faults = faultLog(options.log);
    }, FAULTS_MS).unref();
  }

  close(): void {
    clearInterval(this.faultTimer);
    this.faults.rest();
    this.upstream.close();
  }

  async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests++;
    // A response that waits for another one on its connection is not told when the client leaves.
    if (!(await isNext(request, response))) return;
    // A stream may be silent for long. What waits to be read must not be kept for as long.
    response.setTimeout(this.options.unreadMs ?? UNREAD_MS, () => {
      if (response.socket?.writableLength !== 0) response.destroy();
    });
    try {
      await this.answer(request, response);
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal(500, "the request could not be answered");
      if (!(error instanceof Refusal)) this.faults.fault(`request: ${(error as Error).message}`);
      if (response.headersSent) response.destroy();
      // What is left of the body is not waited for.
      else
        sendJson(response, refusal.status, failed(refusal.id, refusal.code, refusal.message), {
          connection: "close",
          ...(refusal.status === 401 ? { "www-authenticate": "Bearer" } : {}),
          ...(refusal.status === 405 ? { allow: "GET, POST, DELETE" } : {}),
        });
    }
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const broken = headProblem(request);
    if (broken !== undefined) throw new Refusal(broken.status, broken.message);
    const unclear = ambiguity(request);
    if (unclear !== undefined) throw new Refusal(400, unclear);
    const foreign = this.isLocal ? foreignTo(request) : originOf(request);
    if (foreign !== undefined) throw new Refusal(403, `the request is refused: ${foreign}`);
    const path = originForm(request.url ?? "");
    const reads = request.method === "GET" || request.method === "HEAD";
    if (path === "/health" && reads) return sendJson(response, 200, {});
    const who = await this.identify(request);
    // What is told when the client leaves has been told by now.
    if (request.destroyed) return;
    if (path === "/metrics" && reads) return this.metrics(response);
    if (path !== "/mcp") throw new Refusal(404, "clients ask `/mcp`");
    if (!["GET", "POST", "DELETE"].includes(request.method ?? "")) throw new Refusal(405, "there is no such method");
    const session = this.sessionOf(request);
    if (session !== undefined && !this.sessions.use(session, who.principal))
      throw new Refusal(404, "there is no session of this id");
    try {
      await this.exchange(request, response, who, session);
    } finally {
      if (session !== undefined) this.sessions.release(session);
    }
  }

  private async identify({ headers }: IncomingMessage): Promise<Identified> {
    const { identity, caller } = this.options;
    const { authorization } = headers;
    if (identity === undefined) return { caller, principal: digestOf(authorization ?? "") };
    let found: Identified | undefined;
    try {
      found = await identity.callerOf(authorization);
    } catch (error) {
      this.faults.fault(`identity: the keys cannot be had: ${(error as Error).message}`);
      throw new Refusal(503, "the keys that verify tokens cannot be had");
    }
    if (found === undefined) throw new Refusal(401, "the request bears no valid token");
    return found;
  }

  private sessionOf({ headers }: IncomingMessage): string | undefined {
    const id = headers["mcp-session-id"];
    if (id === undefined) return undefined;
    if (!isStateless(headers)) return String(id);
    delete headers["mcp-session-id"];
    return undefined;
  }

  private async exchange(
    request: IncomingMessage,
    response: ServerResponse,
    who: Identified,
    session: string | undefined,
  ): Promise<void> {
    const isDelete = request.method === "DELETE";
    const message = request.method === "POST" ? await this.messageOf(request) : undefined;
    const rulings = this.rulingsFor(who, session);
    const turn = new Turn(this.sessions, (line) => this.faults.fault(line));
    const host: ExchangeHost = {
      ...{ upstream: this.upstream, limits: this.options.limits },
      fault: (line) => this.faults.fault(line),
      answered: ({ statusCode = 502, headers }) => {
        const opened = headers["mcp-session-id"];
        if (
          message !== undefined &&
          isRequest(message) &&
          isInitialize(message) &&
          typeof opened === "string" &&
          statusCode < 300
        ) {
          this.sessions.open(opened, who.principal);
          if (session === undefined) turn.begin(opened, message.id);
        }
        if (session !== undefined && (statusCode === 404 || (isDelete && statusCode < 300)))
          this.sessions.close(session);
      },
    };
    const exchange = new Exchange(host, rulings, request, response);
    if (message === undefined || ("method" in message && message.method === LISTEN))
      this.holdToToken(request, response, who);
    if (message === undefined) return await exchange.pass(message);
    const odd = mismatch(request.headers, message);
    const id = "id" in message ? message.id : undefined;
    if (odd !== undefined) throw new Refusal(400, odd, HEADER_MISMATCH, id);
    if (!("method" in message)) return await exchange.pass(message);
    if (isRequest(message)) {
      const begin = (): boolean => session === undefined || turn.begin(session, message.id);
      return await this.request(message, request, { rulings, exchange, response, turn, begin });
    }
    if (!rulings.passesToServer(message)) throw new Refusal(400, "a call of a tool wants an answer");
    await exchange.pass(message);
  }

  /** What stays open for long ends with its token. */
  private holdToToken(request: IncomingMessage, response: ServerResponse, { principal }: Identified): void {
    if (this.options.identity === undefined) return;
    const end = (): void => void response.destroy();
    const look = (): void => void this.identify(request).then((now) => now.principal === principal || end(), end);
    const timer = setInterval(look, this.options.recheckMs ?? RECHECK_MS);
    response.once("close", () => clearInterval(timer));
  }

  private async request(message: Request, { headers }: IncomingMessage, asked: Asked): Promise<void> {
    const lacking = missing(headers, message);
    if (lacking !== undefined) throw new Refusal(400, lacking, HEADER_MISMATCH, message.id);
    if (!isInitialize(message)) return await this.ruled(message, asked);
    if (!this.sessions.reserve())
      throw new Refusal(503, "there are as many sessions as there may be", INVALID_REQUEST, message.id);
    try {
      await this.ruled(message, asked);
    } finally {
      this.sessions.opened();
    }
  }

  private async ruled(message: Request, { rulings, exchange, response, turn, begin }: Asked): Promise<void> {
    if (!begin()) throw new Refusal(400, TAKEN, INVALID_REQUEST, message.id);
    let passing: Promise<void> | undefined;
    const ruling: Promise<Answer | undefined> = rulings.request(message, (decided) => {
      if (response.destroyed) throw new Unsent();
      let done: (succeeded: boolean) => void = () => {};
      const succeeded = new Promise<boolean>((resolve) => {
        done = (hasSucceeded) => {
          // Before the client has the answer: it may ask again under the id.
          if (exchange.isAnswered) turn.over(true);
          resolve(hasSucceeded);
        };
      });
      passing = exchange.pass(decided, { request: message, done, recorded: () => ruling });
      return succeeded;
    });
    const answer = await ruling;
    if (passing === undefined) turn.over(true);
    // What was sent is answered by the server.
    if (passing !== undefined) await passing;
    else if (answer !== undefined) sendJson(response, statusOf(answer), answer);
    turn.over(exchange.isAnswered);
  }

  private async messageOf(request: IncomingMessage): Promise<Message> {
    const { headers } = request;
    // A page can send other types without asking first, and a server could read another message in another encoding.
    if (!/^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(headers["content-type"] ?? ""))
      throw new Refusal(415, "a message is `application/json` in UTF-8");
    if ((headers["content-encoding"] ?? "identity") !== "identity") throw new Refusal(415, "the message is packed");
    const { messageBytes, messageValues } = this.options.limits;
    const isLong = Number(headers["content-length"] ?? 0) > messageBytes;
    const bytes = isLong ? undefined : await bytesOf(request, messageBytes);
    if (bytes === undefined) throw new Refusal(413, `the message is longer than ${messageBytes} bytes`);
    if (marksIn(bytes.toString("latin1")) > messageValues)
      throw new Refusal(413, `the message has more than ${messageValues} values`);
    const message = isUtf8(bytes) ? readMessage(bytes.toString("utf8")) : undefined;
    if (message?.ok !== true) throw new Refusal(400, "not a message of the protocol", PARSE_ERROR);
    return message.value;
  }

  private rulingsFor({ caller, principal }: Identified, session: string | undefined): Rulings {
    const { policy, tools, record, pins } = this.options;
    // What is counted by session has no secret of one for its name, and no name that a client chooses.
    const who = this.options.identity === undefined ? this.everybody : principal;
    const facts = { ...this.options.facts, session: digestOf(JSON.stringify([who, session ?? null])) };
    const verdicts = new Verdicts(policy, caller, tools, record, facts);
    return new Rulings(verdicts, new Offers(policy, caller, record), (line) => this.faults.fault(line), pins);
  }

  private metrics(response: ServerResponse): void {
    const own = [
      "# TYPE portcullis_mcp_requests_total counter",
      `portcullis_mcp_requests_total ${this.requests}`,
      "# TYPE portcullis_mcp_sessions gauge",
      `portcullis_mcp_sessions ${this.sessions.size}`,
    ];
    const text = `${this.options.metrics()}${own.join("\n")}\n`;
    response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }).end(text);
  }
}

/** Whether an address is one that other machines do not reach. */
export function isLoopback(host: string): boolean {
  return ["127.0.0.1", "::1", "localhost"].includes(host);
}

function isInitialize(message: Message): boolean {
  return isRequest(message) && message.method === "initialize";
}

/** Revision 2026-07-28 tells a method that is not known by this status, too; sessions of the older ones end with it. */
function statusOf(answer: Answer): number {
  return "error" in answer && answer.error.code === METHOD_NOT_FOUND ? 404 : 200;
}

/** The token itself is kept nowhere. */
function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}

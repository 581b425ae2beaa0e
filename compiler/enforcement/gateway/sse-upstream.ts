/**
 * A server of the oldest transport over HTTP (revision 2024-11-05): one stream for all that it says, and one address for all that
 * it is told. To the gateway it is a server of Streamable HTTP: each session has a stream of its own there.
 */

import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import { PassThrough, Readable } from "node:stream";
import { EventReader, type ServerEvent, writtenEvent } from "./event-stream.ts";
import {
  CONNECTION_CLOSED,
  failed,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  isRequest,
  METHOD_NOT_FOUND,
  type Message,
  NOT_PASSED,
  type Request,
  type RequestId,
  readMessage,
} from "./messages.ts";
import { type Asker, asker, passedOn, type Upstream, type UpstreamAnswer } from "./upstream.ts";

export interface SseOptions {
  /** Characters that one event may have. */
  readonly messageBytes: number;
  readonly fault: (line: string) => void;
}

const SESSION = "mcp-session-id";

export function sseUpstreamAt(url: URL, options: SseOptions): Upstream {
  const server = asker(url);
  const sessions = new Map<string, SseSession>();
  const forget = (id: string): void => {
    sessions.get(id)?.close();
    sessions.delete(id);
  };
  const initialize = async (message: Request, headers: IncomingHttpHeaders, signal: AbortSignal) => {
    const id = randomUUID();
    const session = new SseSession(server, options, () => forget(id));
    sessions.set(id, session);
    const end = (): void => forget(id);
    signal.addEventListener("abort", end, { once: true });
    try {
      await session.open(url, headersOf(headers));
      return await session.request(message, headersOf(headers), signal, { [SESSION]: id });
    } catch (error) {
      end();
      throw error;
    } finally {
      signal.removeEventListener("abort", end);
    }
  };
  return {
    send: async (method, headers, message, signal) => {
      const id = headers[SESSION];
      const session = id === undefined ? undefined : sessions.get(String(id));
      if (message !== undefined && isRequest(message) && message.method === "initialize" && id === undefined)
        return initialize(message, headers, signal);
      if (session === undefined) return withoutSession(message, id === undefined);
      if (method === "GET") return session.listen(signal);
      if (message === undefined) {
        forget(String(id));
        return answer(200);
      }
      if (isRequest(message)) return session.request(message, headersOf(headers), signal);
      await session.tell(message, headersOf(headers), signal);
      return answer(202);
    },
    forget,
    close: () => {
      for (const id of sessions.keys()) forget(id);
      server.close();
    },
  };
}

/** This transport has no other place for a session than its stream. */
function headersOf(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const { [SESSION]: _, accept: __, "last-event-id": ___, ...rest } = passedOn(headers);
  return rest;
}

/** A client that tries the newest revision first hears that there is no such method, and goes on with an older one. */
function withoutSession(message: Message | undefined, isNone: boolean): UpstreamAnswer {
  if (message === undefined) return answer(isNone ? 405 : 404);
  const id = isRequest(message) ? message.id : undefined;
  if (isNone && isRequest(message)) return answer(400, failed(id, METHOD_NOT_FOUND, "the server has sessions alone"));
  return answer(isNone ? 400 : 404, failed(id, INVALID_REQUEST, "there is no session of this id"));
}

function answer(statusCode: number, body?: object): UpstreamAnswer {
  const text = body === undefined ? [] : [Buffer.from(JSON.stringify(body))];
  return Object.assign(Readable.from(text, { objectMode: false }), { statusCode, headers: {} });
}

/** Events for one request of the client, until its answer, or for all that belongs to none. */
type Stream = PassThrough & { readonly statusCode: number; readonly headers: IncomingHttpHeaders };

class SseSession {
  private readonly server: Asker;
  private readonly options: SseOptions;
  private readonly ended: () => void;
  private readonly controller = new AbortController();
  /** Where messages go. */
  private endpoint: URL | undefined;
  /** By id, requests that wait for an answer. */
  private readonly waiting = new Map<RequestId, Stream>();
  private listener: Stream | undefined;

  constructor(server: Asker, options: SseOptions, ended: () => void) {
    this.server = server;
    this.options = options;
    this.ended = ended;
  }

  /** Resolves when the server has said where messages go. Rejects for a server that does not speak this transport. */
  async open(url: URL, headers: OutgoingHttpHeaders): Promise<void> {
    const { signal } = this.controller;
    const stream = await this.server.ask(url, "GET", { ...headers, accept: "text/event-stream" }, undefined, signal);
    const isEvents = /^text\/event-stream\b/i.test(stream.headers["content-type"] ?? "");
    const isPacked = (stream.headers["content-encoding"] ?? "identity") !== "identity";
    if (stream.statusCode !== 200 || !isEvents || isPacked) {
      stream.destroy();
      throw new Error(`its stream answers ${stream.statusCode}, and no events`);
    }
    await new Promise<void>((resolve, reject) => {
      const found = (endpoint: string): void => {
        if (this.endpoint !== undefined) return;
        const at = URL.canParse(endpoint, url) ? new URL(endpoint, url) : undefined;
        // Messages would go around the gateway's own address, with the client's credentials.
        if (at?.origin !== url.origin) return reject(new Error("its endpoint is of another origin"));
        this.endpoint = at;
        resolve();
      };
      this.read(stream, found)
        .catch((error: Error) => error)
        .then((error) => {
          reject(error ?? new Error("its stream has ended"));
          this.ended();
        });
    });
  }

  /** The events that belong to a request, its answer the last. */
  async request(
    message: Request,
    headers: OutgoingHttpHeaders,
    signal: AbortSignal,
    more: IncomingHttpHeaders = {},
  ): Promise<UpstreamAnswer> {
    const { id } = message;
    if (this.waiting.has(id)) return answer(400, failed(id, INVALID_REQUEST, "a request of this id is open"));
    const stream = events(more);
    this.waiting.set(id, stream);
    stream.once("close", () => {
      if (this.waiting.get(id) === stream) this.waiting.delete(id);
    });
    signal.addEventListener("abort", () => stream.destroy(), { once: true });
    try {
      await this.tell(message, headers, signal);
    } catch (error) {
      stream.destroy();
      throw error;
    }
    return stream;
  }

  /** Rejects where the server does not take the message. */
  async tell(message: Message, headers: OutgoingHttpHeaders, signal: AbortSignal): Promise<void> {
    if (this.endpoint === undefined) throw new Error("its stream has said no endpoint yet");
    const told = await this.server.ask(this.endpoint, "POST", headers, message, signal);
    const { statusCode = 0 } = told.on("error", () => {}).resume();
    if (statusCode < 200 || statusCode >= 300) throw new Error(`its endpoint answers ${statusCode}`);
  }

  /** Everything that belongs to no request, until the next one listens. */
  listen(signal: AbortSignal): UpstreamAnswer {
    this.listener?.end();
    const stream = events({});
    this.listener = stream;
    stream.once("close", () => {
      if (this.listener === stream) this.listener = undefined;
    });
    signal.addEventListener("abort", () => stream.destroy(), { once: true });
    return stream;
  }

  close(): void {
    this.controller.abort();
    this.listener?.end();
    for (const [id, stream] of this.waiting)
      stream.end(eventOf(failed(id, CONNECTION_CLOSED, "the server has ended the session")));
    this.waiting.clear();
  }

  private async read(stream: Readable, found: (endpoint: string) => void): Promise<void> {
    const reader = new EventReader(this.options.messageBytes);
    for await (const chunk of stream as AsyncIterable<Buffer>)
      for (const event of reader.read(chunk)) {
        if (event.event === "endpoint") found(event.data ?? "");
        else await this.event(event);
      }
  }

  private async event({ event, data = "" }: ServerEvent): Promise<void> {
    const message = event === "message" ? readMessage(data) : undefined;
    if (message?.ok !== true) return this.options.fault("server: an event without a message was dropped");
    const isAnswer = !("method" in message.value);
    const id = "id" in message.value ? message.value.id : undefined;
    const asked = isAnswer && id !== undefined ? this.waiting.get(id) : undefined;
    const stream = asked ?? this.listener ?? [...this.waiting.values()].at(-1);
    if (stream === undefined || (isAnswer && asked === undefined))
      return this.options.fault("server: a message that no client waits for was dropped");
    if (asked !== undefined && id !== undefined) this.waiting.delete(id);
    const text = this.written(message.value, asked === undefined ? undefined : id);
    const isFull = text !== undefined && !stream.write(text);
    if (asked !== undefined) stream.end();
    else if (isFull) await drained(stream);
  }

  /** A message that is nested too deep cannot be written: a request that waits for it gets an error, and the session goes on. */
  private written(message: Message, answered: RequestId | undefined): string | undefined {
    try {
      return eventOf(message);
    } catch (error) {
      this.options.fault(`server: ${(error as Error).message}`);
      return answered === undefined ? undefined : eventOf(failed(answered, INTERNAL_ERROR, NOT_PASSED));
    }
  }
}

function events(headers: IncomingHttpHeaders): Stream {
  const own = { "content-type": "text/event-stream", "cache-control": "no-cache", ...headers };
  return Object.assign(
    new PassThrough().on("error", () => {}),
    { statusCode: 200, headers: own },
  );
}

function eventOf(message: Message): string {
  return writtenEvent({ event: "message", data: JSON.stringify(message) });
}

/** Ends with whatever comes first: room, or the end of the stream. */
function drained(stream: PassThrough): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ["drain", "close"]) stream.once(event, resolve);
  });
}

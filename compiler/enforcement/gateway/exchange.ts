/** One request of a client to the server behind the HTTP gateway, and what comes back: each message is ruled on as over a pipe. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { Gathered } from "../http/index.ts";
import { EventReader, type ServerEvent, writtenEvent } from "./event-stream.ts";
import type { Limits } from "./limits.ts";
import {
  type Answer,
  failed,
  INTERNAL_ERROR,
  type Message,
  REQUEST_TIMEOUT,
  type Request,
  readMessage,
} from "./messages.ts";
import { isSuccess, LISTEN, type Rulings } from "./rulings.ts";
import { passedBack, type Upstream, type UpstreamAnswer } from "./upstream.ts";

/** How long the head of a stream waits for its first event. */
const HEAD_MS = 20;
/** How long a stream may stay open after the answer, which is its last event. */
const REST_MS = 1000;
/** By these the server says that it has not begun: a client may send the request again, as with another token. */
const NOT_TAKEN: ReadonlySet<number> = new Set([400, 401, 403, 404, 429]);

export interface ExchangeHost {
  readonly upstream: Upstream;
  readonly limits: Limits;
  readonly fault: (line: string) => void;
  /** Is told of the head of every answer. */
  readonly answered: (answer: UpstreamAnswer) => void;
}

/** A request that waits for an answer. */
interface Awaited {
  readonly request: Request;
  /** Is told whether it succeeded. */
  done(succeeded: boolean): void;
  /** Resolves when that is recorded: before, no caller hears of it. */
  recorded(): Promise<unknown>;
}

export class Exchange {
  private readonly host: ExchangeHost;
  private readonly rulings: Rulings;
  private readonly request: IncomingMessage;
  private readonly response: ServerResponse;
  private readonly controller = new AbortController();
  private isLate = false;
  /** The client goes on with a stream that broke off: the answer to what it asked there comes here. */
  private readonly isResumed: boolean;
  /** The server has answered, or not taken, what it was asked: nothing more comes of that. */
  isAnswered = false;
  /** Nothing more comes of the server. */
  private isOver = false;

  constructor(host: ExchangeHost, rulings: Rulings, request: IncomingMessage, response: ServerResponse) {
    this.host = host;
    this.rulings = rulings;
    this.request = request;
    this.response = response;
    this.isResumed = request.method === "GET" && request.headers["last-event-id"] !== undefined;
    // A client that has left takes its request back, and so does one that has its answer.
    response.once("close", () => this.isOver || this.controller.abort());
  }

  /** Sends the message on, with the client's headers, and passes what comes back. Never rejects. */
  async pass(message: Message | undefined, awaited?: Awaited): Promise<void> {
    const method = awaited?.request.method;
    const isOpen = message === undefined || method === LISTEN;
    const late = (): void => {
      if (this.isOver) return;
      this.isLate = true;
      this.host.fault(`server: no answer in ${this.host.limits.answerMs} ms`);
      this.controller.abort();
    };
    const timer = isOpen ? undefined : setTimeout(late, this.host.limits.answerMs);
    try {
      const { headers, method: verb = "" } = this.request;
      const answer = await this.host.upstream.send(verb, headers, message, this.controller.signal);
      this.host.answered(answer);
      await this.answer(answer, awaited);
      this.isOver = answer.readableEnded;
    } catch (error) {
      this.broken(error as Error, awaited);
    } finally {
      clearTimeout(timer);
      awaited?.done(false);
    }
  }

  private broken(error: Error, awaited: Awaited | undefined): void {
    if (this.response.destroyed || (this.controller.signal.aborted && !this.isLate)) return;
    if (!this.isLate) this.host.fault(`server: ${error.message}`);
    // The client has its answer, or reads it still: Node takes no second end.
    if (this.response.writableEnded) return;
    const [status, code, text] = this.isLate
      ? ([504, REQUEST_TIMEOUT, "the server did not answer in time"] as const)
      : ([502, INTERNAL_ERROR, error instanceof Refused ? error.message : "the server cannot be reached"] as const);
    const failure = failed(awaited?.request.id, code, text);
    if (!this.response.headersSent) sendJson(this.response, error instanceof Refused ? error.status : status, failure);
    else if (awaited === undefined) this.response.end();
    else this.response.end(writtenEvent({ event: "message", data: JSON.stringify(failure) }));
  }

  private async answer(answer: UpstreamAnswer, awaited: Awaited | undefined): Promise<void> {
    const { statusCode: status = 502, headers } = answer;
    // Behind another status, as 408 and those of 5xx, the request may still run.
    if (NOT_TAKEN.has(status)) this.isAnswered = true;
    // A client that follows it would go around the gateway.
    if (status >= 300 && status < 400) throw new Refused("the server leads elsewhere");
    if ((headers["content-encoding"] ?? "identity") !== "identity") throw new Refused("the server's answer is packed");
    const isTaken = status < 300;
    const isEvents = /^text\/event-stream\b/i.test(headers["content-type"] ?? "");
    if (isEvents && isTaken) return await this.events(answer, status, awaited);
    const text = (await bytesOf(answer, this.host.limits.messageBytes))?.toString("utf8");
    if (text === undefined) {
      answer.destroy();
      const tooLong = `the server's answer is longer than ${this.host.limits.messageBytes} bytes`;
      this.host.fault(`server: a message over ${this.host.limits.messageBytes} bytes was dropped`);
      throw new Refused(tooLong, 200);
    }
    const back = passedBack(headers);
    const message = readMessage(text);
    if (!message.ok) {
      if (text !== "" && isTaken) throw new Refused("the server's answer is not a message");
      // No message: why the server refuses the request, as HTTP says it.
      const type = text === "" ? {} : { "content-type": "text/plain; charset=utf-8" };
      this.response.writeHead(status, { ...back, ...type, "content-length": Buffer.byteLength(text) }).end(text);
      return;
    }
    if ("method" in message.value) throw new Refused("the server answers with a question");
    const ruled = JSON.stringify(await this.ruled(message.value, awaited, isTaken));
    this.response.writeHead(status, { ...back, "content-type": "application/json" }).end(ruled);
  }

  /** Throws for an answer to another request. With a status of failure none is a success, whatever it says. */
  private async ruled(answer: Answer, awaited: Awaited | undefined, isTaken = true): Promise<Answer> {
    if (awaited === undefined) {
      if (isTaken && !this.mayCome(answer)) throw new Refused("the server answers what it was not asked");
      return await this.rulings.answer(undefined, answer);
    }
    // An error alone may have no id.
    if (answer.id !== awaited.request.id && answer.id !== undefined)
      throw new Refused("the server answers another request");
    this.isAnswered = true;
    awaited.done(isTaken && isSuccess(answer));
    await awaited.recorded();
    return await this.rulings.answer(awaited.request.method, answer);
  }

  private async events(answer: UpstreamAnswer, status: number, awaited: Awaited | undefined): Promise<void> {
    const { response } = this;
    const own = { "content-type": "text/event-stream", "x-accel-buffering": "no" };
    const begin = (more: object = {}): void => {
      clearTimeout(timer);
      if (response.headersSent || response.destroyed) return;
      response.writeHead(status, { ...passedBack(answer.headers), ...own, ...more });
    };
    // A write is what costs most of a call: head and answer are one, where they come together.
    let timer = setTimeout(() => {
      try {
        begin();
        response.flushHeaders();
      } catch (error) {
        // Node writes not every head that it reads.
        answer.destroy(error as Error);
      }
    }, HEAD_MS);
    try {
      const reader = new EventReader(this.host.limits.messageBytes);
      for await (const chunk of answer as AsyncIterable<Buffer>) {
        const events = reader.read(chunk);
        // What says nothing keeps the connection.
        if (events.length === 0) await this.write(":\n\n", begin);
        for (const event of events) {
          const text = await this.event(event, awaited);
          if (!this.isAnswered) await this.write(text, begin);
          else if (!this.isOver) {
            begin({ "content-length": Buffer.byteLength(text) });
            response.end(text);
            // What is left is read, so that the connection can be used again.
            this.isOver = true;
            timer = setTimeout(() => this.controller.abort(), REST_MS);
          }
        }
      }
      begin();
      response.end();
    } finally {
      clearTimeout(timer);
    }
  }

  /** What is written of an event. */
  private async event(event: ServerEvent, awaited: Awaited | undefined): Promise<string> {
    if (event.event !== "message") {
      // `endpoint` of the oldest transport names another address.
      this.host.fault(`server: an event of another kind was dropped`);
      return "";
    }
    if (event.data === undefined || event.data === "") return writtenEvent(event);
    const message = readMessage(event.data);
    if (!message.ok) {
      this.host.fault(`server: not a message: ${message.problem.message}`);
      return "";
    }
    const passed = await this.fromServer(message.value, awaited);
    try {
      return passed === undefined ? "" : writtenEvent({ ...event, data: JSON.stringify(passed) });
    } catch (error) {
      // What is nested too deep is left out, unless it is what the client waits for.
      if (!("method" in message.value)) throw error;
      this.host.fault(`server: ${(error as Error).message}`);
      return "";
    }
  }

  private async fromServer(message: Message, awaited: Awaited | undefined): Promise<Message | undefined> {
    if ("method" in message) return "id" in message || this.rulings.passesToClient(message) ? message : undefined;
    if (awaited === undefined && this.mayCome(message)) return await this.ruled(message, awaited);
    if (awaited !== undefined && message.id === awaited.request.id && !this.isAnswered)
      return await this.ruled(message, awaited);
    this.host.fault("server: an answer to nothing that is open was dropped");
    return undefined;
  }

  /** Where nothing is asked. INVARIANT: a server that guesses ids does not answer in place of the policy. */
  private mayCome({ id }: Answer): boolean {
    return this.isResumed || id === undefined;
  }

  private async write(text: string, begin: () => void): Promise<void> {
    if (text === "" || this.isOver || this.response.destroyed) return;
    begin();
    if (this.response.write(text)) return;
    await new Promise<void>((resolve) => {
      const go = (): void => {
        for (const event of ["drain", "close"]) this.response.off(event, go);
        resolve();
      };
      for (const event of ["drain", "close"]) this.response.once(event, go);
    });
  }
}

/** An answer that does not go on. */
class Refused extends Error {
  readonly status: number;

  constructor(message: string, status = 502) {
    super(message);
    this.status = status;
  }
}

export function sendJson(response: ServerResponse, status: number, body: object, headers: object = {}): void {
  const text = JSON.stringify(body);
  const own = { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
  response.writeHead(status, { ...own, "x-content-type-options": "nosniff", ...headers }).end(text);
}

/** The whole body, or nothing where it is longer than this many bytes. Rejects where it breaks off. */
export function bytesOf(message: Readable, most: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const body = new Gathered();
    message.on("data", (chunk: Buffer) => {
      if (body.size + chunk.length <= most) body.add(chunk);
      else {
        message.pause();
        resolve(undefined);
      }
    });
    message.once("end", () => resolve(body.bytes));
    message.once("error", reject);
    message.once("close", () => reject(new Error("the connection was closed")));
  });
}

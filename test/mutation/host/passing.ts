/** One message of a client that an exchange passes on: the client's side is a fake, the server's a stream. */
import { EventEmitter } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { PassThrough } from "node:stream";
import { Exchange } from "../../../compiler/enforcement/gateway/exchange.ts";
import { LIMITS, type Limits } from "../../../compiler/enforcement/gateway/limits.ts";
import type { Answer, Message, Notification } from "../../../compiler/enforcement/gateway/messages.ts";
import type { Rulings } from "../../../compiler/enforcement/gateway/rulings.ts";
import type { UpstreamAnswer } from "../../../compiler/enforcement/gateway/upstream.ts";

/** What a client is told. */
export class Reply extends EventEmitter {
  status = 0;
  headers: Readonly<Record<string, unknown>> = {};
  text = "";
  isEnded = false;
  destroyed = false;
  flushed = 0;
  isFull = false;
  get writableEnded(): boolean {
    return this.isEnded;
  }
  get headersSent(): boolean {
    return this.status !== 0;
  }
  writeHead(status: number, headers: Readonly<Record<string, unknown>>): this {
    if (this.headersSent) throw new Error("two heads");
    Object.assign(this, { status, headers });
    return this;
  }
  flushHeaders(): void {
    this.flushed++;
  }
  write(text: string): boolean {
    if (this.isEnded || this.status === 0) throw new Error("written without a head, or after the end");
    this.text += text;
    return !this.isFull;
  }
  end(text = ""): this {
    if (this.isEnded && text !== "") throw new Error("ended twice");
    this.text += text;
    this.isEnded = true;
    return this;
  }
}

export const REQUEST = { jsonrpc: "2.0", id: 1, method: "tools/call", params: {} } as const;
export const json = (value: object): string => JSON.stringify({ jsonrpc: "2.0", ...value });
export const RESULT = json({ id: 1, result: { a: 1 } });
export const data = (...texts: readonly string[]): string => texts.map((text) => `data: ${text}\n\n`).join("");
export const event = (text: string): string => `event: message\ndata: ${text}\n\n`;
export const STREAM = { "content-type": "text/event-stream" };

export function answerOf(text: string | undefined, headers: IncomingHttpHeaders = {}, statusCode = 200) {
  const stream = new PassThrough().on("error", () => {});
  if (text !== undefined) stream.end(text);
  return Object.assign(stream, { statusCode, headers });
}

interface Given {
  readonly limits?: Partial<Limits>;
  readonly message?: Message | undefined;
  /** No caller waits for an answer. */
  readonly isUnasked?: boolean;
  readonly recorded?: () => Promise<unknown>;
  /** What the client's request is in HTTP. */
  readonly http?: { readonly method: string; readonly headers: IncomingHttpHeaders };
}

/** Passes one message on to a server that answers so. */
export function passing(
  answer: UpstreamAnswer | Error | ((signal: AbortSignal) => Promise<UpstreamAnswer>),
  given: Given = {},
) {
  const { limits = {}, isUnasked = false } = given;
  const message: Message | undefined = "message" in given ? given.message : REQUEST;
  const reply = new Reply();
  const [said, faults, sent]: [unknown[], string[], unknown[]] = [[], [], []];
  let signal: AbortSignal | undefined;
  const upstream = {
    send: async (method: string, headers: unknown, body: unknown, by: AbortSignal): Promise<UpstreamAnswer> => {
      sent.push(method, headers, body);
      signal = by;
      if (answer instanceof Error) throw answer;
      return typeof answer === "function" ? answer(by) : answer;
    },
    forget: () => {},
    close: () => {},
  };
  const rulings = {
    answer: async (method: unknown, one: Answer) => {
      said.push(["ruled", method]);
      return { ...one, ruled: true };
    },
    passesToClient: ({ method }: Notification) => method !== "shut",
  } as unknown as Rulings;
  const host = {
    ...{ upstream, limits: { ...LIMITS, ...limits }, fault: (line: string) => void faults.push(line) },
    answered: ({ statusCode }: UpstreamAnswer) => void said.push(["head", statusCode]),
  };
  const request = (given.http ?? { method: "POST", headers: { a: "b" } }) as unknown as IncomingMessage;
  const exchange = new Exchange(host, rulings, request, reply as unknown as ServerResponse);
  const awaited = {
    request: REQUEST,
    done: (succeeded: boolean) => void said.push(["done", succeeded]),
    recorded: async () => {
      await given.recorded?.();
      said.push("recorded");
    },
  };
  const asked = message !== undefined && !isUnasked && "id" in message && "method" in message;
  const end = exchange.pass(message, asked ? { ...awaited, request: message } : undefined);
  return { exchange, reply, said, faults, sent, end, signal: () => signal };
}

export const failure = (code: number, message: string, more: object = { id: 1 }): object => ({
  ...{ jsonrpc: "2.0", ...more },
  error: { code, message },
});
/** Status and body of a reply in JSON. */
export const told = ({ status, text }: Reply): unknown => [status, text === "" ? "" : JSON.parse(text)];

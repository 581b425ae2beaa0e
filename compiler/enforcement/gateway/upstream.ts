/** The server behind the HTTP gateway: one request there for one from the client. Nothing leads the client around the gateway. */

import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as plainRequest,
} from "node:http";
import { Agent as TlsAgent, request as tlsRequest } from "node:https";
import type { Readable } from "node:stream";
import type { Message } from "./messages.ts";

/** Headers that are about one connection (RFC 9110, 7.6.1), that we write ourselves, or that only we may say. */
const OWN: ReadonlySet<string> = new Set([
  ...["connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer"],
  ...["transfer-encoding", "upgrade", "host", "content-length", "content-encoding", "accept-encoding", "expect"],
  ...["origin", "content-type"],
  // Frameworks take them for the method and the path: another endpoint of the server would be asked.
  ...["x-http-method", "x-http-method-override", "x-method-override", "x-original-url", "x-rewrite-url"],
]);
/** Headers of an answer that lead elsewhere. */
const AWAY: ReadonlySet<string> = new Set(["location", "content-location", "refresh", "alt-svc", "link"]);

/** Head and body of an answer. */
export type UpstreamAnswer = Readable & {
  readonly statusCode?: number | undefined;
  readonly headers: IncomingHttpHeaders;
};

export interface Upstream {
  /** Sends a request; resolves with the head of the answer. Rejects where no head comes, and when it is aborted. */
  send(
    method: string,
    headers: IncomingHttpHeaders,
    message: Message | undefined,
    signal: AbortSignal,
  ): Promise<UpstreamAnswer>;
  /** Is told that a session is over. */
  forget(session: string): void;
  close(): void;
}

export function upstreamAt(url: URL): Upstream {
  const { ask, close } = asker(url);
  return {
    send: (method, headers, message, signal) => ask(url, method, passedOn(headers), message, signal),
    forget: () => {},
    close,
  };
}

export interface Asker {
  /** One request to an address of the server's origin. */
  ask(
    at: URL,
    method: string,
    headers: OutgoingHttpHeaders,
    message: Message | undefined,
    signal: AbortSignal,
  ): Promise<IncomingMessage>;
  close(): void;
}

/** Asks an origin, and keeps connections to it. */
export function asker({ protocol }: URL): Asker {
  const isTls = protocol === "https:";
  const kept = { keepAlive: true };
  const agent = isTls ? new TlsAgent(kept) : new Agent(kept);
  return {
    ask: (at, method, headers, message, signal) => {
      const body = message === undefined ? undefined : JSON.stringify(message);
      const own =
        body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
      return new Promise((resolve, reject) => {
        const options = { method, agent, headers: { ...headers, ...own } };
        let answer: IncomingMessage | undefined;
        const asked: ClientRequest = (isTls ? tlsRequest : plainRequest)(at, options, (given) => {
          answer = given;
          resolve(given);
        });
        asked.on("error", reject);
        // Node emits no error for a server that goes over to another protocol.
        asked.once("close", () => reject(new Error("the connection was closed without an answer")));
        // As the option `signal` does, which costs a tenth of a call. INVARIANT: what is answered is taken back by its answer: the
        // request's connection may be another's by then, and an error of it would end the process.
        const abort = (): void => void (answer ?? asked).destroy(new Error("the request was taken back"));
        if (signal.aborted) abort();
        else signal.addEventListener("abort", abort, { once: true });
        asked.end(body);
      });
    },
    close: () => agent.destroy(),
  };
}

/** What of a request's headers goes on; `Authorization` does. Some servers take `_` for `-`. */
export function passedOn(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = perConnection(headers);
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name, value]) => value !== undefined && !OWN.has(name.replaceAll("_", "-")) && !named.has(name),
    ),
  );
}

/** What of an answer's headers goes back. */
export function passedBack(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = perConnection(headers);
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name, value]) => value !== undefined && !OWN.has(name) && !AWAY.has(name) && !named.has(name),
    ),
  );
}

function perConnection({ connection = "" }: IncomingHttpHeaders): ReadonlySet<string> {
  return new Set(connection.split(",").map((name) => name.trim().toLowerCase()));
}

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

/** Headers that are about one connection (RFC 9110, 7.6.1), that we write ourselves, or that only we may say. */
const OWN: ReadonlySet<string> = new Set([
  ...["connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer"],
  ...[
    "transfer-encoding",
    "upgrade",
    "host",
    "content-length",
    "content-encoding",
    "accept-encoding",
    "expect",
    "origin",
  ],
]);
/** Headers of an answer that lead elsewhere. */
const AWAY: ReadonlySet<string> = new Set(["location", "content-location", "refresh", "alt-svc", "link"]);

export interface Upstream {
  /** Sends a request; resolves with the head of the answer. Rejects where no head comes, and when it is aborted. */
  send(
    method: string,
    headers: IncomingHttpHeaders,
    body: string | undefined,
    signal: AbortSignal,
  ): Promise<IncomingMessage>;
  close(): void;
}

export function upstreamAt(url: URL): Upstream {
  const isTls = url.protocol === "https:";
  const agent = isTls ? new TlsAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  return {
    send: (method, headers, body, signal) => {
      const sent: OutgoingHttpHeaders = {
        ...passedOn(headers),
        ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }),
      };
      return new Promise((resolve, reject) => {
        const asked: ClientRequest = (isTls ? tlsRequest : plainRequest)(
          url,
          { method, agent, signal, headers: sent },
          resolve,
        );
        asked.on("error", reject);
        asked.end(body);
      });
    },
    close: () => agent.destroy(),
  };
}

/** What of a request's headers goes on; `Authorization` does. */
function passedOn(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = perConnection(headers);
  return Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => value !== undefined && !OWN.has(name) && !named.has(name)),
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

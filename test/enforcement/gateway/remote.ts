/** A gateway in front of a remote server, both in this process, and what they said. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { CallRecord, Policy, ReloadablePolicy } from "@portcullis/runtime";
import {
  type HttpGateway,
  type HttpGatewayOptions,
  LIMITS,
  NO_TOOLS,
  serveGateway,
} from "../../../compiler/enforcement/gateway/index.ts";
import { writer } from "./session.ts";

/** What a server was sent. */
export interface Sent {
  readonly method: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface Remote {
  readonly gateway: HttpGateway;
  readonly upstream: string;
  readonly sent: Sent[];
  readonly records: (CallRecord & { readonly name: string })[];
  readonly lines: string[];
  close(): Promise<void>;
}

/** Answers one request of the gateway. */
export type Behind = (sent: Sent, response: ServerResponse) => void;

export async function remote(
  policy: Policy | ReloadablePolicy,
  behind: Behind,
  given: Partial<HttpGatewayOptions> = {},
): Promise<Remote> {
  const sent: Sent[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const one = { method: request.method ?? "", headers: request.headers, body: Buffer.concat(chunks).toString() };
      sent.push(one);
      behind(one, response);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const upstream = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const records: (CallRecord & { name: string })[] = [];
  const lines: string[] = [];
  const gateway = await serveGateway({
    ...{ policy, caller: writer, tools: NO_TOOLS, limits: { ...LIMITS, graceMs: 100 } },
    ...{ sessions: { most: 10, idleMs: 60_000 }, maxConnections: 100, upstream: new URL(upstream) },
    ...{ host: "127.0.0.1", port: 0, metrics: () => "" },
    record: (record, name) => records.push({ ...record, name }),
    log: (line) => lines.push(line),
    ...given,
  });
  return {
    ...{ gateway, upstream, sent, records, lines },
    close: async () => {
      await gateway.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export interface Told {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON, where it is that. */
  readonly json: { readonly result?: Record<string, unknown>; readonly error?: { code: number; message: string } };
}

/** One message to the gateway, as a client sends it. */
export async function post(of: Remote, message: object | string, headers: Record<string, string> = {}): Promise<Told> {
  const response = await fetch(of.gateway.url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message }),
  });
  const text = await response.text();
  let json: Told["json"] = {};
  try {
    json = JSON.parse(text) as Told["json"];
  } catch {
    // A stream, or nothing.
  }
  return { status: response.status, headers: response.headers, text, json };
}

export function say(response: ServerResponse, body: unknown, headers: Record<string, string> = {}, status = 200): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

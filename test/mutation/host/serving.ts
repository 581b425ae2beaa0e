/** A server over HTTP in this process, what it was asked, and its answer as a text. */

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { UpstreamAnswer } from "../../../compiler/enforcement/gateway/upstream.ts";

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly port: number | undefined;
  readonly body: string;
}

/** A server in this process, and what it was asked. */
export async function serving<Value>(
  answer: (asked: Asked, response: ServerResponse) => void,
  work: (url: URL, asked: Asked[]) => Promise<Value>,
): Promise<Value> {
  const all: Asked[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      const { method = "", url = "", headers, socket } = request;
      const one = { method, url, headers, port: socket.remotePort, body };
      all.push(one);
      answer(one, response);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  try {
    return await work(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp?a=b`), all);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

export const signal = (): AbortSignal => new AbortController().signal;
export async function textOf(answer: UpstreamAnswer): Promise<string> {
  let text = "";
  for await (const chunk of answer as AsyncIterable<Buffer>) text += chunk.toString();
  return text;
}

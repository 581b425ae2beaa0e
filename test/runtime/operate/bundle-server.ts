/** A bundle server on a free port of this machine, which misbehaves as it is told. */

import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Answer = (request: IncomingMessage, response: ServerResponse, bundle: Uint8Array) => void;

export class BundleServer {
  bundle: Uint8Array;
  answer: Answer = serve;
  /** Headers of every request, and when it came. */
  readonly requests: { readonly headers: IncomingMessage["headers"]; readonly at: number }[] = [];
  private readonly server: Server;
  private port = 0;

  constructor(bundle: Uint8Array) {
    this.bundle = bundle;
    this.server = createServer((request, response) => {
      this.requests.push({ headers: request.headers, at: performance.now() });
      this.answer(request, response, this.bundle);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/bundle.tar.gz`;
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(this.port, "127.0.0.1", resolve));
    this.port = (this.server.address() as AddressInfo).port;
    return this;
  }

  /** The port is closed; `start` comes back on the same port. */
  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    await closed;
  }
}

export const tagOf = (bundle: Uint8Array): string =>
  `"${createHash("sha256").update(bundle).digest("hex").slice(0, 16)}"`;

/** As a good server does. */
export const serve: Answer = (request, response, bundle) => {
  const etag = tagOf(bundle);
  if (request.headers["if-none-match"] === etag) response.writeHead(304, { etag }).end();
  else response.writeHead(200, { etag, "content-type": "application/gzip" }).end(bundle);
};

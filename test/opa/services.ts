/** OPA's two services in one server: bundles with an ETag, and decision logs. */

import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { gunzipSync } from "node:zlib";

export class Services {
  bundle: Uint8Array = new Uint8Array();
  /** Answers of the bundle service, by status. */
  readonly answers: number[] = [];
  /** Decision events as OPA sent them, one JSON text each. */
  readonly events: string[] = [];
  private server: Server | undefined;
  readonly port: number;

  constructor(port: number) {
    this.port = port;
  }

  async start(): Promise<void> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        if (request.method === "POST" && request.url === "/logs") {
          const body = Buffer.concat(chunks);
          const text = (request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body).toString();
          for (const event of JSON.parse(text) as unknown[]) this.events.push(JSON.stringify(event));
          return void response.writeHead(200).end();
        }
        const etag = `"${createHash("sha256").update(this.bundle).digest("hex")}"`;
        const status = request.url !== "/bundle.tar.gz" ? 404 : request.headers["if-none-match"] === etag ? 304 : 200;
        this.answers.push(status);
        response.writeHead(status, { ETag: etag, "Content-Type": "application/gzip" });
        response.end(status === 200 ? this.bundle : undefined);
      });
    });
    server.listen(this.port, "127.0.0.1");
    await once(server, "listening");
    this.server = server;
  }

  async stop(): Promise<void> {
    const { server } = this;
    if (server === undefined) return;
    this.server = undefined;
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
}

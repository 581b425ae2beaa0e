/** Servers of the example's bundle for a file of tests, all closed at its end. */

import { readFileSync } from "node:fs";
import { load, metrics, type Policy } from "@portcullis/runtime";
import { afterAll, beforeAll } from "vitest";
import { type ServeOptions, type Server, serve } from "../../../compiler/enforcement/serving/index.ts";

export interface Served {
  /** The policy that they decide by: there once tests run. */
  policy(): Policy;
  /** A server on a free port, with small limits and these options. */
  served(options?: Partial<ServeOptions>): Promise<Server>;
}

export function servedExample(): Served {
  let policy: Policy;
  const servers: Server[] = [];
  beforeAll(async () => {
    policy = await load(readFileSync("generated/bundle.tar.gz"));
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.close()));
  });
  return {
    policy: () => policy,
    async served(options = {}) {
      const meter = metrics(policy);
      const server = await serve({
        served: () => ({ policy }),
        metrics: () => meter.toPrometheus(),
        authzen: "authzen/evaluation",
        host: "127.0.0.1",
        port: 0,
        // What is asked of most: `Host` is anything.
        anonymous: true,
        maxBodyBytes: 10_000,
        maxConnections: 50,
        requestMs: 2000,
        graceMs: 200,
        version: "0",
        ...options,
      });
      servers.push(server);
      return server;
    },
  };
}

/** Without a token, programs of this machine are answered: no page in a browser, be it there by its name or by a lie of its name server. */

import { request } from "node:http";
import { describe, expect, it } from "vitest";
import type { ServeOptions } from "../../../compiler/enforcement/serving/index.ts";
import { servedExample } from "./served.ts";

const { served } = servedExample();
const BODY = JSON.stringify({ input: { role: "WRITER", lane: "DRAFTING" } });
const LANE = "/v1/data/portcullis/lane/decision";

type Headers = { readonly [name: string]: string | string[] };

/** Status of a request with exactly these headers. */
async function status(headers: Headers, options: Partial<ServeOptions> = {}, path = LANE): Promise<number> {
  const { url } = await served({ anonymous: false, ...options });
  const { port } = new URL(url);
  const method = path === "/metrics" || path === "/health" ? "GET" : "POST";
  const own = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, String(value).replace("PORT", port)]),
  );
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path, method, headers: own, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.on("error", reject);
    asked.end(method === "POST" ? BODY : undefined);
  });
}

describe("a server without a token", () => {
  it.each<[status: number, headers: Headers]>([
    [200, { Host: "127.0.0.1:PORT" }],
    [200, { Host: "localhost:PORT" }],
    [200, { Host: "LOCALHOST" }],
    [200, { Host: "127.1.2.3:9" }],
    [200, { Host: "[::1]:PORT" }],
    [200, { Host: "localhost:PORT", Origin: "http://localhost:PORT", "Sec-Fetch-Site": "same-origin" }],
    [200, { Host: "localhost:PORT", "Sec-Fetch-Site": "none" }],
    [403, { Host: "rebound.example:PORT" }],
    [403, { Host: "localhost.rebound.example" }],
    [403, { Host: "127.0.0.1.rebound.example" }],
    [403, { Host: "localhost." }],
    [403, { Host: "0.0.0.0:PORT" }],
    [403, { Host: "localhost:PORT", Origin: "http://page.example" }],
    [403, { Host: "localhost:PORT", Origin: "null" }],
    [403, { Host: "localhost:PORT", Origin: "https://localhost:PORT" }],
    [403, { Host: "localhost:PORT", Origin: "http://localhost:1" }],
    [403, { Host: "localhost:PORT", "Sec-Fetch-Site": "cross-site" }],
    [403, { Host: "localhost:PORT", "Sec-Fetch-Site": "same-site" }],
    [403, { Host: "localhost:PORT", "Sec-Fetch-Site": "none, cross-site" }],
  ])("answers with %d: %o", async (expected, headers) => {
    expect(await status(headers)).toBe(expected);
  });

  it("answers no other path either", async () => {
    const rebound = { Host: "rebound.example" };
    for (const path of ["/metrics", "/health", "/access/v1/evaluation", "/access/v1/evaluations", "/", "/nope"])
      expect(await status(rebound, {}, path), path).toBe(403);
    // A proxy's target names its host again.
    expect(await status({ Host: "localhost" }, {}, `http://rebound.example${LANE}`)).toBe(403);
    expect(await status({ Host: "localhost" }, {}, `http://localhost:1${LANE}`)).toBe(200);
  });

  it("leaves the question to the token, and to what stands in front of one for everybody", async () => {
    const foreign = { Host: "authz.example", Origin: "http://page.example" };
    const token = "0123456789abcdef0123";
    expect(await status(foreign, { token })).toBe(401);
    expect(await status({ ...foreign, Authorization: `Bearer ${token}` }, { token })).toBe(200);
    expect(await status(foreign, { anonymous: true })).toBe(200);
  });
});

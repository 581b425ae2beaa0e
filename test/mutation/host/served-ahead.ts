/** Requests that are sent ahead of the answers, and bytes behind them that are not HTTP. */
import { connect } from "node:net";
import { type ServeOptions, serve } from "../../../compiler/enforcement/serving/server.ts";
import { type Check, same } from "./check.ts";
import { answering } from "./served-policy.ts";

export function aheadChecks(): readonly Check[] {
  return [
    { what: "how many requests ahead", run: most },
    { what: "requests behind the last one", run: ended },
    { what: "what is not HTTP behind requests", run: broken },
  ];
}

/** The statuses that come back for these bytes, and how many requests the policy was taken for. */
async function told(
  bytes: string,
  options: Partial<ServeOptions> = {},
): Promise<[statuses: string[], decided: number]> {
  let decided = 0;
  const policy = Object.assign(answering({ "app/ok": () => true }), { evaluate: () => true });
  const server = await serve({
    served: () => {
      decided++;
      return { policy };
    },
    // All that came in one piece is read by then.
    metrics: () => new Promise((resolve) => setImmediate(() => resolve("counted\n"))),
    ...{ host: "127.0.0.1", port: 0, authzen: "authzen/evaluation", anonymous: true, version: "0" },
    ...{ maxBodyBytes: 1000, maxConnections: 50, requestMs: 600_000, graceMs: 100 },
    ...options,
  });
  try {
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    let text = "";
    const over = new Promise<void>((resolve) => {
      socket.on("data", (some) => void (text += some.toString("latin1"))).on("error", () => undefined);
      socket.on("close", () => resolve());
    });
    socket.write(bytes);
    // Only a server that never ends the connection is waited for so long.
    const hanging = setTimeout(() => socket.destroy(), 20_000);
    await over;
    clearTimeout(hanging);
    return [[...text.matchAll(/^HTTP\/1.1 (\d+)/gm)].map(([, status = ""]) => status), decided];
  } finally {
    await server.close();
  }
}

const get = (path: string, ...lines: string[]): string =>
  [`GET ${path} HTTP/1.1`, "Host: a", ...lines, "", ""].join("\r\n");
const OK = "/v1/data/app/ok";
const LAST = "Connection: close";

async function most(): Promise<void> {
  const after = (count: number): string => get("/metrics") + get("/health").repeat(count - 2) + get(OK, LAST);
  same("a hundred", await told(after(100)), [Array(100).fill("200"), 1]);
  same("one more", await told(after(101)), [[], 0]);
  same("many more", await told(after(140) + get(OK)), [[], 0]);
}

async function ended(): Promise<void> {
  const token = "0123456789abcdef0123";
  const bears = get(OK, `Authorization: Bearer ${token}`);
  same("are not decided", await told(bears + get(OK) + bears, { token }), [["200", "401"], 1]);
}

async function broken(): Promise<void> {
  const never = "NOT HTTP\r\n\r\n";
  same("behind none", await told(never), [["400"], 0]);
  same("behind two", await told(get(OK) + get(OK) + never), [["200", "200", "400"], 2]);
  same("behind the last one", await told(get(OK) + get(OK, LAST) + never), [["200", "200"], 2]);
  const half = "POST /v1/data/app/ok HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n";
  same("a request itself", await told(get("/health") + half), [["200", "400"], 0]);
}

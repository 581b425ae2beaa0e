/** A Redis that keeps the history of calls, by whichever of its two clients is installed beside the command. */

import { redisHistory } from "@portcullis/redis";
import { CliError, EXIT_USAGE } from "./exit.ts";
import type { OpenedHistory } from "./history.ts";

const CONNECT_MS = 2000;
/** Until it has answered, too; less than a hook has. */
const READY_MS = 4000;

interface Client {
  on(event: "error", listener: (error: Error) => void): unknown;
  connect(): Promise<unknown>;
  disconnect(): unknown;
}

/**
 * Throws CliError for a URL of another kind, where no client is installed, and for a Redis that cannot be reached. Where it is to
 * `count` calls, one that cannot, such as a replica, a sentinel or a node of a cluster without these keys.
 */
export async function openRedisHistory(url: string, count: boolean): Promise<OpenedHistory> {
  // Clients know schemes in small letters alone: by `REDISS:` they would ask without TLS.
  if (!/^rediss?:\/\//.test(url) || !URL.canParse(url) || new URL(url).hostname === "")
    throw new CliError(`\`--history ${shown(url)}\`: a folder, or redis:// or rediss:// with a host, is needed`);
  const client = await connectable(url);
  let problem: Error | undefined;
  // What goes wrong later is heard of by each call, which is then denied.
  client.on("error", (error) => {
    problem ??= error;
  });
  const store = redisHistory(client as unknown as Parameters<typeof redisHistory>[0]);
  let says = "cannot be reached";
  try {
    await inTime(client.connect());
    says = "cannot keep a history";
    // A client goes on without the database that it could not select, in another one.
    if (problem !== undefined) throw problem;
    if (count) await inTime(store.reserve({ limits: [] }));
  } catch (error) {
    // Otherwise it tries again, and keeps the process alive.
    await Promise.resolve(client.disconnect()).catch(() => {});
    throw new CliError(`\`${shown(url)}\` ${says}: ${(problem ?? (error as Error)).message}`);
  }
  return {
    store,
    close: async () => {
      await client.disconnect();
    },
  };
}

/** Rejects for a server that takes what it is sent and then says nothing: a command would wait for it without a word. */
async function inTime(answer: unknown): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it does not answer in ${READY_MS} ms`)), READY_MS);
  });
  try {
    await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** By name, so that the command is built without either. */
async function connectable(url: string): Promise<Client> {
  const [io, node] = ["ioredis", "redis"] as const;
  const found = await import(io).catch(() => undefined);
  if (found !== undefined) {
    const options = { lazyConnect: true, connectTimeout: CONNECT_MS, maxRetriesPerRequest: 1, retryStrategy: retry };
    return new found.Redis(url, options) as Client;
  }
  const other = await import(node).catch(() => undefined);
  if (other !== undefined)
    return other.createClient({ url, socket: { connectTimeout: CONNECT_MS, reconnectStrategy: retry } }) as Client;
  throw new CliError(
    "a history in a Redis needs a client of Redis",
    EXIT_USAGE,
    "install `ioredis` or `redis` beside `@portcullis/compiler`",
  );
}

/** Milliseconds until the next try; the first connection has one alone. */
function retry(tries: number): number {
  return Math.min(tries * 100, CONNECT_MS);
}

/** Without a password. */
function shown(url: string): string {
  return url.replace(/\/\/[^@/]*@/, "//…@");
}

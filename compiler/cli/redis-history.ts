/** A Redis that keeps the history of calls, by whichever of its two clients is installed beside the command. */

import { redisHistory } from "@portcullis/redis";
import { CliError, EXIT_USAGE } from "./exit.ts";
import type { OpenedHistory } from "./history.ts";

const CONNECT_MS = 2000;
/** Until it has answered, too; less than a hook has. */
const READY_MS = 4000;

interface Client {
  on(event: "error", listener: () => void): unknown;
  connect(): Promise<unknown>;
  disconnect(): unknown;
}

/** Throws CliError for a URL of another kind, where no client is installed, and for a Redis that cannot be reached. */
export async function openRedisHistory(url: string): Promise<OpenedHistory> {
  if (!/^rediss?:\/\//i.test(url))
    throw new CliError(`\`--history ${shown(url)}\`: a folder, or redis:// or rediss:// with a host, is needed`);
  const client = await connectable(url);
  // What goes wrong is heard of by each call, which is then denied.
  client.on("error", () => {});
  try {
    await connected(client);
  } catch (error) {
    // Otherwise it tries again, and keeps the process alive.
    await Promise.resolve(client.disconnect()).catch(() => {});
    throw new CliError(`\`${shown(url)}\` cannot be reached: ${(error as Error).message}`);
  }
  return {
    store: redisHistory(client as unknown as Parameters<typeof redisHistory>[0]),
    close: async () => {
      await client.disconnect();
    },
  };
}

/** Rejects for a server that takes the connection and then says nothing: a command would wait for it without a word. */
async function connected(client: Client): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it does not answer in ${READY_MS} ms`)), READY_MS);
  });
  try {
    await Promise.race([client.connect(), late]);
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

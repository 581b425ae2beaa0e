/** Messages of a channel that say "look now", for `follow(source, { wake })`. What stands in a message is not read. */

import type { Wake } from "@portcullis/runtime";

/** A client of the package `ioredis`, for this alone: one that listens can do nothing else. */
export interface IoRedisSubscriber {
  call(command: string, ...words: string[]): Promise<unknown>;
  subscribe(...channels: string[]): Promise<unknown>;
  unsubscribe(...channels: string[]): Promise<unknown>;
  on(event: string, listener: (...args: string[]) => void): unknown;
  off(event: string, listener: (...args: string[]) => void): unknown;
}

/** A client of the package `redis`, connected, for this alone. */
export interface NodeRedisSubscriber {
  sendCommand(words: string[]): Promise<unknown>;
  subscribe(channel: string, listener: () => void): Promise<unknown>;
  unsubscribe(channel: string, listener: () => void): Promise<unknown>;
  on(event: string, listener: () => void): unknown;
  off(event: string, listener: () => void): unknown;
}

/**
 * Asks the source of a policy at once when anything is published on a channel, and when the connection is back: messages may have
 * been lost meanwhile. `client` is closed by its owner; any number of policies may share what this gives. Who may publish there can cause one check a second, and nothing else.
 */
export function redisWake(client: IoRedisSubscriber | NodeRedisSubscriber, channel: string): Wake {
  const looks = new Set<() => void>();
  const told = (): void => {
    for (const look of looks) look();
  };
  const onMessage = (from?: string): void => {
    if (from === channel) told();
  };
  const begin = async (): Promise<void> => {
    client.on("ready", told);
    if (!isIoRedis(client)) return void (await client.subscribe(channel, told));
    client.on("message", onMessage);
    await client.subscribe(channel);
  };
  const end = async (): Promise<void> => {
    client.off("ready", told);
    if (!isIoRedis(client)) return void (await client.unsubscribe(channel, told));
    client.off("message", onMessage);
    await client.unsubscribe(channel);
  };
  // One after the other: who begins while the last one ends must not be ended with it.
  let turn = Promise.resolve();
  const next = (work: () => Promise<void>): Promise<void> => {
    const done = turn.then(work);
    turn = done.catch(() => {});
    return done;
  };
  return async (look) => {
    // Each its own, also where two are the same function.
    const own = (): void => look();
    await next(async () => {
      if (looks.size === 0) await begin();
      looks.add(own);
    });
    return () =>
      next(async () => {
        if (looks.delete(own) && looks.size === 0) await end();
      });
  };
}

/** Clients of `redis` have no `call`. */
function isIoRedis(client: IoRedisSubscriber | NodeRedisSubscriber): client is IoRedisSubscriber {
  return typeof (client as Partial<IoRedisSubscriber>).call === "function";
}

/** Messages of a channel in a real Redis, by both clients: a fleet looks at once, and what is lost, repeated or invented changes nothing. */

import { type BundleSource, ReloadablePolicy, type Wake } from "@portcullis/runtime";
import { Redis } from "ioredis";
import { createClient } from "redis";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { type IoRedisSubscriber, redisWake } from "../../../runtime/redis/index.ts";
import { bundlesInOrder, until, verification } from "../operate/followed.ts";
import { HAS_REDIS, type RedisServer, startRedis, WITHOUT_REDIS } from "./redis-server.ts";

const CHANNEL = "portcullis:bundle";
let bundles: Awaited<ReturnType<typeof bundlesInOrder>>;
beforeAll(async () => {
  bundles = await bundlesInOrder();
});

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function aServer(): Promise<RedisServer> {
  const server = await startRedis();
  ends.push(() => server.stop());
  return server;
}

function anIoRedis(server: RedisServer): Redis {
  const client = new Redis(server.url, { retryStrategy: () => 50 });
  client.on("error", () => {});
  ends.push(() => client.disconnect());
  return client;
}

/** A source that is asked when messages say so, and never by itself. */
class Asked implements BundleSource {
  readonly name = "asked";
  checks = 0;
  bytes = bundles[0];

  async fetch(): Promise<{ bytes: Uint8Array; tag: undefined }> {
    this.checks++;
    return { bytes: this.bytes, tag: undefined };
  }

  pause(...[, , signal]: Parameters<BundleSource["pause"]>): Promise<void> {
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  }
}

async function follow(source: BundleSource, wake: Wake): Promise<ReloadablePolicy> {
  const policies = await ReloadablePolicy.follow(source, { verification, wake });
  ends.push(() => policies.close());
  return policies;
}

const WAKES: readonly (readonly [string, (server: RedisServer) => Promise<Wake>])[] = [
  ["ioredis", async (server) => redisWake(anIoRedis(server) as unknown as IoRedisSubscriber, CHANNEL)],
  [
    "redis",
    async (server) => {
      const client = createClient({ url: server.url });
      client.on("error", () => {});
      await client.connect();
      ends.push(() => client.destroy());
      return redisWake(client as never, CHANNEL);
    },
  ],
];

describe.skipIf(!HAS_REDIS)(HAS_REDIS ? "a channel of a Redis" : WITHOUT_REDIS, () => {
  it.each(WAKES)("makes all who follow look at once, until they end: %s", async (_, wakeOf) => {
    const server = await aServer();
    const publisher = anIoRedis(server);
    const wake = await wakeOf(server);
    const source = new Asked();
    const fleet = await Promise.all(Array.from({ length: 20 }, () => follow(source, wake)));
    source.bytes = bundles[1];
    await until(
      async () =>
        (await publisher.publish(CHANNEL, "now")) > 0 && fleet.every(({ current }) => current.revision === "bob"),
    );
    await publisher.publish(`${CHANNEL}:other`, "now");
    await publisher.publish("other", CHANNEL);
    // One that ends takes the messages from no other one.
    fleet[0]?.close();
    source.bytes = bundles[2];
    const left = fleet.slice(1);
    await until(
      async () =>
        (await publisher.publish(CHANNEL, "now")) > 0 && left.every(({ current }) => current.revision === "zoe"),
    );
    for (const policies of fleet) policies.close();
    await until(async () => (await publisher.publish(CHANNEL, "now")) === 0);
  });

  it("costs a check a second, however many messages an adversary sends, and whatever they say", async () => {
    const server = await aServer();
    const publisher = anIoRedis(server);
    const source = new Asked();
    const policies = await follow(source, redisWake(anIoRedis(server) as unknown as IoRedisSubscriber, CHANNEL));
    await until(async () => (await publisher.publish(CHANNEL, "")) > 0);
    const [began, before] = [performance.now(), source.checks];
    while (performance.now() - began < 2500)
      await Promise.all(Array.from({ length: 50 }, (_, i) => publisher.publish(CHANNEL, "x".repeat(i * 100))));
    const seconds = (performance.now() - began) / 1000;
    // The first may come at once.
    expect(source.checks - before).toBeGreaterThan(0);
    expect(source.checks - before).toBeLessThanOrEqual(1 + Math.ceil(seconds));
    expect(policies.status()).toMatchObject({ revision: "ann", failures: 0 });
  });

  it("looks when the connection is back: messages may have been lost", async () => {
    const server = await aServer();
    const listener = anIoRedis(server);
    const source = new Asked();
    const policies = await follow(source, redisWake(listener as unknown as IoRedisSubscriber, CHANNEL));
    const publisher = anIoRedis(server);
    await until(async () => (await publisher.publish(CHANNEL, "")) > 0);
    source.bytes = bundles[1];
    await publisher.call("CLIENT", "KILL", "TYPE", "pubsub");
    await until(() => policies.current.revision === "bob");
  });
});

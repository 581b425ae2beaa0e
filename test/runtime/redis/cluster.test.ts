/** The store in a cluster of two real nodes: what a call keeps is found, whichever node has it. */

import { Cluster, Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import type { LimitUse } from "../../../runtime/index.ts";
import { type IoRedisClient, redisHistory } from "../../../runtime/redis/index.ts";
import { freePort } from "../../free-port.ts";
import { HAS_REDIS, startRedis, WITHOUT_REDIS } from "./redis-server.ts";

if (!HAS_REDIS) process.stderr.write(`${WITHOUT_REDIS}\n`);

const use: LimitUse = { id: "L", key: "ab".repeat(32), maxCalls: 9, after: [], never: [] };

describe.skipIf(!HAS_REDIS)(HAS_REDIS ? "a cluster of Redis" : WITHOUT_REDIS, () => {
  it("shows and clears what any of its nodes has", async () => {
    const start = async () => startRedis(["--cluster-enabled", "yes", "--cluster-port", String(await freePort())]);
    const servers = [await start(), await start()] as const;
    const nodes = servers.map(({ url }) => new Redis(url));
    const [one, two] = nodes as [Redis, Redis];
    await one.call("CLUSTER", "ADDSLOTSRANGE", "0", "8191");
    await two.call("CLUSTER", "ADDSLOTSRANGE", "8192", "16383");
    const bus = /@(\d+)/.exec(String(await two.call("CLUSTER", "NODES")))?.[1] ?? "";
    await one.call("CLUSTER", "MEET", "127.0.0.1", String(servers[1].port), bus);
    await expect
      .poll(async () => (await Promise.all(nodes.map((n) => n.call("CLUSTER", "INFO")))).join())
      .toMatch(/cluster_state:ok.*cluster_state:ok/s);
    const cluster = new Cluster([{ host: "127.0.0.1", port: servers[0].port }]);
    try {
      // Their names lie on both nodes.
      for (const prefix of ["a", "b", "c", "d"]) {
        const kept = redisHistory(cluster as unknown as IoRedisClient, { prefix });
        await kept.reserve({ limits: [use] });
        for (let i = 0; i < 4; i++) expect(await kept.entries()).toMatchObject([{ kind: "limit", calls: 1 }]);
        expect(await kept.clear()).toBe(1);
        expect(await kept.entries()).toEqual([]);
      }
    } finally {
      cluster.disconnect();
      for (const node of nodes) node.disconnect();
      await Promise.all(servers.map((server) => server.stop()));
    }
  });
});

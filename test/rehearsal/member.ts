/**
 * A service of the fleet that embeds the runtime: it follows its source, verifies, keeps the last good bundle, listens to Redis,
 * logs, and answers over HTTP. One process each; its choice is the first argument, as JSON.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decisionLog, metrics, ReloadablePolicy } from "@portcullis/runtime";
import { fileSink, fileStore } from "@portcullis/runtime/node";
import { Redis } from "ioredis";
import { remoteSource } from "../../compiler/cli/policy/remote-source.ts";
import { bundleVerification } from "../../compiler/cli/verification-keys.ts";
import { serve } from "../../compiler/enforcement/serving/index.ts";
import { type IoRedisSubscriber, redisWake } from "../../runtime/redis/index.ts";
import type { MemberChoice } from "./fleet.ts";

const choice = JSON.parse(process.argv[2] as string) as MemberChoice;
const { source, keys, folder, redis, channel, pollMs, staleAfterMs, isLogRequired, bufferBytes } = choice;

const log = decisionLog({ sink: fileSink(join(folder, "decisions.ndjson")), bufferBytes, flushMs: 200 });
const client = redis === undefined ? undefined : new Redis(redis);
client?.on("error", () => {});
const read = (path: string) => ({ algorithm: "ES256" as const, key: readFileSync(path, "utf8") });
const verification = bundleVerification({
  ...{ files: [keys], algorithm: "ES256", keyId: undefined, scope: undefined },
  read,
});
const policies = await ReloadablePolicy.follow(
  remoteSource(source, { minDelay: pollMs, maxDelay: pollMs, staleAfter: staleAfterMs, timeout: 20_000 }),
  {
    verification,
    persist: fileStore(join(folder, "bundle.tar.gz")),
    stale: "deny",
    onDecision: log,
    ...(isLogRequired ? { unrecorded: "deny" as const } : {}),
    ...(client === undefined ? {} : { wake: redisWake(client as unknown as IoRedisSubscriber, channel) }),
  },
);
const meter = metrics(policies);
const server = await serve({
  served: () => ({ policy: policies.current, isStale: policies.status()?.stale === true }),
  metrics: () => meter.toPrometheus(),
  ...{ host: "127.0.0.1", port: 0, authzen: "portcullis/authzen/evaluation", version: "rehearsal" },
  ...{ maxBodyBytes: 1 << 20, maxConnections: 1024, requestMs: 60_000, graceMs: 10_000 },
  requiredLog: isLogRequired ? log : undefined,
});
process.on("SIGHUP", () => void policies.check());
process.on("SIGTERM", async () => {
  policies.close();
  client?.disconnect();
  await server.close();
  await log.close();
  process.exit(0);
});
process.stderr.write(`serving revision ${policies.current.revision} on ${server.url}\n`);

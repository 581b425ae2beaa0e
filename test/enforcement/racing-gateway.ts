/**
 * A gateway in a process of its own: for each line that it is told, a round and when it begins, it calls a guarded tool once, and says
 * what became of the call and when it was made. The tool says how often it ran.
 */

import { createInterface } from "node:readline";
import { guardTool } from "@portcullis/runtime";
import { fileHistory, loadFile } from "@portcullis/runtime/node";
import { Redis } from "ioredis";
import { type IoRedisClient, redisHistory } from "../../runtime/redis/index.ts";

/** What a gateway says of a round; times in microseconds since 1970. */
export interface Raced {
  readonly round: number;
  readonly allowed: boolean;
  readonly reason: string;
  readonly runs: number;
  readonly from: number;
  readonly to: number;
}

const [bundle = "", place = ""] = process.argv.slice(2);
const policy = await loadFile(bundle);
const history = place.startsWith("redis:")
  ? redisHistory(new Redis(place) as unknown as IoRedisClient)
  : fileHistory(place, { wait: 60_000 });
const clock = (): number => Math.round(1000 * (performance.timeOrigin + performance.now()));

process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  const [round = 0, begins = 0] = line.split(" ").map(Number);
  let runs = 0;
  const context = { role: "R", lane: "L", scope: { round: String(round) } };
  const pay = guardTool(policy, context, "pay", () => ++runs, { history, historyTimeout: 60_000 });
  while (clock() < begins) {}
  const from = clock();
  const { allowed, decision } = await pay({});
  const raced: Raced = { round, allowed, reason: decision.reason, runs, from, to: clock() };
  process.stdout.write(`${JSON.stringify(raced)}\n`);
}
process.exit(0);

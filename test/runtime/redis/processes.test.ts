/**
 * Three processes at one real Redis, killed, stopped and woken, with clocks of their own that jump, while the clock of the Redis steps:
 * every decision against a naive log of all calls, in the order of the Redis. None lets more through than a limit says, and none holds
 * back more than a bucket. A small number in `make test`; `make fuzz WITH=redis` makes 100,000 calls (`PORTCULLIS_HISTORY_CALLS`).
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { redisHistory } from "../../../runtime/redis/index.ts";
import { between, SEED } from "../../campaign.ts";
import { Random } from "../../rego/plan/generate/random.ts";
import { ask, type NaiveLimit } from "../history/naive-log.ts";
import { limitsOf } from "../history/traces.ts";
import { type Record, recording, records, step } from "./recording-redis.ts";
import { HAS_REDIS, type RedisServer, startRedis, WITHOUT_REDIS } from "./redis-server.ts";
import { replayed } from "./replayed.ts";

if (!HAS_REDIS) process.stderr.write(`${WITHOUT_REDIS}\n`);

const CALLS = Number(process.env["PORTCULLIS_HISTORY_CALLS"] || between(3000, 20_000));
const PROCESSES = 3;
const UNIT = 300;
const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "portcullis-processes-"));
const script = join(folder, "process.mjs");

describe.skipIf(!HAS_REDIS)(HAS_REDIS ? "three processes at a Redis" : WITHOUT_REDIS, () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
    await build({
      entryPoints: [join(root, "test/runtime/redis/process.ts")],
      ...{ outfile: script, bundle: true, platform: "node", format: "esm", target: "node20", logLevel: "error" },
      tsconfig: join(root, "tsconfig.json"),
      banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it(`decide as a log of all calls does, within a bucket, in ${CALLS} calls`, { timeout: 3_600_000 }, async () => {
    const random = new Random(SEED);
    const io = new Redis(server.url);
    const log = join(folder, "log.jsonl");
    const output = openSync(log, "a");
    let [started, killed, stopped, stepped, ahead] = [0, 0, 0, 0, 0];
    const start = (): ChildProcess => {
      const words = [script, server.url, String(SEED), String(SEED + ++started), String(UNIT)];
      return spawn(process.execPath, words, { stdio: ["ignore", output, "inherit"] });
    };
    const lines = (): readonly string[] => readFileSync(log, "utf8").split("\n").slice(0, -1);
    const running = Array.from({ length: PROCESSES }, start);
    while (lines().length < CALLS) {
      await new Promise((resolve) => setTimeout(resolve, 50 + random.int(300)));
      if (stepped === 0 || random.chance(0.3)) {
        // Ahead by several windows, back by what stands still, and back by more.
        ahead = Math.max(0, ahead + (random.chance(0.4) ? random.int(UNIT * 20) : -random.int(2000)));
        await step(io, ahead);
        stepped++;
      }
      const at = random.int(PROCESSES);
      const child = running[at] as ChildProcess;
      if (killed === 0 || random.chance(0.5)) {
        child.kill("SIGKILL");
        killed++;
        running[at] = start();
      } else {
        child.kill("SIGSTOP");
        stopped++;
        setTimeout(() => child.kill("SIGCONT"), 100 + random.int(400));
      }
    }
    await Promise.all(running.map(ended));
    closeSync(output);
    const made = lines().map((line) => JSON.parse(line) as { id: string; isAllowed: boolean; isDenied: boolean });
    const { allowed, denied, heldBack, back, wrong } = await replayed(
      limitsOf(new Random(SEED), UNIT),
      await records(io),
    );
    io.disconnect();
    process.stderr.write(
      `${made.length} calls, ${allowed.size} let through, ${denied} denied, ${heldBack} of these by a bucket, ${back} while the clock was back; ` +
        `${killed} kills, ${stopped} pauses, ${stepped} steps of the clock\n`,
    );
    expect([killed > 0, stepped > 0, allowed.size > CALLS / 50, denied > CALLS / 50]).toEqual([true, true, true, true]);
    expect([`seed ${SEED}`, wrong]).toEqual([`seed ${SEED}`, []]);
    // What the processes saw is what the Redis has done.
    expect(made.filter(({ id, isAllowed }) => isAllowed !== allowed.has(id))).toEqual([]);
  });

  it("a call too many is seen, and one too few", async () => {
    const io = new Redis(server.url);
    await io.flushall();
    const limits: NaiveLimit[] = [{ id: "L", maxCalls: 1, within: 6300, counts: () => true }];
    const call = { tool: "t", of: 0, who: "w" };
    for (const id of ["a", "b", "c"]) {
      const store = redisHistory(recording(io, () => JSON.stringify({ id, ...call })));
      await ask(store, limits, call);
      if (id === "b") await step(io, 6400);
    }
    const [first, second, third] = (await records(io)) as [Record, Record, Record];
    io.disconnect();
    const wrong = async (...made: Record[]) =>
      (await replayed(limits, made)).wrong.map((line) => line.split(": ").at(-1));
    expect(await wrong(first, second, third)).toEqual([]);
    expect((await replayed(limits, [first, second, third])).allowed).toEqual(new Set(["a", "c"]));
    // The second is let through by what was said to the first.
    expect(await wrong(first, { ...second, reply: first.reply })).toContain("calls");
    expect(await wrong(second, third)).toEqual(["held back, though a bucket is free"]);
    expect(await wrong(first, { ...second, shown: second.shown + 6400 })).toContain(
      "held back, though a bucket is free",
    );
  });
});

async function ended(child: ChildProcess): Promise<void> {
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}

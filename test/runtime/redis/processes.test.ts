/**
 * Three processes at one real Redis, killed, stopped and woken, with clocks of their own that jump, against a naive log of every
 * call that was let through: no window ever has more than the limit. A small number in `make test`; `make fuzz WITH=redis` makes
 * 100,000 calls (`PORTCULLIS_HISTORY_CALLS`).
 */

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isWhole, SEED } from "../../campaign.ts";
import { Random } from "../../rego/plan/generate/random.ts";
import { held, type Line, window } from "../history/held.ts";
import { type NaiveLimit, NaiveLog } from "../history/naive-log.ts";
import { limitsOf } from "../history/traces.ts";
import { HAS_REDIS, type RedisServer, startRedis, WITHOUT_REDIS } from "./redis-server.ts";

if (!HAS_REDIS) process.stderr.write(`${WITHOUT_REDIS}\n`);

const CALLS = Number(process.env["PORTCULLIS_HISTORY_CALLS"] || (isWhole ? 20_000 : 3000));
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

  it(`never let more through than a limit says, in ${CALLS} calls`, { timeout: 3_600_000 }, async () => {
    const random = new Random(SEED);
    const log = join(folder, "log.jsonl");
    const output = openSync(log, "a");
    let [started, killed, stopped] = [0, 0, 0];
    const start = (): ChildProcess => {
      const words = [script, server.url, String(SEED), String(SEED + ++started), String(UNIT)];
      return spawn(process.execPath, words, { stdio: ["ignore", output, "inherit"] });
    };
    const lines = (): readonly string[] => readFileSync(log, "utf8").split("\n").slice(0, -1);
    const running = Array.from({ length: PROCESSES }, start);
    while (lines().length < CALLS) {
      await new Promise((resolve) => setTimeout(resolve, 50 + random.int(300)));
      const at = random.int(PROCESSES);
      const child = running[at] as ChildProcess;
      if (random.chance(0.5)) {
        child.kill("SIGKILL");
        killed++;
        running[at] = start();
      } else {
        child.kill("SIGSTOP");
        stopped++;
        setTimeout(() => child.kill("SIGCONT"), 100 + random.int(400));
      }
    }
    for (const child of running) child.kill("SIGKILL");
    closeSync(output);
    const made = lines();
    const denied = made.filter((line) => line.includes('"denied":true')).length;
    process.stderr.write(
      `${made.length} calls, ${made.length - denied} let through, ${denied} denied, ${killed} kills, ${stopped} pauses\n`,
    );
    expect(killed).toBeGreaterThan(0);
    held(limitsOf(new Random(SEED), UNIT), made);
  });
});

it("the sliding window sees a call too many", () => {
  const limit: NaiveLimit = { id: "L", maxCalls: 1, within: 10, counts: () => true };
  const at = (now: number): Line => ({ tool: "t", of: 0, who: "w", now });
  expect(() => window(limit, [at(0), at(10)])).toThrow();
  expect(() => window(limit, [at(0), at(11)])).not.toThrow();
  expect(() =>
    window({ ...limit, maxCalls: 2, atMost: 5 }, [
      { ...at(0), of: 3 },
      { ...at(1), of: 3 },
    ]),
  ).toThrow();
  expect(new NaiveLog([limit]).excess(at(0), 0, 0)).toBeUndefined();
});

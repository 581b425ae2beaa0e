/** A gateway of its own at a Redis: calls tools until it is killed, and writes each call down. Its own clock jumps. */

import { writeSync } from "node:fs";
import { Redis } from "ioredis";
import { redisHistory } from "../../../runtime/redis/index.ts";
import { Random } from "../../rego/plan/generate/random.ts";
import { ask, type Call } from "../history/naive-log.ts";
import { limitsOf } from "../history/traces.ts";
import { recording } from "./recording-redis.ts";

const [url = "", seed = "0", own = "0", unit = "0"] = process.argv.slice(2);
const limits = limitsOf(new Random(Number(seed)), Number(unit));
const random = new Random(Number(own));
let about = "";
const store = redisHistory(recording(new Redis(url), () => about));

// Nothing that is counted may depend on it.
const real = Date.now.bind(Date);
let jump = 0;
Date.now = () => real() + jump;

for (let n = 0; ; n++) {
  jump = random.int(2e9) - 1e9;
  const tool = random.chance(0.001) ? "fetch" : random.pick(["pay", "pay", "review", "publish", "mail"]);
  // New keys now and then: what counts for ever is soon used up.
  const who = `${random.pick(["a", "b"])}${Math.floor(real() / 3000)}`;
  const call: Call = { tool, of: random.int(40), who };
  const id = `${own}-${n}`;
  about = JSON.stringify({ id, ...call });
  const { isAllowed, reservation } = await ask(store, limits, call);
  const isDenied = !isAllowed || random.chance(0.1);
  if (isAllowed && isDenied) await reservation.release();
  writeSync(1, `${JSON.stringify({ id, isAllowed, isDenied })}\n`);
  if (!isDenied && random.chance(0.7)) await reservation.commit();
  if (random.chance(0.02)) await new Promise((resolve) => setTimeout(resolve, random.int(20)));
}

/** A host of its own at a folder of history: calls tools until it is killed, and writes each call down before the tool would run. */

import { writeSync } from "node:fs";
import { fileHistory } from "../../../runtime/node/file-history.ts";
import { Random } from "../../rego/plan/generate/random.ts";
import { ask, type Call } from "./naive-log.ts";
import { limitsOf } from "./traces.ts";

const [folder = "", seed = "0", own = "0", unit = "0"] = process.argv.slice(2);
const limits = limitsOf(new Random(Number(seed)), Number(unit));
const random = new Random(Number(own));
const store = fileHistory(folder, { wait: 60_000 });

for (;;) {
  const tool = random.chance(0.005) ? "fetch" : random.pick(["pay", "pay", "review", "publish", "mail"]);
  // New keys now and then: what counts for ever is soon used up.
  const who = `${random.pick(["a", "b"])}${Math.floor(Date.now() / 2000)}`;
  const call: Call = { tool, of: random.int(40), who };
  const { isAllowed, reservation } = await ask(store, limits, call);
  const { now } = reservation.facts;
  const isDenied = !isAllowed || random.chance(0.1);
  if (isAllowed && isDenied) await reservation.release();
  writeSync(1, `${JSON.stringify({ ...call, now, ...(isDenied ? { denied: true } : {}) })}\n`);
  if (!isDenied && random.chance(0.7)) {
    // What is written here is committed, or the process dies before: then it may have succeeded, or not.
    writeSync(1, `${JSON.stringify({ ...call, now, commits: true })}\n`);
    await reservation.commit();
  }
}

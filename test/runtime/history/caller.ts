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
  const write = (line: object): void => void writeSync(1, `${JSON.stringify({ ...call, own, ...line })}\n`);
  write({ kind: "asks", at: Date.now() });
  const { isAllowed, reservation } = await ask(store, limits, call);
  const { now } = reservation.facts;
  if (isAllowed && random.chance(0.9)) {
    write({ kind: "allowed", now });
    if (random.chance(0.3)) continue;
    // What is written here is committed, or the process dies before: then it may have succeeded, or not.
    write({ kind: "commits", now });
    await reservation.commit();
  } else {
    // What is denied by limits has been given back already.
    if (isAllowed) await reservation.release();
    const end = reservation.isReserved ? { end: Date.now() } : {};
    write({ kind: isAllowed ? "released" : "denied", now, ...end });
  }
}

/** Random traces of calls at a store, each held against a naive log. */

import { expect } from "vitest";
import type { HistoryStore } from "../../../runtime/history/store.ts";
import { Random } from "../../rego/plan/generate/random.ts";
import { ask, type Call, NaiveClock, type NaiveLimit, NaiveLog } from "./naive-log.ts";

const TOOLS = ["pay", "review", "publish", "fetch", "mail"];

/** Limits whose windows are about `unit` milliseconds. */
export function limitsOf(random: Random, unit: number): NaiveLimit[] {
  const within = [unit, unit * 3 + 1, 63, 64][random.int(4)] as number;
  const isOf =
    (...tools: string[]) =>
    (tool: string) =>
      tools.includes(tool);
  return [
    { id: "CALLS", maxCalls: 1 + random.int(5), within, counts: isOf("pay", "mail") },
    { id: "EVER", maxCalls: 5 + random.int(40), counts: isOf("pay") },
    { id: "SUM", atMost: 50 + random.int(100), within: unit * 2, counts: isOf("pay") },
    { id: "AFTER", onlyAfter: { tool: "review", within: unit }, counts: isOf("publish") },
    { id: "NEVER", neverAfter: "fetch", counts: isOf("mail") },
  ];
}

/**
 * Calls of a few keys, one after the other; `pass` lets time go on, and, with `steps`, back and far ahead. Throws where more was let
 * through than a limit says, or fewer than a bucket less.
 */
export async function traces(
  store: HistoryStore,
  seed: number,
  calls: number,
  pass: (milliseconds: number) => void | Promise<void>,
  unit = 1000,
  clock?: () => number,
  steps = false,
): Promise<{ readonly allowed: number; readonly denied: number }> {
  const random = new Random(seed);
  const limits = limitsOf(random, unit);
  const log = new NaiveLog(limits);
  const time = new NaiveClock();
  let [allowed, denied] = [0, 0];
  for (let i = 0; i < calls; i++) {
    const tool = TOOLS[random.chance(0.02) ? 3 : random.pick([0, 1, 2, 4])] as string;
    const call: Call = { tool, of: random.int(40), who: random.pick(["a", "b"]) };
    const { isAllowed, reservation } = await ask(store, limits, call);
    const { now } = reservation.facts;
    const { isBack } = time.at(now);
    const why = `seed ${seed}, call ${i}, ${JSON.stringify({ call, now, isBack, history: reservation.facts.history })}`;
    if (isAllowed && random.chance(0.1)) {
      // Another gate denies it.
      await reservation.release();
    } else if (isAllowed) {
      allowed++;
      expect([why, log.excess(call, now, 0, isBack)]).toEqual([why, undefined]);
      const entry = log.add(call, now);
      if (random.chance(0.7)) {
        await reservation.commit();
        entry.succeeded = [now, clock === undefined ? now : time.at(clock()).now];
      }
    } else {
      denied++;
      expect([why, log.excess(call, now, "bucket", isBack)]).not.toEqual([why, undefined]);
    }
    if (steps && random.chance(0.05)) await pass(random.chance(0.3) ? random.int(unit * 50) : -random.int(unit * 5));
    else if (random.chance(0.5)) await pass(random.int(random.chance(0.05) ? unit * 3 : unit / 5));
  }
  return { allowed, denied };
}

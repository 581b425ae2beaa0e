/**
 * Hostile requests, a slow sink and a disk that gets full, against a ledger that is required. It is deterministic: what is
 * asked, and when the disk is full, follows from the seed. Counts are held to one:
 *
 *   decisions = records + refused,   allows that were given = allows in the ledger
 */

import { setImmediate } from "node:timers/promises";
import { auditLedger, type EventSink, load, type Policy, verifyLedger } from "@portcullis/runtime";
import { Random } from "../../rego/plan/generate/random.ts";

export interface RecordSoak {
  readonly decisions: number;
  /** Allows that were given. */
  readonly allows: number;
  /** Numbers of the events in the ledger. */
  readonly records: number;
  readonly recordedAllows: number;
  /** Decisions that were denied without a record, and what the ledger says of them. */
  readonly refused: number;
  readonly refusedSaid: number;
  /** Times that the disk was full for a batch. */
  readonly full: number;
  /** Allows whose request is not in the ledger, which is to be none. */
  readonly missing: readonly string[];
  readonly problems: readonly string[];
}

/** A disk of its own: it takes its time, and at times it is full, with a part of a batch on it that it takes away again. */
class Disk implements EventSink {
  text = "";
  full = 0;
  isRepaired = false;
  private readonly random: Random;

  constructor(seed: number) {
    this.random = new Random(seed);
  }

  async write(batch: Uint8Array): Promise<void> {
    for (let turns = this.random.int(20); turns > 0; turns--) await setImmediate();
    if (!this.isRepaired && this.random.chance(0.3)) {
      this.full++;
      throw new Error("ENOSPC: no space left on device, write");
    }
    this.text += new TextDecoder().decode(batch);
  }
}

const base = { role: "WRITER", lane: "DRAFTING", tool: "draft.create" };

/** A request that is allowed, or looks like one, with something beside it that its sender would not like to see recorded. */
function hostile(n: number, random: Random): unknown {
  const beside: readonly (() => unknown)[] = [
    () => n,
    () => Number.POSITIVE_INFINITY,
    () => "y".repeat(random.int(30_000)),
    () => Array.from({ length: random.int(500) }, (_, i) => i),
    () => ({ constructor: { prototype: n }, "\ud800": 1, "\ud801": 2 }),
    () => JSON.parse('{"__proto__":{"role":"EDITOR"}}') as unknown,
    () => new Date(0),
    () => "y".repeat(3.3e6),
  ];
  const pick = random.int(40);
  const more = (beside[pick] ?? beside[0] ?? (() => n))();
  return random.chance(0.1) ? { ...base, role: "INTERN", mark: `m${n}` } : { mark: `m${n}`, x: more, ...base };
}

/** Asks `decisions` times, in bursts that fill the ledger's buffer. */
export async function recordSoak(bundle: Uint8Array, decisions: number, seed: number): Promise<RecordSoak> {
  const random = new Random(seed);
  const disk = new Disk(seed + 1);
  // No timer decides when something is written: each burst ends in an attempt.
  const ledger = auditLedger(disk, { bufferBytes: 300_000, flushMs: 2 ** 30 });
  const policy = await load(bundle, { onDecision: ledger, unrecorded: "deny" });
  const given = new Set<string>();
  for (let made = 0; made < decisions; ) {
    for (let burst = random.int(400); burst > 0 && made < decisions; burst--, made++) {
      const request = hostile(made, random);
      if (ask(policy, request, random)) given.add(`m${made}`);
    }
    await ledger.flush().catch(() => undefined);
  }
  disk.isRepaired = true;
  await ledger.flush();
  await ledger.close();
  const lines = disk.text.trimEnd().split("\n");
  const plain = await load(bundle);
  const verdict = await verifyLedger(lines, { closed: true, policyOf: () => plain });
  const events = lines
    .map((line) => JSON.parse(line) as { input?: { mark?: string }; result?: { allowed?: boolean } })
    .filter(({ result }) => result !== undefined);
  const recorded = new Set(events.filter(({ result }) => result?.allowed === true).map(({ input }) => input?.mark));
  return {
    decisions,
    allows: given.size,
    records: events.length,
    recordedAllows: recorded.size,
    refused: policy.events?.refused ?? 0,
    refusedSaid: verdict.refused,
    full: disk.full,
    missing: [...given].filter((mark) => !recorded.has(mark)),
    problems: verdict.problems.map(({ line, message }) => `${line}: ${message}`),
  };
}

function ask(policy: Policy, request: unknown, random: Random): boolean {
  if (random.chance(0.7)) return policy.tool(request as never).allowed;
  const answer = policy.evaluate("portcullis/tool/decision", request as never) as { readonly allowed?: unknown };
  return answer?.allowed === true;
}

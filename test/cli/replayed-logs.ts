/**
 * Decisions of one policy, logged in every form that `portcullis replay` reads; and, beside it, what asking another policy for
 * each of them gives. It is stated here once more, so that nothing of the command stands on both sides.
 */

import { closeSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { gzipSync } from "node:zlib";
import { auditLedger, load, type Policy } from "@portcullis/runtime";
import { oddValues, placesOf, replaced } from "../governance/library/spoiling.ts";
import type { Random } from "../rego/plan/generate/random.ts";

export interface Asked {
  readonly entrypoint: string;
  readonly input: unknown;
}

/** What replaying comes to, in the words of the command's JSON. */
export interface Expected {
  events: number;
  same: number;
  unknown: number;
  readonly counts: { [kind: string]: number };
  /** By kind, axis and id. */
  readonly by: { [kind: string]: { [axis: string]: { [id: string]: number } } };
  /** By kind, entrypoint, who asked for what, and both answers, as JSON text. */
  readonly groups: { [key: string]: number };
}

export interface Logged {
  readonly files: readonly string[];
  /** The log that is to come by standard input. */
  readonly piped: string;
  readonly expected: Expected;
}

/** Events of the ledger that are written at a time: far fewer than wait at most. */
const BURST = 1000;
/** Bytes that are written at a time. */
const WRITTEN = 1 << 20;

/** Two policies, and what to ask them: the same again and again. */
export interface Pair {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  readonly asked: readonly Asked[];
}

/** Asks `before` and `after` of `count` requests, and writes what `before` answered below `folder`. */
export async function logged(
  { before, after, asked }: Pair,
  { folder, count, random }: { readonly folder: string; readonly count: number; readonly random: Random },
): Promise<Logged> {
  const [ledgerFile, plain, console] = ["ledger.jsonl", "events.ndjson", "opa-console.json"].map((name) =>
    appended(join(folder, name)),
  ) as [Appended, Appended, Appended];
  const posted = new Packed(join(folder, "opa-posted.json.gz"));
  const ledger = auditLedger({ write: (batch) => ledgerFile.bytes(batch) });
  const recorded = await load(before, { onDecision: ledger });
  const [old, next] = [await load(before), await load(after)];
  const allowed = asked.filter(({ entrypoint, input }) =>
    [old, next].some((policy) => (policy.evaluate(entrypoint, input) as Answer).allowed),
  );
  const expected: Expected = { events: 0, same: 0, unknown: 0, counts: {}, by: {}, groups: {} };
  for (let number = 0; number < count; number++) {
    const { entrypoint, input: right } = random.pick(random.chance(0.5) ? allowed : asked);
    const input = random.chance(0.3) ? spoiled(right, random) : right;
    const form = random.int(4);
    const result = (form === 0 ? recorded : old).evaluate(entrypoint, input);
    const isMasked = form !== 0 && random.chance(0.002);
    if (isMasked) unknown(expected);
    else add(expected, { entrypoint, input }, result, next);
    const event = { path: entrypoint, input, result, ...(isMasked ? { masked: ["/input/secret"] } : {}) };
    if (form === 1) plain.line(random.chance(0.1) ? spaced(event) : JSON.stringify(event));
    if (form === 2) console.line(JSON.stringify(sorted({ ...event, ...ofOpa(number), ...OF_CONSOLE })));
    if (form === 3) posted.add({ ...event, ...ofOpa(number) });
    if (number % BURST === BURST - 1) {
      recorded.events?.flush();
      await ledger.flush();
    }
    if (random.chance(0.0005)) blemish(plain, expected, random);
  }
  await ledger.close();
  if ((recorded.events?.dropped ?? 0) + ledger.status.dropped > 0) throw new Error("the ledger lost events");
  for (const file of [ledgerFile, plain, console]) file.end();
  return { files: [ledgerFile.path, posted.end(), plain.path], piped: console.path, expected };
}

/** The request with a value or two replaced by odd ones. */
function spoiled(right: unknown, random: Random): unknown {
  let input = right;
  for (let times = 1 + random.int(2); times > 0; times--)
    input = replaced(input, random.pick(placesOf(input)), random.pick(oddValues));
  return input;
}

/** What stands in logs and is no decision, and what cannot be read. */
function blemish(log: Appended, expected: Expected, random: Random): void {
  const line = random.pick(["", '{"dropped":3}', '{"path":', '{"path":"a/b"'] as const);
  log.line(line);
  if (line.startsWith('{"path')) unknown(expected);
}

function unknown(expected: Expected): void {
  expected.events++;
  expected.unknown++;
}

interface Answer {
  readonly allowed: boolean;
  readonly gate: string;
  readonly reason: string;
}

function add(expected: Expected, { entrypoint, input }: Asked, result: unknown, policy: Policy): void {
  const before = result as Answer;
  const after = policy.evaluate(entrypoint, before.allowed ? signedAnew(input, policy) : input) as Answer;
  if (policy.lastFault !== undefined) return unknown(expected);
  expected.events++;
  if (isDeepStrictEqual(plainly(before), plainly(after))) {
    expected.same++;
    return;
  }
  const [was, is] = [before, after].map(({ gate, reason }) => `${gate} ${reason}`) as [string, string];
  const turned = after.allowed ? "newly-allowed" : "newly-denied";
  const kind = before.allowed !== after.allowed ? turned : was !== is ? "changed-reason" : "changed-answer";
  const { role, lane, tool, lineage, persona } = (input ?? {}) as { readonly [name: string]: unknown };
  const last = Array.isArray(lineage) ? (lineage.at(-1) as { readonly agent_type?: unknown } | null)?.agent_type : null;
  const asked = { role, lane, tool, agent: last ?? persona };
  const ids = Object.fromEntries(Object.entries(asked).filter(([, id]) => typeof id === "string")) as typeof asked;
  count(expected.counts, kind);
  count(expected.groups, keyOf({ kind, entrypoint, ...ids, before: was, after: is }));
  // No prototype: one role is called `__proto__`.
  for (const [axis, id] of Object.entries({ ...ids, rule: is }))
    count(((expected.by[kind] ??= {})[axis] ??= Object.create(null) as { [id: string]: number }), String(id));
}

/** Who approved an allowed call would have been asked under the policy of the day. */
function signedAnew(input: unknown, { approvals }: Policy): unknown {
  const { approval } = (input ?? {}) as { readonly approval?: { readonly policy_revision?: unknown } | null };
  if (typeof approval?.policy_revision !== "string" || approvals === undefined) return input;
  return { ...(input as object), approval: { ...approval, policy_revision: approvals.revision } };
}

export function keyOf(group: { readonly [name: string]: unknown }): string {
  return JSON.stringify(
    ["kind", "entrypoint", "role", "lane", "tool", "agent", "before", "after"].map((name) => group[name] ?? null),
  );
}

function count(of: { [id: string]: number }, id: string): void {
  of[id] = (Object.hasOwn(of, id) ? (of[id] as number) : 0) + 1;
}

const plainly = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** What OPA's events have beside request and answer. */
function ofOpa(number: number): object {
  return {
    labels: { id: "4b0d", version: "1.22.2" },
    decision_id: `d-${number}`,
    requested_by: "127.0.0.1:50832",
    timestamp: "2026-03-02T09:00:00.123456789Z",
    metrics: { timer_rego_query_eval_ns: 41_000, timer_server_handler_ns: 55_000 },
    req_id: number,
  };
}

/** And what its logger adds to a line of the console. */
const OF_CONSOLE = {
  ...{ level: "info", msg: "Decision Log", time: "2026-03-02T09:00:00Z" },
  type: "openpolicyagent.org/decision_logs",
};

/** Members in the order of their names, as Go writes them. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}

const spaced = (value: unknown): string => JSON.stringify(value, null, 2).replaceAll("\n", " ");

interface Appended {
  readonly path: string;
  line(text: string): void;
  bytes(bytes: Uint8Array): void;
  end(): void;
}

function appended(path: string): Appended {
  const file = openSync(path, "w");
  let waiting: string[] = [];
  let length = 0;
  const flush = (): void => {
    writeSync(file, waiting.join(""));
    waiting = [];
    length = 0;
  };
  return {
    path,
    line(text) {
      waiting.push(`${text}\n`);
      length += text.length;
      if (length > WRITTEN) flush();
    },
    bytes: (bytes) => void writeSync(file, bytes),
    end() {
      flush();
      closeSync(file);
    },
  };
}

/** Lists of events, as OPA posts them, one a line, packed in several members of gzip. */
class Packed {
  private readonly path: string;
  private events: string[] = [];
  private lines: string[] = [];
  private length = 0;

  constructor(path: string) {
    this.path = path;
    writeFileSync(path, "");
  }

  add(event: object): void {
    this.events.push(JSON.stringify(event));
    // From one to sixty.
    if (this.events.length <= (this.lines.length * 7) % 60) return;
    this.list();
    if (this.length > WRITTEN) this.write();
  }

  end(): string {
    this.list();
    this.write();
    return this.path;
  }

  private list(): void {
    const line = `[${this.events.join(",")}]\n`;
    this.events = [];
    this.lines.push(line);
    this.length += line.length;
  }

  private write(): void {
    writeFileSync(this.path, gzipSync(this.lines.join(""), { level: 1 }), { flag: "a" });
    this.lines = [];
    this.length = 0;
  }
}

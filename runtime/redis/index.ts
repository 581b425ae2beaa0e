/**
 * `@portcullis/redis`: the history of calls in a Redis, for any number of machines, and messages that say "look now". It brings no
 * client of its own.
 */

import type {
  ClearedHistory,
  HistoryEntry,
  HistoryRequest,
  KeptHistory,
  LimitFacts,
  LimitUse,
  Reservation,
  ReservedFacts,
} from "@portcullis/runtime";
import { SCRIPT } from "./script.ts";

export { type IoRedisSubscriber, type NodeRedisSubscriber, redisWake } from "./wake.ts";

/** A client of the package `ioredis`: a `Redis`, or a `Cluster`, which knows its nodes. */
export interface IoRedisClient {
  call(command: string, ...words: string[]): Promise<unknown>;
  nodes?(role: "master"): readonly IoRedisClient[];
}

/** A client of the package `redis`, connected. */
export interface NodeRedisClient {
  sendCommand(words: string[]): Promise<unknown>;
}

/** Where the history stands in the Redis. */
export interface RedisHistoryOptions {
  /**
   * What all keys begin with, in braces, so that a cluster keeps them in one place; letters, digits, `.`, `:`, `_` and `-`. Default
   * `portcullis`. Policies of several names may share one.
   */
  readonly prefix?: string;
}

const PREFIX = /^[\w.:-]{1,100}$/;
/** Entries that are looked for in one step. */
const STEP = "500";

/**
 * A store of history in a Redis: each call is one run of one script, by the clock of the Redis. `client` is connected, and closed by
 * its owner. One that may evict keys is refused (`maxmemory-policy` other than `noeviction`); what it has not written yet it forgets
 * with a crash (`appendfsync`). Throws TypeError for a client without such a method, or with a `keyPrefix`, and for a prefix with other
 * characters.
 */
export function redisHistory(client: IoRedisClient | NodeRedisClient, options: RedisHistoryOptions = {}): KeptHistory {
  const { prefix = "portcullis" } = options;
  if (typeof prefix !== "string" || !PREFIX.test(prefix)) throw new TypeError("the prefix has other characters");
  // What it counts could neither be shown nor cleared: a search gives names with it, and each command writes it again.
  const { options: given } = client as { readonly options?: { readonly keyPrefix?: unknown } };
  if (given?.keyPrefix) throw new TypeError("the client has a `keyPrefix`: `prefix` of the history is in its place");
  const send = sender(client);
  const name = (rest: string): string => `{${prefix}}:${rest}`;
  const run = scriptRunner(send);
  return {
    async reserve(request) {
      const keys = [name("clock"), ...request.limits.map(({ key }) => name(`limit-${key}`))];
      if (request.nonce !== undefined)
        keys.push(name(`nonce-${request.nonce.digest}`), name(`refused-${request.nonce.call}`));
      const asked = { ...askedOf(request), by: crypto.randomUUID() };
      const { isTaken, facts, places, latest } = readReply(await run("reserve", keys, asked), request);
      return reservation(
        facts,
        isTaken,
        (action) => {
          const limits = request.limits.map((use, i) => ({ ...wordsOf(use), ...places[i] }));
          const ending = name(`released-${crypto.randomUUID()}`);
          return run(action, [...keys, ending], { ...asked, limits, latest });
        },
        request,
      );
    },
    async entries() {
      const names = await namesOf(nodesOf(client), name(""));
      return Promise.all(names.map((found) => entryOf(send, name(found), found)));
    },
    async clear(which = {}) {
      const isAll = which.limit === undefined && which.key === undefined;
      const names = await namesOf(nodesOf(client), name(""));
      const cleared: string[] = [];
      for (const found of names) if (await isCleared(send, which, name(found), found)) cleared.push(name(found));
      const removed = isAll ? [...cleared, name("clock")] : cleared;
      if (removed.length > 0) await send(["DEL", ...removed]);
      return cleared.length;
    },
  };
}

type Send = (words: string[]) => Promise<unknown>;

function sender(client: IoRedisClient | NodeRedisClient): Send {
  const { call } = client as Partial<IoRedisClient>;
  if (typeof call === "function")
    return ([command = "", ...words]) => (client as IoRedisClient).call(command, ...words);
  if (typeof (client as Partial<NodeRedisClient>).sendCommand === "function")
    return (words) => (client as NodeRedisClient).sendCommand(words);
  throw new TypeError("the client is neither of `ioredis` nor of `redis`");
}

/** A search names no key by which a cluster would find its node: each is asked. */
function nodesOf(client: IoRedisClient | NodeRedisClient): readonly Send[] {
  const { nodes } = client as Partial<IoRedisClient>;
  const found = typeof nodes === "function" ? nodes.call(client, "master") : [client];
  if (found.length === 0) throw new Error("the cluster has no node");
  return found.map(sender);
}

type Action = "reserve" | "release" | "commit";
type Run = (action: Action, keys: readonly string[], call: object) => Promise<unknown>;

/** Calls that a Redis has not answered. A client keeps each until then, and one that hangs may be asked without end. */
const MOST_WAITING = 10_000;

/** Runs the script by its digest, and sends it whole where the Redis does not know it. Rejects while too many calls wait. */
function scriptRunner(send: Send): Run {
  let digest: Promise<string> | undefined;
  let waiting = 0;
  return async (action, keys, call) => {
    if (action === "reserve" && waiting >= MOST_WAITING) throw new Error(`${MOST_WAITING} calls wait for its answer`);
    waiting++;
    const words = [String(keys.length), ...keys, action, JSON.stringify(call)];
    try {
      digest ??= sha1(SCRIPT);
      return await send(["EVALSHA", await digest, ...words]);
    } catch (error) {
      if (!/^NOSCRIPT/.test(String((error as Error | undefined)?.message))) throw error;
      return await send(["EVAL", SCRIPT, ...words]);
    } finally {
      waiting--;
    }
  };
}

/** What Redis names scripts by. */
async function sha1(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-1", new TextEncoder().encode(text)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function askedOf({ limits, nonce }: HistoryRequest): object {
  const asked = nonce && { keepUntil: nonce.keepUntil, isRefusal: nonce.isRefusal === true };
  return { limits: limits.map(wordsOf), ...(asked === undefined ? {} : { nonce: asked }) };
}

/** A use as the script reads it: 63 buckets are a whole window, and one more is that of now. */
function wordsOf({ id, within, maxCalls, sum, after, never, begins, succeeds, remember }: LimitUse): object {
  const width = within === undefined ? 0 : Math.ceil(within / 63);
  return { id, width, maxCalls, of: sum?.of, atMost: sum?.atMost, after, never, begins, succeeds, remember };
}

interface Reply {
  readonly isTaken: boolean;
  readonly facts: ReservedFacts;
  /** Where each limit has counted the call, and the call that began what is kept there. */
  readonly places: readonly { readonly place: number; readonly beganBy: string }[];
  /** The latest time that the store had seen. */
  readonly latest: number;
}

/** Throws for an answer of another form. */
function readReply(reply: unknown, { limits, nonce }: HistoryRequest): Reply {
  const [now, taken, used, refused, told, places, latest] = listOf(reply, 7);
  // No prototype: any text may be the name of a limit or a tool.
  const history: { [id: string]: LimitFacts } = Object.create(null);
  const rows = listOf(told, limits.length);
  limits.forEach((use, i) => {
    const [known, calls, sum, freeAt, lasts] = listOf(rows[i], 5);
    if (known !== "1") return;
    const tools = [...use.after, ...use.never];
    const times = listOf(lasts, tools.length);
    const last_ms: { [tool: string]: number } = Object.create(null);
    for (const [at, tool] of tools.entries()) if (times[at] !== NEVER) last_ms[tool] = numberOf(times[at]);
    const free = freeAt === "" ? {} : { free_at_ms: numberOf(freeAt) };
    history[use.id] = { calls: numberOf(calls), sum: numberOf(sum), last_ms, ...free };
  });
  const approval = nonce && { approvalUsed: used !== "0", approvalRefused: refused !== "0" };
  return {
    isTaken: taken === "1",
    facts: { now: numberOf(now), history, ...approval },
    places: listOf(places, taken === "1" ? limits.length : 0).map((told) => {
      const [place, beganBy] = listOf(told, 2);
      return { place: numberOf(place), beganBy: String(beganBy) };
    }),
    latest: numberOf(latest),
  };
}

/** In place of a time. */
const NEVER = "-1";

function listOf(value: unknown, length: number): readonly unknown[] {
  if (Array.isArray(value) && value.length === length) return value;
  throw new Error("the Redis answers in another form");
}

function numberOf(value: unknown): number {
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (Number.isSafeInteger(number)) return number;
  throw new Error("the Redis answers in another form");
}

/** The first of `commit` and `release` counts, once. */
function reservation(
  facts: ReservedFacts,
  isTaken: boolean,
  act: (action: Action) => Promise<unknown>,
  { limits }: HistoryRequest,
): Reservation {
  let isOpen = isTaken;
  const once = async (action: Action, isNeeded: boolean): Promise<void> => {
    const wasOpen = isOpen;
    isOpen = false;
    if (wasOpen && isNeeded) await act(action);
  };
  const isAwaited = limits.some(({ succeeds }) => succeeds !== undefined);
  return { facts, isReserved: isTaken, commit: () => once("commit", isAwaited), release: () => once("release", true) };
}

/** Names without what all begin with, in order. */
async function namesOf(nodes: readonly Send[], start: string): Promise<readonly string[]> {
  const names = new Set<string>();
  for (const send of nodes) {
    let cursor = "0";
    do {
      const [next, found] = listOf(await send(["SCAN", cursor, "MATCH", `${start}*`, "COUNT", STEP]), 2);
      cursor = String(next);
      for (const name of found as readonly string[]) names.add(name.slice(start.length));
    } while (cursor !== "0");
  }
  return [...names].filter((name) => /^(limit|nonce|refused)-[0-9a-f]{64}$/.test(name)).sort();
}

async function entryOf(send: Send, place: string, name: string): Promise<HistoryEntry> {
  const [kind, key = ""] = name.split("-");
  const until = Number(await send(["PEXPIRETIME", place]).catch(() => -1));
  const expires = until > 0 ? { expires: until } : {};
  if (kind !== "limit") return { kind: kind === "nonce" ? "approval" : "refusal", key, ...expires };
  const fields = await fieldsIfHash(send, place);
  if (fields === undefined) return { kind: "damaged", key: name, problem: `\`${place}\` holds no history` };
  const last_ms: { [tool: string]: number } = Object.create(null);
  let [calls, sum] = [0, 0];
  for (const [field, value] of fields) {
    const [first = 0, second = 0] = value.split(":").map(Number);
    if (field.startsWith("b:")) {
      calls += first;
      sum += second;
    } else if (field.startsWith("n:")) last_ms[field.slice(2)] = Math.max(second, last_ms[field.slice(2)] ?? 0);
    else if (field.startsWith("s:")) last_ms[field.slice(2)] = Math.max(first, last_ms[field.slice(2)] ?? 0);
  }
  return { kind: "limit", key, limit: fields.get("l") ?? "", calls, sum, last_ms, ...expires };
}

async function isCleared(send: Send, { limit, key }: ClearedHistory, place: string, name: string): Promise<boolean> {
  if (key !== undefined && name !== `limit-${key}`) return false;
  if (limit === undefined) return true;
  const fields = name.startsWith("limit-") ? await fieldsIfHash(send, place) : undefined;
  // One that is damaged is of the limit that its key is made of.
  return fields === undefined ? key !== undefined : fields.get("l") === limit;
}

/** `undefined` for a value of another type. */
async function fieldsIfHash(send: Send, place: string): Promise<ReadonlyMap<string, string> | undefined> {
  try {
    return await fieldsOf(send, place);
  } catch (error) {
    if (/^WRONGTYPE/.test(String((error as Error | undefined)?.message))) return undefined;
    throw error;
  }
}

/** A hash as a list of names and values, or, by newer protocols, as an object. */
async function fieldsOf(send: Send, place: string): Promise<ReadonlyMap<string, string>> {
  const found = await send(["HGETALL", place]);
  if (found instanceof Map) return found as ReadonlyMap<string, string>;
  if (!Array.isArray(found)) return new Map(Object.entries(found as { [field: string]: string }));
  const pairs = found as readonly string[];
  return new Map(
    Array.from({ length: pairs.length / 2 }, (_, i) => [pairs[2 * i] as string, pairs[2 * i + 1] as string]),
  );
}

/**
 * A Redis that writes down what its script did, in the order in which it did it, and whose clock a test steps: the script itself,
 * as it is, inside of one that does both. A process that is killed at any moment has left nothing that is not in there.
 */

import type { Redis } from "ioredis";
import type { IoRedisClient } from "../../../runtime/redis/index.ts";
import { SCRIPT } from "../../../runtime/redis/script.ts";

/** A list of records, and what is added to the clock, in milliseconds: never less than 0, since keys expire by the Redis' own. */
const RECORDS = "test:records";
const STEP = "test:step";

const CLOCK = "redis.call('TIME')";
if (SCRIPT.split(CLOCK).length !== 2) throw new Error("the script asks for the time in another way");

const RECORDING = `
local real = redis.call('TIME')
local shown = tonumber(real[1]) * 1000 + math.floor(tonumber(real[2]) / 1000) + tonumber(redis.call('GET', '${STEP}') or '0')
local stepped = { string.format('%.0f', math.floor(shown / 1000)), string.format('%.0f', shown % 1000 * 1000) }
local function run()
${SCRIPT.replace(CLOCK, "stepped")}
end
local reply = run()
redis.call('RPUSH', '${RECORDS}', cjson.encode({ ARGV[1], shown, ARGV[3], reply }))
return reply
`;

/** What the script did: for whom, at which time of its clock, and what it answered. */
export interface Record {
  readonly action: string;
  readonly shown: number;
  /** What the client said of its call. */
  readonly about: string;
  readonly reply: unknown;
}

/** `about` is asked at each command, and stands in its record. */
export function recording(io: Redis, about: () => string): IoRedisClient {
  return {
    call: (command, what, ...words) =>
      /^EVAL/.test(command)
        ? io.call("EVAL", RECORDING, ...words, about())
        : io.call(command, what as string, ...words),
  };
}

export async function step(io: Redis, milliseconds: number): Promise<void> {
  await io.set(STEP, milliseconds);
}

/** All records, in the order of the Redis. */
export async function records(io: Redis): Promise<readonly Record[]> {
  const found: Record[] = [];
  const length = await io.llen(RECORDS);
  for (let from = 0; from < length; from += 5000)
    for (const text of await io.lrange(RECORDS, from, from + 4999)) {
      // Lua knows no empty list from an empty object.
      const plain = (_: string, value: unknown): unknown => (isEmptyObject(value) ? [] : value);
      const [action, shown, about, reply] = JSON.parse(text, plain) as [string, number, string, unknown];
      found.push({ action, shown, about, reply });
    }
  return found;
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}

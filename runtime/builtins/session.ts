/**
 * Builtins whose answers come from outside the policy: the time, chance, the host's own description. They exist only
 * where a host hands over a source for them, and within one evaluation they always answer the same.
 */

import { hex, toBigInt } from "./bytes.ts";
import { inInt64, plainInt64 } from "./decimal.ts";
import { fail, family, need, text } from "./family.ts";
import { clockedDecodeVerify } from "./jwt/index.ts";
import { toText } from "./text.ts";
import { type HostBuiltin, HostNumber, int, type JsonLike, type JsonObject } from "./value.ts";
import { clockedVerification } from "./x509/index.ts";

export interface HostSources {
  /** Nanoseconds since 1970: `() => BigInt(Date.now()) * 1_000_000n`. */
  readonly now?: (() => bigint) | undefined;
  /** That many random bytes: `(length) => crypto.getRandomValues(new Uint8Array(length))`. */
  readonly random?: ((length: number) => Uint8Array) | undefined;
  /** What `opa.runtime()` shows. */
  readonly runtime?: JsonObject | undefined;
}

export interface HostSession {
  readonly builtins: ReadonlyMap<string, HostBuiltin>;
  /** To be called before every evaluation: forgets the time and the chances of the last one. */
  readonly beginEvaluation: () => void;
}

/** A whole number from 0 up to `limit`, every one as likely: what does not divide evenly is drawn again. */
function drawBelow(limit: bigint, random: (length: number) => Uint8Array): bigint {
  const range = 2n ** 64n;
  // A source that draws the same over and over must not keep an evaluation from ending.
  for (let tries = 0; tries < 100; tries++) {
    const drawn = toBigInt(random(8).subarray(0, 8));
    if (drawn < range - (range % limit)) return drawn % limit;
  }
  return fail("the random source does not vary");
}

function drawInteger(args: readonly JsonLike[], random: (length: number) => Uint8Array): JsonLike {
  text(args, 0);
  const limit = need(
    args[1] instanceof HostNumber ? plainInt64(args[1].text) : undefined,
    "operand must be an integer",
  );
  const size = limit < 0n ? -limit : limit;
  if (!inInt64(size)) fail("operand out of range");
  return size === 0n ? int(0) : int(drawBelow(size, random));
}

/** A random identifier, RFC 9562 section 5.4. */
function drawUuid(args: readonly JsonLike[], random: (length: number) => Uint8Array): string {
  text(args, 0);
  const bytes = random(16).slice(0, 16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** The deterministic builtins and those that the sources make possible. */
export function openSession(deterministic: ReadonlyMap<string, HostBuiltin>, sources: HostSources): HostSession {
  let now: bigint | undefined;
  const answers = new Map<string, JsonLike | undefined>();
  const once =
    (name: string, draw: HostBuiltin): HostBuiltin =>
    (args) => {
      const key = name + toText(args);
      if (!answers.has(key)) answers.set(key, draw(args));
      return answers.get(key);
    };
  const added: Record<string, HostBuiltin> = {};
  const { now: readClock, random, runtime } = sources;
  if (readClock !== undefined) {
    const clock = (): bigint => (now ??= readClock());
    added["time.now_ns"] = () => int(clock());
    added["io.jwt.decode_verify"] = clockedDecodeVerify(clock);
    Object.assign(added, clockedVerification(clock));
  }
  if (random !== undefined) {
    added["rand.intn"] = once("rand.intn", (args) => drawInteger(args, random));
    added["uuid.rfc4122"] = once("uuid.rfc4122", (args) => drawUuid(args, random));
  }
  if (runtime !== undefined) added["opa.runtime"] = () => runtime;
  return {
    builtins: new Map([...deterministic, ...Object.entries(family(added))]),
    beginEvaluation: () => {
      now = undefined;
      answers.clear();
    },
  };
}

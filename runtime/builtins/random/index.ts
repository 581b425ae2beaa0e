/** rand.intn and uuid.rfc4122: chance, where the host has a source of it. Within one evaluation a call has one answer. */

import { HostNumber, inInt64, int, type JsonLike, operandInt64, toText } from "@portcullis/runtime/host";
import { hex, toBigInt } from "../bytes.ts";
import { fail, family, need, text } from "../family.ts";

/** A whole number from 0 up to `limit`, every one as likely: draws that do not divide evenly are repeated. */
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
    args[1] instanceof HostNumber ? operandInt64(args[1].text) : undefined,
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

export const random = family(({ random: draw, once }) => {
  if (draw === undefined) return {};
  return {
    "rand.intn": (args) => once(`rand.intn ${toText(args)}`, () => drawInteger(args, draw)),
    "uuid.rfc4122": (args) => once(`uuid.rfc4122 ${toText(args)}`, () => drawUuid(args, draw)),
  };
});

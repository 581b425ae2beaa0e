/**
 * Canonical JSON of data, and the digest of a call that an approval is bound to. One value has one text, and two values never the
 * same: what has no one text (a number that a double does not hold exactly, half of a surrogate pair) is refused.
 */

import { MAX_VALUE_DEPTH } from "../abi/index.ts";
import { sha256 } from "../host/sha256.ts";
import { canonicalJson, type Writable } from "../json/index.ts";

/** Data without one canonical text. */
export class NotCanonical extends Error {
  override readonly name = "NotCanonical";
}

/**
 * The digest of a call, which a bound approval names: the SHA-256, in lower-case hex, of canonical JSON of `{ request, paths }`. The
 * request counts without `approval` and `facts`; `paths` is what the host says in `facts.paths`. Members that are `null` are left
 * out at every depth. Throws for data without one canonical text. Costs time in proportion to the request: 10 µs for a small one.
 */
export function callDigest(request: object, paths?: unknown): string {
  const { approval: _, facts: _facts, ...asked } = request as Readonly<Record<string, unknown>>;
  return sha256(canonicalText({ request: asked, paths }, true));
}

/** Canonical JSON of data; `withoutNulls` leaves members out that are `null`, at every depth. Throws NotCanonical. */
export function canonicalText(value: unknown, withoutNulls = false): string {
  return canonicalJson(writable(value, withoutNulls, 0));
}

function writable(value: unknown, withoutNulls: boolean, depth: number): Writable {
  switch (typeof value) {
    case "boolean":
      return value;
    case "string":
      return wellFormed(value);
    case "number":
      if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)))
        throw new NotCanonical(`the number ${value} is beyond the whole numbers that a double holds exactly`);
      return value;
    case "object":
      break;
    default:
      throw new NotCanonical(`a ${typeof value} is no JSON value`);
  }
  if (value === null) return null;
  if (depth >= MAX_VALUE_DEPTH) throw new NotCanonical(`the data is nested more than ${MAX_VALUE_DEPTH} levels deep`);
  if (Array.isArray(value)) return Array.from(value, (item) => writable(item, withoutNulls, depth + 1));
  const members = Object.entries(value).filter(
    ([, member]) => member !== undefined && !(withoutNulls && member === null),
  );
  // A Map: of a plain object the member `number` would be read as the text of a number.
  return new Map(members.map(([key, member]) => [wellFormed(key), writable(member, withoutNulls, depth + 1)]));
}

function wellFormed(text: string): string {
  if (/\p{Surrogate}/u.test(text)) throw new NotCanonical("a text has half of a surrogate pair");
  return text;
}

/**
 * A reader of DER, X.690: one-byte tags, definite lengths in their shortest form, minimal integers. Elements are taken apart
 * by the reader that `@noble/curves` has for signatures; what stands in them is read here.
 *
 * By hand, because no library is as strict as Go, and a certificate that one of two readers takes for another is an attack.
 * We tried eight encodings that DER forbids and Go refuses (a length too long, an indefinite one, a padded integer or arc,
 * a boolean of 1, bits after the last, an octet string in parts): `asn1js` 3.1, which `@peculiar/asn1-x509` reads with, takes all
 * eight, and `asn1-ts` 11.1 three. Of the former, 32 KB would come into every page that verifies a token.
 */

import { DER } from "@noble/curves/abstract/der.js";
import { equalBytes, toBigInt } from "../bytes.ts";
import { fail } from "../family.ts";

export const tag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  nothing: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  numericString: 0x12,
  printableString: 0x13,
  t61String: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

/** A context-specific tag, as `[0]` in ASN.1. */
export const context = (number: number, constructed = false): number => 0x80 | (constructed ? 0x20 : 0) | number;

export interface Element {
  readonly tag: number;
  /** Tag, length and content as they stand. */
  readonly raw: Uint8Array;
  readonly content: Uint8Array;
}

/** A position in a run of elements. Every `read` fails (as a builtin error) where the next element is another. */
export class Der {
  private at = 0;
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get empty(): boolean {
    return this.at >= this.bytes.length;
  }

  /** The bytes that are left. */
  get rest(): Uint8Array {
    return this.bytes.subarray(this.at);
  }

  peek(expected: number): boolean {
    return this.bytes[this.at] === expected;
  }

  any(): Element {
    const { rest } = this;
    const found = rest[0];
    if (found === undefined || (found & 0x1f) === 0x1f) fail("malformed DER element");
    const { v: content, l: after } = DER._tlv.decode(found, rest);
    this.at = this.bytes.length - after.length;
    return { tag: found, raw: rest.subarray(0, rest.length - after.length), content };
  }

  element(expected: number): Element {
    if (!this.peek(expected)) fail(`DER element with tag ${expected} expected`);
    return this.any();
  }

  read(expected: number): Uint8Array {
    return this.element(expected).content;
  }

  nested(expected: number): Der {
    return new Der(this.read(expected));
  }

  /** The content of the next element if it has this tag. */
  optional(expected: number): Uint8Array | undefined {
    return this.peek(expected) ? this.read(expected) : undefined;
  }

  boolean(): boolean {
    const content = this.read(tag.boolean);
    if (content.length !== 1 || (content[0] !== 0 && content[0] !== 0xff)) fail("malformed DER boolean");
    return content[0] === 0xff;
  }

  integer(expected: number = tag.integer): bigint {
    return decodeInteger(this.read(expected));
  }

  oid(): readonly number[] {
    return decodeOid(this.read(tag.oid)).map((arc) => (arc < 2n ** 31n ? Number(arc) : fail("OID arc too large")));
  }

  bitString(): BitString {
    const content = this.read(tag.bitString);
    const unused = content[0];
    const bytes = content.subarray(1);
    const last = bytes.at(-1) ?? 0;
    if (
      unused === undefined ||
      unused > 7 ||
      (bytes.length === 0 && unused > 0) ||
      (last & ((1 << unused) - 1)) !== 0
    ) {
      fail("malformed DER bit string");
    }
    return { bytes, unused };
  }
}

export interface BitString {
  readonly bytes: Uint8Array;
  /** Bits of the last byte that do not belong to the string. */
  readonly unused: number;
}

/** The bits as a number's bytes would hold them: shifted to the right end. */
export function rightAligned({ bytes, unused }: BitString): Uint8Array {
  if (unused === 0) return bytes;
  return bytes.map((byte, i) => (byte >> unused) | (((i === 0 ? 0 : (bytes[i - 1] as number)) << (8 - unused)) & 0xff));
}

export function bitAt({ bytes, unused }: BitString, bit: number): boolean {
  if (bit >= bytes.length * 8 - unused) return false;
  return (((bytes[bit >> 3] as number) >> (7 - (bit & 7))) & 1) === 1;
}

function decodeInteger(content: Uint8Array): bigint {
  const [first, second] = content;
  if (first === undefined) fail("empty DER integer");
  const redundant = second !== undefined && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80));
  if (redundant) fail("DER integer not in its shortest form");
  return BigInt.asIntN(content.length * 8, toBigInt(content));
}

export function decodeOid(content: Uint8Array): readonly bigint[] {
  const arcs: bigint[] = [];
  let arc = 0n;
  let started = false;
  if (content.length === 0 || content.length > 256) fail("malformed OID");
  for (const byte of content) {
    if (!started && byte === 0x80) fail("OID arc not in its shortest form");
    arc = (arc << 7n) | BigInt(byte & 0x7f);
    started = true;
    if (byte < 0x80) {
      arcs.push(arc);
      arc = 0n;
      started = false;
    }
  }
  if (started) fail("truncated OID");
  const first = arcs[0] as bigint;
  const root = first < 40n ? 0n : first < 80n ? 1n : 2n;
  return [root, first - root * 40n, ...arcs.slice(1)];
}

export function sameOid(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((arc, i) => arc === b[i]);
}

/** Whether an element is the ASN.1 NULL. */
export function isNull(raw: Uint8Array): boolean {
  return equalBytes(raw, Uint8Array.of(tag.nothing, 0));
}

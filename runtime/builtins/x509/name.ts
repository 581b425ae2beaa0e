/** Distinguished names, RFC 5280 section 4.1.2.4. */

import { type Der, tag } from "../asn1/der.ts";
import { fromStrictUtf8 } from "../bytes.ts";
import { fail, need } from "../family.ts";

export interface NameAttribute {
  readonly oid: readonly number[];
  readonly value: string;
}

/** The attributes in order, without their grouping into sets. */
export type Name = readonly NameAttribute[];

export function latin1(bytes: Uint8Array): string {
  let out = "";
  for (const byte of bytes) out += String.fromCharCode(byte);
  return out;
}

function limited(bytes: Uint8Array, allowed: RegExp): string {
  const text = latin1(bytes);
  return allowed.test(text) ? text : fail("character outside a string type's set");
}

/** Printable strings may hold `*` and `&`, which certificates in use do, against the standard. */
const printable = /^[A-Za-z0-9'()+,\-./ :=?*&]*$/;
const numeric = /^[0-9 ]*$/;

function bmp(bytes: Uint8Array): string {
  if (bytes.length % 2 !== 0) fail("odd length of a BMP string");
  let out = "";
  for (let i = 0; i < bytes.length; i += 2) {
    const unit = ((bytes[i] as number) << 8) | (bytes[i + 1] as number);
    if (unit === 0 && i + 2 === bytes.length) break;
    const reserved = unit >= 0xfffe || (unit >= 0xfdd0 && unit <= 0xfdef) || (unit >= 0xd800 && unit <= 0xdfff);
    if (reserved) fail("character outside the basic plane in a BMP string");
    out += String.fromCharCode(unit);
  }
  return out;
}

export function readAscii(bytes: Uint8Array): string {
  return bytes.every((byte) => byte < 0x80) ? latin1(bytes) : fail("character outside ASCII");
}

export function readString(type: number, bytes: Uint8Array): string {
  switch (type) {
    case tag.t61String:
      return latin1(bytes);
    case tag.printableString:
      return limited(bytes, printable);
    case tag.utf8String:
      return need(fromStrictUtf8(bytes), "invalid UTF-8");
    case tag.bmpString:
      return bmp(bytes);
    case tag.ia5String:
      return readAscii(bytes);
    case tag.numericString:
      return limited(bytes, numeric);
    default:
      return fail("unsupported string type");
  }
}

export function readName(sets: Der): Name {
  const attributes: NameAttribute[] = [];
  while (!sets.empty) {
    const set = sets.nested(tag.set);
    while (!set.empty) {
      const attribute = set.nested(tag.sequence);
      const oid = attribute.oid();
      const value = attribute.any();
      attributes.push({ oid, value: readString(value.tag, value.content) });
    }
  }
  return attributes;
}

/** A domain as leniently as Go takes one: labels that are not empty, of printable characters. Nothing at all is one. */
export function isDomain(text: string): boolean {
  return text === "" || text.split(".").every((label) => /^[!-~]+$/.test(label));
}

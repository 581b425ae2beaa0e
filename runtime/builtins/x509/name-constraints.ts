/** The name constraints extension, RFC 5280 section 4.2.1.10. */

import { context, Der, tag } from "../asn1/der.ts";
import { fail } from "../family.ts";
import { isDomain, readAscii } from "./name.ts";
import { explicit } from "./public-key.ts";

export interface IpRange {
  readonly address: Uint8Array;
  readonly mask: Uint8Array;
}

export interface Subtrees {
  readonly dns: readonly string[];
  readonly ranges: readonly IpRange[];
  readonly emails: readonly string[];
  readonly uriDomains: readonly string[];
}

export interface NameConstraints {
  readonly permitted: Subtrees;
  readonly excluded: Subtrees;
  readonly constraintsCritical: boolean;
}

const none: Subtrees = { dns: [], ranges: [], emails: [], uriDomains: [] };

export const noConstraints: NameConstraints = { permitted: none, excluded: none, constraintsCritical: false };

/** A domain, one with a leading period, or nothing at all. */
function readDomain(bytes: Uint8Array): string {
  const domain = readAscii(bytes);
  const bare = domain.replace(/^\./, "");
  return isDomain(bare) && (bare !== "" || domain === "") ? domain : fail("malformed domain in a name constraint");
}

function readEmail(bytes: Uint8Array): string {
  const email = readAscii(bytes);
  if (!email.includes("@")) return readDomain(bytes);
  return /^[^@\s]+@[A-Za-z0-9_.-]+$/.test(email) ? email : fail("malformed mailbox in a name constraint");
}

function readRange(bytes: Uint8Array): IpRange {
  const half = bytes.length / 2;
  if (half !== 4 && half !== 16) fail("malformed address range");
  const mask = bytes.subarray(half);
  const bits = Array.from(mask, (byte) => byte.toString(2).padStart(8, "0")).join("");
  return /^1*0*$/.test(bits) ? { address: bytes.subarray(0, half), mask } : fail("malformed address mask");
}

function readSubtrees(content: Uint8Array): { subtrees: Subtrees; handled: boolean } {
  const found = { dns: [] as string[], ranges: [] as IpRange[], emails: [] as string[], uriDomains: [] as string[] };
  const trees = new Der(content);
  let handled = true;
  while (!trees.empty) {
    const base = trees.nested(tag.sequence).any();
    if (base.tag === context(1)) found.emails.push(readEmail(base.content));
    else if (base.tag === context(2)) found.dns.push(readDomain(base.content));
    else if (base.tag === context(6)) found.uriDomains.push(readDomain(base.content));
    else if (base.tag === context(7)) found.ranges.push(readRange(base.content));
    else handled = false;
  }
  return { subtrees: found, handled };
}

export function readNameConstraints(
  value: Uint8Array,
  critical: boolean,
): { readonly constraints: NameConstraints; readonly handled: boolean } {
  const outer = new Der(value);
  const sequence = outer.nested(tag.sequence);
  const permitted = sequence.optional(explicit(0)) ?? new Uint8Array();
  const excluded = sequence.optional(explicit(1)) ?? new Uint8Array();
  if (!outer.empty || !sequence.empty || permitted.length + excluded.length === 0) fail("malformed name constraints");
  const [yes, no] = [readSubtrees(permitted), readSubtrees(excluded)];
  return {
    constraints: { permitted: yes.subtrees, excluded: no.subtrees, constraintsCritical: critical },
    handled: yes.handled && no.handled,
  };
}

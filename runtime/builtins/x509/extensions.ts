/** Certificate extensions, RFC 5280 section 4.2. An extension that we know must be well formed. */

import { bitAt, context, Der, decodeOid, sameOid, tag } from "../asn1/der.ts";
import { fail } from "../family.ts";
import { type GoUrl, parseUrl } from "../url.ts";
import { isDomain, latin1, readAscii } from "./name.ts";
import { type NameConstraints, noConstraints, readNameConstraints } from "./name-constraints.ts";
import { explicit } from "./public-key.ts";

export interface Extension {
  readonly oid: readonly number[];
  readonly critical: boolean;
  readonly value: Uint8Array;
}

export interface AlternativeNames {
  readonly dns: readonly string[];
  readonly emails: readonly string[];
  readonly addresses: readonly Uint8Array[];
  readonly uris: readonly GoUrl[];
}

export interface Extensions extends AlternativeNames, NameConstraints {
  readonly keyUsage: number;
  readonly basicConstraints: { readonly isCa: boolean; readonly maxPathLength: bigint } | undefined;
  readonly crlUrls: readonly string[];
  readonly authorityKeyId: Uint8Array | undefined;
  readonly subjectKeyId: Uint8Array | undefined;
  readonly requireExplicitPolicy: bigint | undefined;
  readonly inhibitPolicyMapping: bigint | undefined;
  readonly inhibitAnyPolicy: bigint | undefined;
  readonly extendedKeyUsages: readonly (readonly number[])[];
  readonly policies: readonly (readonly bigint[])[] | undefined;
  readonly policyMappings: readonly { readonly issuer: readonly bigint[]; readonly subject: readonly bigint[] }[];
  readonly ocspServers: readonly string[];
  readonly issuerUrls: readonly string[];
  readonly unhandledCritical: readonly (readonly number[])[];
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

const sanOid = [2, 5, 29, 17];
const authorityInfoOid = [1, 3, 6, 1, 5, 5, 7, 1, 1];
const ocspOid = [1, 3, 6, 1, 5, 5, 7, 48, 1];
const issuersOid = [1, 3, 6, 1, 5, 5, 7, 48, 2];

export function readExtension(der: Der): Extension {
  const oid = der.oid();
  const critical = der.peek(tag.boolean) && der.boolean();
  return { oid, critical, value: der.read(tag.octetString) };
}

export function readExtensionList(list: Der): readonly Extension[] {
  const found: Extension[] = [];
  const seen = new Set<string>();
  while (!list.empty) {
    const extension = readExtension(list.nested(tag.sequence));
    const id = extension.oid.join(".");
    if (seen.has(id)) fail("duplicate extension");
    seen.add(id);
    found.push(extension);
  }
  return found;
}

export function readAlternativeNames(value: Uint8Array): AlternativeNames {
  const names = { dns: [] as string[], emails: [] as string[], addresses: [] as Uint8Array[], uris: [] as GoUrl[] };
  const list = new Der(value).nested(tag.sequence);
  while (!list.empty) {
    const { tag: kind, content } = list.any();
    if (kind === context(1)) names.emails.push(readAscii(content));
    else if (kind === context(2)) names.dns.push(readAscii(content));
    else if (kind === context(6)) {
      const url = parseUrl(readAscii(content)) ?? fail("malformed URI in a certificate");
      if (!isDomain(url.host)) fail("malformed host of a URI in a certificate");
      names.uris.push(url);
    } else if (kind === context(7)) {
      if (content.length !== 4 && content.length !== 16) fail("malformed address in a certificate");
      names.addresses.push(content);
    }
  }
  return names;
}

/** The alternative names among the extensions, for requests, which hold little else. */
export function alternativeNamesOf(extensions: readonly Extension[]): AlternativeNames {
  const extension = extensions.find(({ oid }) => sameOid(oid, sanOid));
  return extension ? readAlternativeNames(extension.value) : { dns: [], emails: [], addresses: [], uris: [] };
}

function list<T>(value: Uint8Array, read: (der: Der) => T): T[] {
  const der = new Der(value).nested(tag.sequence);
  const items: T[] = [];
  while (!der.empty) items.push(read(der));
  return items;
}

function readKeyUsage(value: Uint8Array): number {
  const bits = new Der(value).bitString();
  let usage = 0;
  for (let bit = 0; bit < 9; bit++) if (bitAt(bits, bit)) usage |= 1 << bit;
  return usage;
}

function readBasicConstraints(value: Uint8Array): Extensions["basicConstraints"] {
  const der = new Der(value).nested(tag.sequence);
  const isCa = der.peek(tag.boolean) && der.boolean();
  const maxPathLength = der.peek(tag.integer) ? der.integer() : -1n;
  if (maxPathLength < -1n || maxPathLength >= 2n ** 63n) fail("path length out of range");
  return { isCa, maxPathLength };
}

function readCrlUrls(value: Uint8Array): readonly string[] {
  return list(value, (points) => {
    const name = points.nested(tag.sequence).optional(explicit(0));
    const urls: string[] = [];
    if (name === undefined) return urls;
    const names = new Der(name).nested(explicit(0));
    while (!names.empty && names.peek(context(6))) urls.push(latin1(names.read(context(6))));
    return urls;
  }).flat();
}

function readPolicies(value: Uint8Array): readonly (readonly bigint[])[] {
  const policies = list(value, (der) => decodeOid(der.nested(tag.sequence).read(tag.oid)));
  if (new Set(policies.map(String)).size !== policies.length) fail("duplicate certificate policy");
  return policies;
}

function int64(value: bigint): bigint {
  return BigInt.asIntN(64, value) === value ? value : fail("number out of range");
}

/** Reads one extension into `out`; false when it is not one that we know. */
function readInto(out: Writable<Extensions>, extension: Extension): boolean {
  const { oid, value, critical } = extension;
  if (sameOid(oid, authorityInfoOid)) {
    if (critical) fail("authority information access must not be critical");
    const entries = list(value, (der) => {
      const entry = der.nested(tag.sequence);
      return { method: entry.oid(), url: entry.optional(context(6)) };
    });
    const urls = (method: readonly number[]) =>
      entries.filter((e) => sameOid(e.method, method)).flatMap((e) => (e.url ? [latin1(e.url)] : []));
    Object.assign(out, { ocspServers: urls(ocspOid), issuerUrls: urls(issuersOid) });
    return true;
  }
  if (oid.length !== 4 || !sameOid(oid.slice(0, 3), [2, 5, 29])) return false;
  switch (oid[3]) {
    case 14:
      if (critical) fail("subject key identifier must not be critical");
      out.subjectKeyId = new Der(value).read(tag.octetString);
      return true;
    case 15:
      out.keyUsage = readKeyUsage(value);
      return true;
    case 17: {
      const names = readAlternativeNames(value);
      Object.assign(out, names);
      return [names.dns, names.emails, names.addresses, names.uris].some((kind) => kind.length > 0);
    }
    case 19:
      out.basicConstraints = readBasicConstraints(value);
      return true;
    case 30: {
      const { constraints, handled } = readNameConstraints(value, critical);
      Object.assign(out, constraints);
      return handled;
    }
    case 31:
      out.crlUrls = readCrlUrls(value);
      return true;
    case 32:
      out.policies = readPolicies(value);
      return true;
    case 33:
      out.policyMappings = list(value, (der) => {
        const pair = der.nested(tag.sequence);
        return { issuer: decodeOid(pair.read(tag.oid)), subject: decodeOid(pair.read(tag.oid)) };
      });
      return true;
    case 35: {
      if (critical) fail("authority key identifier must not be critical");
      out.authorityKeyId = new Der(value).nested(tag.sequence).optional(context(0));
      return true;
    }
    case 36: {
      const der = new Der(value).nested(tag.sequence);
      if (der.peek(context(0))) out.requireExplicitPolicy = int64(der.integer(context(0)));
      if (der.peek(context(1))) out.inhibitPolicyMapping = int64(der.integer(context(1)));
      return true;
    }
    case 37:
      out.extendedKeyUsages = list(value, (der) => der.oid());
      return true;
    case 54:
      out.inhibitAnyPolicy = int64(new Der(value).integer());
      return true;
    default:
      return false;
  }
}

export function readExtensions(extensions: readonly Extension[]): Extensions {
  const out: Writable<Extensions> = {
    ...noConstraints,
    keyUsage: 0,
    basicConstraints: undefined,
    crlUrls: [],
    authorityKeyId: undefined,
    subjectKeyId: undefined,
    requireExplicitPolicy: undefined,
    inhibitPolicyMapping: undefined,
    inhibitAnyPolicy: undefined,
    extendedKeyUsages: [],
    policies: undefined,
    policyMappings: [],
    ocspServers: [],
    issuerUrls: [],
    unhandledCritical: [],
    dns: [],
    emails: [],
    addresses: [],
    uris: [],
  };
  const unhandled = extensions.filter((extension) => !readInto(out, extension) && extension.critical);
  return { ...out, unhandledCritical: unhandled.map(({ oid }) => oid) };
}

/**
 * Certificates as values, field by field as Go's encoding/json shows its x509.Certificate: what policies are written for, and
 * what no library for JavaScript gives.
 */

import { invert } from "@noble/curves/abstract/modular.js";
import { int, type JsonLike, object } from "@portcullis/runtime/host";
import { Der, sameOid, tag } from "../asn1/der.ts";
import { base64 } from "../bytes.ts";
import type { PrivateKey, PublicKey } from "../crypto/keys.ts";
import { fail } from "../family.ts";
import { formatUrl, type GoUrl } from "../url.ts";
import { signatureAlgorithmNumber } from "./algorithms.ts";
import type { Certificate } from "./certificate.ts";
import { extendedKeyUsageNumber } from "./extended-key-usages.ts";
import type { Extension } from "./extensions.ts";
import { formatAddress } from "./ip.ts";
import type { Name } from "./name.ts";
import type { IpRange } from "./name-constraints.ts";
import { type AlgorithmIdentifier, keyOids } from "./public-key.ts";

/** Go shows a list that was never made as null. */
export function list<T>(items: readonly T[] | undefined, show: (item: T) => JsonLike): JsonLike {
  return items === undefined || items.length === 0 ? null : items.map(show);
}

const same = (text: string): JsonLike => text;
export const bytes = (value: Uint8Array | undefined): JsonLike => (value === undefined ? null : base64(value));
const oid = (arcs: readonly number[]): JsonLike => arcs.map(int);

/** Fields of a name with several values, by the last arc of their type below 2.5.4. */
const nameLists = {
  Country: 6,
  Organization: 10,
  OrganizationalUnit: 11,
  Locality: 7,
  Province: 8,
  StreetAddress: 9,
  PostalCode: 17,
};
const nameTexts = { SerialNumber: 5, CommonName: 3 };

export function nameValue(name: Name): JsonLike {
  const valuesOf = (arc: number): string[] => name.filter((a) => sameOid(a.oid, [2, 5, 4, arc])).map((a) => a.value);
  const lists = Object.entries(nameLists).map(([field, arc]): [string, JsonLike] => [field, list(valuesOf(arc), same)]);
  const texts = Object.entries(nameTexts).map(([field, arc]): [string, JsonLike] => [
    field,
    valuesOf(arc).at(-1) ?? "",
  ]);
  return object({
    ...Object.fromEntries([...lists, ...texts]),
    Names: list(name, (attribute) => object({ Type: oid(attribute.oid), Value: attribute.value })),
    ExtraNames: null,
  });
}

export function extensionValue(extension: Extension): JsonLike {
  return object({ Id: oid(extension.oid), Critical: extension.critical, Value: base64(extension.value) });
}

export function urlValue(url: GoUrl): JsonLike {
  return object({
    Scheme: url.scheme,
    Opaque: url.opaque,
    User: url.user === undefined ? null : object({}),
    Host: url.host,
    Path: url.path,
    RawPath: url.rawPath,
    OmitHost: url.omitHost,
    ForceQuery: url.forceQuery,
    RawQuery: url.rawQuery,
    Fragment: url.fragment,
    RawFragment: url.rawFragment,
  });
}

const rangeValue = (range: IpRange): JsonLike => object({ IP: formatAddress(range.address), Mask: base64(range.mask) });

export function keyAlgorithmNumber(algorithm: readonly number[]): number {
  const known = [keyOids.rsa, keyOids.dsa, keyOids.ec, keyOids.ed25519];
  return known.findIndex((candidate) => sameOid(candidate, algorithm)) + 1;
}

/** The parameters and the key of DSA, which nothing here uses but showing them. */
function dsaValue(parameters: Uint8Array, key: Uint8Array): JsonLike {
  const numbers = new Der(parameters).nested(tag.sequence);
  const [p, q, g] = [numbers.integer(), numbers.integer(), numbers.integer()];
  const y = new Der(key).integer();
  if ([p, q, g, y].some((number) => number <= 0n)) fail("DSA parameter out of range");
  return object({ P: int(p), Q: int(q), G: int(g), Y: int(y) });
}

export function publicKeyValue(key: PublicKey | undefined, algorithm: AlgorithmIdentifier, bits: Uint8Array): JsonLike {
  switch (key?.kind) {
    case "RsaPublicKey":
      return object({ N: int(key.n), E: int(key.e) });
    case "EcPublicKey":
      return object({ Curve: object({}), X: int(key.point.x), Y: int(key.point.y) });
    case "EdPublicKey":
      return base64(key.bytes);
    case "OtherKey":
      return key.algorithm === "DSA" ? dsaValue(algorithm.parameters, bits) : object({});
    case undefined:
      return null;
  }
}

/** The numbers that speed up RSA: d mod p-1, d mod q-1, q⁻¹ mod p. */
export function rsaShortcuts(key: {
  readonly d: bigint;
  readonly p: bigint;
  readonly q: bigint;
}): readonly [bigint, bigint, bigint] {
  return [key.d % (key.p - 1n), key.d % (key.q - 1n), invert(key.q, key.p)];
}

export function privateKeyValue(key: PrivateKey): JsonLike {
  switch (key.kind) {
    case "RsaPrivateKey": {
      const [dp, dq, qi] = rsaShortcuts(key);
      return object({
        N: int(key.n),
        E: int(key.e),
        D: int(key.d),
        Primes: [int(key.p), int(key.q)],
        Precomputed: object({ Dp: int(dp), Dq: int(dq), Qinv: int(qi), CRTValues: [] }),
      });
    }
    case "EcPrivateKey":
      return object({ Curve: object({}), X: int(key.point.x), Y: int(key.point.y), D: int(key.d) });
    case "EdPrivateKey":
      return base64(Uint8Array.of(...key.seed, ...key.bytes));
    case "OtherKey":
      return object({});
  }
}

const zero = (value: bigint | undefined): boolean => value === 0n;
const dotted = (arcs: readonly bigint[]): string => arcs.join(".");

/** A certificate; `withUriTexts` adds the list that OPA adds of its own. */
export function certificateValue(certificate: Certificate, withUriTexts: boolean): JsonLike {
  const { extensions: ext } = certificate;
  const algorithm = { oid: certificate.keyAlgorithm, parameters: certificate.publicKeyParameters };
  const usages = ext.extendedKeyUsages.map((usage) => ({ usage, number: extendedKeyUsageNumber(usage) }));
  const number = (value: bigint | undefined): JsonLike => int(value ?? 0n);
  const small = ext.policies?.filter((arcs) => arcs.every((arc) => arc < 2n ** 31n)) ?? [];
  return object({
    Raw: base64(certificate.raw),
    RawTBSCertificate: base64(certificate.rawTbs),
    RawSubjectPublicKeyInfo: base64(certificate.rawPublicKeyInfo),
    RawSubject: base64(certificate.rawSubject),
    RawIssuer: base64(certificate.rawIssuer),
    Signature: base64(certificate.signature),
    SignatureAlgorithm: int(signatureAlgorithmNumber(certificate.signatureAlgorithm)),
    PublicKeyAlgorithm: int(keyAlgorithmNumber(certificate.keyAlgorithm)),
    PublicKey: publicKeyValue(certificate.publicKey, algorithm, certificate.publicKeyBits),
    Version: int(certificate.version),
    SerialNumber: int(certificate.serial),
    Issuer: nameValue(certificate.issuer),
    Subject: nameValue(certificate.subject),
    NotBefore: certificate.notBefore.text,
    NotAfter: certificate.notAfter.text,
    KeyUsage: int(ext.keyUsage),
    Extensions: list(certificate.extensionList, extensionValue),
    ExtraExtensions: null,
    UnhandledCriticalExtensions: list(ext.unhandledCritical, oid),
    ExtKeyUsage: list(
      usages.filter((u) => u.number !== undefined),
      (u) => int(u.number as number),
    ),
    UnknownExtKeyUsage: list(
      usages.filter((u) => u.number === undefined),
      (u) => oid(u.usage),
    ),
    BasicConstraintsValid: ext.basicConstraints !== undefined,
    IsCA: ext.basicConstraints?.isCa ?? false,
    MaxPathLen: number(ext.basicConstraints?.maxPathLength),
    MaxPathLenZero: zero(ext.basicConstraints?.maxPathLength),
    SubjectKeyId: bytes(ext.subjectKeyId),
    AuthorityKeyId: bytes(ext.authorityKeyId),
    OCSPServer: list(ext.ocspServers, same),
    IssuingCertificateURL: list(ext.issuerUrls, same),
    DNSNames: list(ext.dns, same),
    EmailAddresses: list(ext.emails, same),
    IPAddresses: list(ext.addresses, formatAddress),
    URIs: list(ext.uris, urlValue),
    PermittedDNSDomainsCritical: ext.constraintsCritical,
    PermittedDNSDomains: list(ext.permitted.dns, same),
    ExcludedDNSDomains: list(ext.excluded.dns, same),
    PermittedIPRanges: list(ext.permitted.ranges, rangeValue),
    ExcludedIPRanges: list(ext.excluded.ranges, rangeValue),
    PermittedEmailAddresses: list(ext.permitted.emails, same),
    ExcludedEmailAddresses: list(ext.excluded.emails, same),
    PermittedURIDomains: list(ext.permitted.uriDomains, same),
    ExcludedURIDomains: list(ext.excluded.uriDomains, same),
    CRLDistributionPoints: list(ext.crlUrls, same),
    PolicyIdentifiers: ext.policies === undefined ? null : small.map((arcs) => arcs.map(int)),
    Policies: list(ext.policies, dotted),
    InhibitAnyPolicy: number(ext.inhibitAnyPolicy),
    InhibitAnyPolicyZero: zero(ext.inhibitAnyPolicy),
    InhibitPolicyMapping: number(ext.inhibitPolicyMapping),
    InhibitPolicyMappingZero: zero(ext.inhibitPolicyMapping),
    RequireExplicitPolicy: number(ext.requireExplicitPolicy),
    RequireExplicitPolicyZero: zero(ext.requireExplicitPolicy),
    PolicyMappings: list(ext.policyMappings, ({ issuer, subject }) =>
      object({ IssuerDomainPolicy: dotted(issuer), SubjectDomainPolicy: dotted(subject) }),
    ),
    ...(withUriTexts ? { URIStrings: list(ext.uris, formatUrl) } : {}),
  });
}

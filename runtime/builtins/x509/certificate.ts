/** Certificates, RFC 5280 section 4: the fields that every use of one needs. Extensions are read in `extensions.ts`. */

import { context, Der, rightAligned, sameOid, tag } from "../asn1/der.ts";
import { equalBytes } from "../bytes.ts";
import type { PublicKey } from "../crypto/keys.ts";
import { fail } from "../family.ts";
import { type Extension, type Extensions, readExtensionList, readExtensions } from "./extensions.ts";
import { type Name, readName } from "./name.ts";
import { type AlgorithmIdentifier, explicit, keyOids, readAlgorithm, readKeyOf } from "./public-key.ts";
import { type CertificateTime, readTime } from "./validity.ts";

export interface Certificate {
  readonly raw: Uint8Array;
  readonly rawTbs: Uint8Array;
  readonly rawPublicKeyInfo: Uint8Array;
  readonly rawSubject: Uint8Array;
  readonly rawIssuer: Uint8Array;
  /** From 1. */
  readonly version: number;
  readonly serial: bigint;
  readonly signatureAlgorithm: AlgorithmIdentifier;
  readonly signature: Uint8Array;
  readonly issuer: Name;
  readonly subject: Name;
  readonly notBefore: CertificateTime;
  readonly notAfter: CertificateTime;
  readonly keyAlgorithm: readonly number[];
  /** The key as bytes or integers, for kinds that we do not use; undefined for unknown kinds. */
  readonly publicKey: PublicKey | undefined;
  readonly publicKeyBits: Uint8Array;
  readonly publicKeyParameters: Uint8Array;
  readonly extensionList: readonly Extension[];
  readonly extensions: Extensions;
}

export interface PublicKeyInfo {
  readonly raw: Uint8Array;
  readonly algorithm: AlgorithmIdentifier;
  readonly bits: Uint8Array;
  readonly key: PublicKey | undefined;
}

/** SubjectPublicKeyInfo inside a certificate or a request; unknown kinds of keys are let pass. */
export function readKeyInfo(der: Der): PublicKeyInfo {
  const info = der.element(tag.sequence);
  const content = new Der(info.content);
  const algorithm = readAlgorithm(content);
  const bits = rightAligned(content.bitString());
  // Certificates with an X25519 key count as having an unknown one.
  const key = sameOid(algorithm.oid, keyOids.x25519) ? undefined : readKeyOf(algorithm, bits);
  return { raw: info.raw, algorithm, bits, key };
}

function readVersion(der: Der): number {
  const wrapped = der.optional(explicit(0));
  const version = wrapped === undefined ? 0n : new Der(wrapped).integer();
  return version >= 0n && version <= 2n ? Number(version) + 1 : fail("invalid certificate version");
}

function skipUniqueIds(der: Der): void {
  for (const number of [1, 2]) der.optional(context(number));
}

/** The first certificate of some bytes, and how many bytes it takes. */
function readFirst(bytes: Uint8Array): Certificate {
  const whole = new Der(bytes).element(tag.sequence);
  const outer = new Der(whole.content);
  const tbsElement = outer.element(tag.sequence);
  const tbs = new Der(tbsElement.content);
  const version = readVersion(tbs);
  const serial = tbs.integer();
  if (serial < 0n) fail("negative serial number");
  const innerAlgorithm = tbs.element(tag.sequence);
  const outerAlgorithm = outer.element(tag.sequence);
  if (!equalBytes(innerAlgorithm.raw, outerAlgorithm.raw)) fail("signature algorithms differ");
  const issuer = tbs.element(tag.sequence);
  const validity = tbs.nested(tag.sequence);
  const [notBefore, notAfter] = [readTime(validity), readTime(validity)];
  const subject = tbs.element(tag.sequence);
  const info = readKeyInfo(tbs);
  if (version > 1) skipUniqueIds(tbs);
  const wrapped = version === 3 ? tbs.optional(explicit(3)) : undefined;
  const extensionList = wrapped === undefined ? [] : readExtensionList(new Der(wrapped).nested(tag.sequence));
  return {
    raw: whole.raw,
    rawTbs: tbsElement.raw,
    rawPublicKeyInfo: info.raw,
    rawSubject: subject.raw,
    rawIssuer: issuer.raw,
    version,
    serial,
    signatureAlgorithm: readAlgorithm(new Der(innerAlgorithm.raw)),
    signature: rightAligned(outer.bitString()),
    issuer: readName(new Der(issuer.content)),
    subject: readName(new Der(subject.content)),
    notBefore,
    notAfter,
    keyAlgorithm: info.algorithm.oid,
    publicKey: info.key,
    publicKeyBits: info.bits,
    publicKeyParameters: info.algorithm.parameters,
    extensionList,
    extensions: readExtensions(extensionList),
  };
}

/** One certificate and nothing after it. */
export function readCertificate(bytes: Uint8Array): Certificate {
  const certificate = readFirst(bytes);
  if (certificate.raw.length !== bytes.length) fail("data after a certificate");
  return certificate;
}

/** Certificates one after the other. */
export function readCertificates(bytes: Uint8Array): readonly Certificate[] {
  const found: Certificate[] = [];
  for (let at = 0; at < bytes.length; at += (found.at(-1) as Certificate).raw.length) {
    found.push(readFirst(bytes.subarray(at)));
  }
  return found;
}

/** Certificate requests, PKCS #10, RFC 2986. */

import { int, type JsonLike, object } from "@portcullis/runtime/host";
import { context, Der, rightAligned, sameOid, tag } from "../asn1/der.ts";
import { base64 } from "../bytes.ts";
import { fail } from "../family.ts";
import { signatureAlgorithmNumber } from "./algorithms.ts";
import { readKeyInfo } from "./certificate.ts";
import { alternativeNamesOf, type Extension, readExtension } from "./extensions.ts";
import { formatAddress } from "./ip.ts";
import { extensionValue, keyAlgorithmNumber, list, nameValue, publicKeyValue, urlValue } from "./json.ts";
import { readName, readString } from "./name.ts";
import { readAlgorithm } from "./public-key.ts";

const extensionRequest = [1, 2, 840, 113549, 1, 9, 14];

/** A value of any type, as Go shows it where it does not know which to expect. */
function anyValue(type: number, content: Uint8Array): JsonLike {
  const strings: readonly number[] = [
    tag.printableString,
    tag.utf8String,
    tag.ia5String,
    tag.t61String,
    tag.numericString,
    tag.bmpString,
  ];
  if (strings.includes(type)) return readString(type, content);
  if (type === tag.octetString) return base64(content);
  if (type === tag.oid) return new Der(Uint8Array.of(tag.oid, content.length, ...content)).oid().map(int);
  return null;
}

/** An attribute whose values are lists of pairs; undefined for one of another make, which Go leaves out. */
function attributeValue(raw: Uint8Array): JsonLike | undefined {
  try {
    const attribute = new Der(raw).nested(tag.sequence);
    const type = attribute.oid();
    const set = attribute.nested(tag.set);
    const lists: JsonLike[] = [];
    while (!set.empty) {
      const pairs = set.nested(tag.sequence);
      const values: JsonLike[] = [];
      while (!pairs.empty) {
        const pair = pairs.nested(tag.sequence);
        const oid = pair.oid();
        const value = pair.any();
        values.push(object({ Type: oid.map(int), Value: anyValue(value.tag, value.content) }));
      }
      lists.push(values);
    }
    return object({ Type: type.map(int), Value: lists });
  } catch {
    return undefined;
  }
}

function requestedExtensions(attributes: readonly Uint8Array[]): readonly Extension[] {
  const found: Extension[] = [];
  for (const raw of attributes) {
    const attribute = new Der(raw).nested(tag.sequence);
    if (!sameOid(attribute.oid(), extensionRequest)) continue;
    const extensions = attribute.nested(tag.set).nested(tag.sequence);
    while (!extensions.empty) found.push(readExtension(extensions.nested(tag.sequence)));
    break;
  }
  if (new Set(found.map(({ oid }) => oid.join("."))).size !== found.length) fail("duplicate requested extension");
  return found;
}

export function requestValue(der: Uint8Array): JsonLike {
  const outer = new Der(der);
  const whole = outer.element(tag.sequence);
  if (!outer.empty) fail("data after a certificate request");
  const parts = new Der(whole.content);
  const info = parts.element(tag.sequence);
  const algorithm = readAlgorithm(parts);
  const signature = rightAligned(parts.bitString());
  const fields = new Der(info.content);
  const version = fields.integer();
  const subject = fields.element(tag.sequence);
  const key = readKeyInfo(fields);
  const rawAttributes: Uint8Array[] = [];
  const attributes = new Der(fields.optional(context(0, true)) ?? new Uint8Array());
  while (!attributes.empty) rawAttributes.push(attributes.any().raw);
  const extensions = requestedExtensions(rawAttributes);
  const names = alternativeNamesOf(extensions);
  return object({
    Raw: base64(whole.raw),
    RawTBSCertificateRequest: base64(info.raw),
    RawSubjectPublicKeyInfo: base64(key.raw),
    RawSubject: base64(subject.raw),
    Version: int(version),
    Signature: base64(signature),
    SignatureAlgorithm: int(signatureAlgorithmNumber(algorithm)),
    PublicKeyAlgorithm: int(keyAlgorithmNumber(key.algorithm.oid)),
    PublicKey: publicKeyValue(key.key, key.algorithm, key.bits),
    Subject: nameValue(readName(new Der(subject.content))),
    Attributes: list(
      rawAttributes.map(attributeValue).filter((value) => value !== undefined),
      (value) => value,
    ),
    Extensions: list(extensions, extensionValue),
    ExtraExtensions: null,
    DNSNames: list(names.dns, (name) => name),
    EmailAddresses: list(names.emails, (name) => name),
    IPAddresses: list(names.addresses, formatAddress),
    URIs: list(names.uris, urlValue),
  });
}

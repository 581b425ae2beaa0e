/** crypto.x509.* and crypto.parse_private_keys: certificates, requests and keys taken apart. */

import { type JsonLike, object } from "@portcullis/runtime/host";
import { base64Url, bitLength, fromBigInt } from "../bytes.ts";
import type { PrivateKey } from "../crypto/keys.ts";
import { fail, family, text } from "../family.ts";
import { certificateValue, privateKeyValue, rsaShortcuts } from "./json.ts";
import { parseKeyPair } from "./key-pair.ts";
import { readPrivateKeys } from "./private-key.ts";
import { requestValue } from "./request.ts";
import { decodedText, readCertificateText, readRequestText } from "./text.ts";
import { verifyCertificates } from "./verify.ts";

const shortest = (value: bigint): string => base64Url(fromBigInt(value, Math.ceil(bitLength(value) / 8)));

/** A private key as a JSON Web Key, RFC 7518 section 6 and RFC 8037. */
function jwkOf(key: PrivateKey): JsonLike {
  switch (key.kind) {
    case "RsaPrivateKey": {
      const { n, e, d, p, q } = key;
      const [dp, dq, qi] = rsaShortcuts(key);
      const numbers = Object.entries({ n, e, d, p, q, dp, dq, qi }).map(([name, value]) => [name, shortest(value)]);
      return object({ kty: "RSA", ...Object.fromEntries(numbers) });
    }
    case "EcPrivateKey": {
      const { curve, point, d } = key;
      if (curve.name === "P-224") fail("JWK has no name for this curve");
      const fixed = (value: bigint): string => base64Url(fromBigInt(value, curve.size));
      return object({ kty: "EC", crv: curve.name, x: fixed(point.x), y: fixed(point.y), d: fixed(d) });
    }
    case "EdPrivateKey":
      return object({ kty: "OKP", crv: "Ed25519", x: base64Url(key.bytes), d: base64Url(key.seed) });
    case "OtherKey":
      return fail("keys of this kind are not shown");
  }
}

export const x509 = family(({ now }) => ({
  "crypto.x509.parse_certificates": (args) => {
    return readCertificateText(text(args, 0)).map((certificate) => certificateValue(certificate, true));
  },
  "crypto.x509.parse_certificate_request": (args) => requestValue(readRequestText(text(args, 0))),
  "crypto.x509.parse_rsa_private_key": (args) => {
    const source = text(args, 0);
    if (source === "") fail("no key given");
    const pem = source.startsWith("-----BEGIN") ? source : decodedText(source);
    if (pem === source && !source.startsWith("-----BEGIN")) fail("illegal base64");
    const [key] = readPrivateKeys(decodedText(pem));
    return key === undefined ? null : jwkOf(key);
  },
  "crypto.parse_private_keys": (args) => {
    const source = text(args, 0);
    return source === "" ? null : readPrivateKeys(decodedText(source)).map(privateKeyValue);
  },
  "crypto.x509.parse_keypair": parseKeyPair,
  "crypto.x509.parse_and_verify_certificates": verifyCertificates(now, false),
  "crypto.x509.parse_and_verify_certificates_with_options": verifyCertificates(now, true),
}));

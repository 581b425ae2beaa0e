/** Public keys in PEM, as the SubjectPublicKeyInfo that WebCrypto takes: https://www.rfc-editor.org/rfc/rfc7468. */

import { base64 } from "./base64.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** The AlgorithmIdentifier of RSA: its object identifier 1.2.840.113549.1.1.1, and NULL. */
const RSA = [0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00];
const SEQUENCE = 0x30;
const BIT_STRING = 0x03;
const CONTEXT_0 = 0xa0;

/** The bytes of the one key or certificate in a text; `undefined` for anything else. */
export function pemKey(text: string): Bytes | undefined {
  const [, label, content = ""] = /^\s*-----BEGIN ([A-Z ]+)-----([\w+/=\s]*)-----END \1-----\s*$/.exec(text) ?? [];
  try {
    const der = base64(content.replace(/\s/g, ""));
    if (label === "PUBLIC KEY") return der;
    if (label === "RSA PUBLIC KEY") return element(SEQUENCE, [...RSA, ...element(BIT_STRING, [0, ...der])]);
    return label === "CERTIFICATE" ? certificateKey(der) : undefined;
  } catch {
    return undefined;
  }
}

function element(tag: number, content: readonly number[]): Bytes {
  const size = content.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255];
  return Uint8Array.from([tag, ...length, ...content]);
}

/** Certificate > tbsCertificate > [version] serial, algorithm, issuer, validity, subject, key. */
function certificateKey(der: Bytes): Bytes | undefined {
  const { content: certificate } = read(der, 0);
  const { content: body } = read(certificate, 0);
  const FIELDS = 5;
  let at = body[0] === CONTEXT_0 ? read(body, 0).end : 0;
  for (let i = 0; i < FIELDS; i++) at = read(body, at).end;
  return body.slice(at, read(body, at).end);
}

/** The element at `at`. Throws RangeError where it does not fit. */
function read(der: Bytes, at: number): { readonly content: Bytes; readonly end: number } {
  let length = der[at + 1] ?? 0;
  let start = at + 2;
  if (length >= 0x80) {
    const bytes = der.subarray(start, start + length - 0x80);
    start += bytes.length;
    length = bytes.reduce((sum, b) => sum * 256 + b, 0);
  }
  const end = start + length;
  if (end > der.length || start > der.length) throw new RangeError("a DER element beyond its end");
  return { content: der.subarray(start, end), end };
}

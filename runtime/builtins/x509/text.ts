/** Certificates as texts: PEM, or base64 of PEM or of DER. */

import { readPem } from "../asn1/pem.ts";
import { concat, fromBase64, fromUtf8 } from "../bytes.ts";
import { fail, need } from "../family.ts";
import { type Certificate, readCertificates } from "./certificate.ts";

const begin = "-----BEGIN";

/** The bytes of all blocks of one type; a block of another type is an error. */
function blocks(text: string, type: string): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let block = readPem(text); block !== undefined; block = readPem(block.rest)) {
    parts.push(block.type === type ? block.bytes : fail(`PEM block is not a ${type}`));
  }
  return concat(...parts);
}

export function readCertificateText(text: string): readonly Certificate[] {
  if (text.startsWith(begin)) return readCertificates(blocks(text, "CERTIFICATE"));
  const bytes = need(fromBase64(text), "illegal base64");
  const inner = fromUtf8(bytes);
  return readCertificates(inner.startsWith(begin) ? blocks(inner, "CERTIFICATE") : bytes);
}

/** The DER of a request: PEM, or base64 of either. */
export function readRequestText(text: string): Uint8Array {
  const pem = text.startsWith("-----BEGIN CERTIFICATE REQUEST-----");
  const bytes = pem ? undefined : need(fromBase64(text), "illegal base64");
  const block = readPem(bytes === undefined ? text : fromUtf8(bytes));
  if (block !== undefined)
    return block.type === "CERTIFICATE REQUEST" ? block.bytes : fail("not a certificate request");
  return bytes ?? fail("malformed PEM");
}

/** PEM as it is, or out of base64. */
export function decodedText(text: string): string {
  const bytes = fromBase64(text);
  return bytes === undefined ? text : fromUtf8(bytes);
}

/** crypto.x509.parse_keypair: a certificate chain and its key, as Go's tls.Certificate. */

import { type HostBuiltin, object } from "@portcullis/runtime/host";
import { readPem } from "../asn1/pem.ts";
import { base64, equalBytes, fromBase64, fromUtf8 } from "../bytes.ts";
import { publicHalf } from "../crypto/keys.ts";
import { fail, need, text } from "../family.ts";
import { readCertificate } from "./certificate.ts";
import { certificateValue, privateKeyValue } from "./json.ts";
import { readAnyKey } from "./private-key.ts";

const begin = "-----BEGIN ";

/** The bytes of the blocks that a test accepts; a text that is not PEM must be base64, of PEM or of DER. */
function blocks(source: string, accepts: (type: string) => boolean): readonly Uint8Array[] {
  const bytes = source.startsWith(begin) ? undefined : need(fromBase64(source), "illegal base64");
  const inner = bytes === undefined ? source : fromUtf8(bytes);
  if (bytes !== undefined && !inner.startsWith(begin)) return [bytes];
  const found: Uint8Array[] = [];
  for (let block = readPem(inner); block !== undefined; block = readPem(block.rest)) {
    if (accepts(block.type)) found.push(block.bytes);
  }
  return found;
}

export const parseKeyPair: HostBuiltin = (args) => {
  const chain = blocks(text(args, 0), (type) => type === "CERTIFICATE");
  const leaf = readCertificate(need(chain[0], "no certificate found"));
  const keys = blocks(text(args, 1), (type) => type === "PRIVATE KEY" || type.endsWith(" PRIVATE KEY"));
  const key = readAnyKey(need(keys[0], "no private key found"));
  const [known, own] = [leaf.publicKey, publicHalf(key)];
  const matches =
    (known?.kind === "RsaPublicKey" && own?.kind === "RsaPublicKey" && known.n === own.n) ||
    (known?.kind === "EcPublicKey" &&
      own?.kind === "EcPublicKey" &&
      known.point.x === own.point.x &&
      known.point.y === own.point.y) ||
    (known?.kind === "EdPublicKey" && own?.kind === "EdPublicKey" && equalBytes(known.bytes, own.bytes));
  if (!matches) fail("the private key is not the certificate's");
  return object({
    Certificate: chain.map(base64),
    PrivateKey: privateKeyValue(key),
    SupportedSignatureAlgorithms: null,
    OCSPStaple: null,
    SignedCertificateTimestamps: null,
    Leaf: certificateValue(leaf, false),
  });
};

/** io.jwt.decode and io.jwt.verify_*: a token's parts, and its signature alone. */

import { hmac } from "@noble/hashes/hmac.js";
import type { HostBuiltin, JsonLike } from "@portcullis/runtime/host";
import { equalSecret, fromUtf8, hex, utf8 } from "../bytes.ts";
import { fail, giveUp, text } from "../family.ts";
import { type Scheme, verifySignature } from "./algorithms.ts";
import { decodeSection, headerParameters, readHeader, readObject, splitToken, type Token } from "./token.ts";
import { anyKeyVerifies, readTrustedKeys } from "./trusted-keys.ts";

/** Tokens may be nested, each about a third larger than the one in it; deeper ones are refused. */
export const maxNesting = 32;

export function signedPart(token: Token): Uint8Array {
  return utf8(`${token.header}.${token.payload}`);
}

/** io.jwt.decode: header, payload and signature in hex, without any check of the signature. */
export const decode: HostBuiltin = (args) => {
  let value: JsonLike | undefined = args[0];
  for (let depth = 0; depth < maxNesting; depth++) {
    const token = splitToken(value);
    const header = readHeader(token);
    const payload = fromUtf8(decodeSection(token.payload));
    const content = header.get("cty");
    if (content !== undefined && typeof content !== "string") fail("cty must be a string");
    if (content !== "JWT") return [header, readObject(payload), hex(decodeSection(token.signature))];
    // The payload is a token itself, often written as a JSON string.
    value = payload.replace(/^["']+/, "").replace(/["']+$/, "");
  }
  return giveUp("tokens nested too deep");
};

export function verifyWithSecret(scheme: Scheme & { readonly kind: "Hmac" }): HostBuiltin {
  const verify = (args: readonly JsonLike[]): JsonLike => {
    const token = splitToken(text(args, 0));
    const expected = hmac(scheme.hash, utf8(text(args, 1)), signedPart(token));
    return equalSecret(expected, decodeSection(token.signature));
  };
  return Object.assign(verify, { sample: ['"e30.e30.e30"', '""'] });
}

export function verifyWithKey(scheme: Scheme): HostBuiltin {
  return (args) => {
    const token = splitToken(args[0]);
    const keys = readTrustedKeys(text(args, 1));
    const signature = decodeSection(token.signature);
    const header = headerParameters(readHeader(token));
    const message = signedPart(token);
    return anyKeyVerifies(keys, header, (key) => {
      // A private key is nothing to verify with.
      if (key.kind.endsWith("PrivateKey") || key.kind === "SecretKey") return false;
      return verifySignature(key, scheme, message, signature, { exact: false });
    });
  };
}

/**
 * Strings of Rego that are not UTF-8, in JavaScript: a byte 0x80 to 0xff that begins no character is U+DC80 to U+DCFF, half a
 * surrogate pair, which no text of Rego has. Two different strings of bytes are two different strings here, too.
 */

import { isArray, isObject, isSet, type JsonLike } from "./value.ts";

const HALF = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Whether a string stands for bytes that are not UTF-8. */
export function hasBytes(text: string): boolean {
  return HALF.test(text);
}

/** Whether any string in a value does. */
export function holdsBytes(value: JsonLike): boolean {
  if (typeof value === "string") return hasBytes(value);
  if (isArray(value)) return value.some(holdsBytes);
  if (isSet(value)) return [...value].some(holdsBytes);
  return isObject(value) && [...value].some(([key, inner]) => holdsBytes(key) || holdsBytes(inner));
}

/** Builtins that read their operands as bytes, or show them to people. Any other that is called with such a string fails. */
export const BYTE_BUILTINS: ReadonlySet<string> = new Set([
  ...["crypto.md5", "crypto.sha1", "crypto.sha256"],
  ...["crypto.hmac.equal", "crypto.hmac.md5", "crypto.hmac.sha1", "crypto.hmac.sha256", "crypto.hmac.sha512"],
  ...["io.jwt.decode", "io.jwt.decode_verify", "io.jwt.encode_sign", "io.jwt.encode_sign_raw"],
  ...["es256", "es384", "es512", "hs256", "hs384", "hs512", "ps256", "ps384", "ps512", "rs256", "rs384", "rs512"].map(
    (name) => `io.jwt.verify_${name}`,
  ),
  ...["io.jwt.verify_eddsa", "uri.is_valid", "uri.parse"],
  ...["internal.print", "internal.test_case"],
]);

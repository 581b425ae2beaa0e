/** Base64 of either alphabet, with or without padding, told apart by the characters that occur. */

import { fromBase64, fromBase64Url } from "../bytes.ts";

export function anyBase64(text: string): Uint8Array | undefined {
  if (!/[+/]/.test(text)) return fromBase64Url(text);
  if (text.endsWith("=")) return fromBase64(text);
  return fromBase64(text + "=".repeat((4 - (text.length % 4)) % 4));
}

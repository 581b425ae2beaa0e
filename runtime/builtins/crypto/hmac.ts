/** HMAC, RFC 2104: https://www.rfc-editor.org/rfc/rfc2104 */

import { concat } from "../bytes.ts";
import type { Hash } from "./hash.ts";

export function hmac(hash: Hash, key: Uint8Array, message: Uint8Array): Uint8Array {
  const padded = new Uint8Array(hash.block);
  padded.set(key.length > hash.block ? hash.digest(key) : key);
  const inner = hash.digest(
    concat(
      padded.map((byte) => byte ^ 0x36),
      message,
    ),
  );
  return hash.digest(
    concat(
      padded.map((byte) => byte ^ 0x5c),
      inner,
    ),
  );
}

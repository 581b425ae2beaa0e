/** The digests by name, with what HMAC and signatures need to know of them. */

import { md5 } from "./md5.ts";
import { sha1 } from "./sha1.ts";
import { sha256 } from "./sha256.ts";
import { sha384, sha512 } from "./sha512.ts";

export interface Hash {
  readonly digest: (message: Uint8Array) => Uint8Array;
  /** Bytes of a digest. */
  readonly size: number;
  /** Bytes that the function takes at a time. */
  readonly block: number;
}

export const hashes = {
  md5: { digest: md5, size: 16, block: 64 },
  sha1: { digest: sha1, size: 20, block: 64 },
  sha256: { digest: sha256, size: 32, block: 64 },
  sha384: { digest: sha384, size: 48, block: 128 },
  sha512: { digest: sha512, size: 64, block: 128 },
} as const satisfies Record<string, Hash>;

/** The digests that builtins know, of `@noble/hashes`. */

import { md5, sha1 } from "@noble/hashes/legacy.js";
import { sha256, sha384, sha512 } from "@noble/hashes/sha2.js";
import type { CHash } from "@noble/hashes/utils.js";

export type Hash = CHash;

export const hashes = { md5, sha1, sha256, sha384, sha512 } as const satisfies Record<string, Hash>;

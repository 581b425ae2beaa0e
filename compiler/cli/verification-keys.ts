/**
 * The keys that a bundle is verified with: the one of a file, or all of a JWKS (RFC 7517), which is read again for each bundle.
 * With two keys in it, publishers change over from one to the other without a bundle that is refused in between.
 */

import { isJsonObject } from "@portcullis/documents";
import type { Verification } from "@portcullis/runtime";
import {
  type JsonWebKeyLike,
  SIGNATURE_ALGORITHMS,
  type SignatureAlgorithm,
  type VerificationKey,
} from "@portcullis/runtime/trust";
import { readBytes } from "./commands/read.ts";
import { CliError } from "./exit.ts";

/** What the options say of the key. */
export interface KeyChoice {
  readonly path: string;
  /** For a file with one key; each of a JWKS has its own `alg`. */
  readonly algorithm: SignatureAlgorithm;
  /** The only key that counts, by the name that signatures give it. */
  readonly keyId: string | undefined;
  /** The scope that signatures must have. */
  readonly scope: string | undefined;
  /** Reads a file with one key. Throws CliError. */
  readonly read: (path: string) => VerificationKey;
}

/** Throws CliError for a key that cannot be used; `keys` of a JWKS does so again whenever a bundle is verified. */
export function bundleVerification({ path, algorithm, keyId, scope, read }: KeyChoice): Verification {
  const scoped = scope === undefined ? {} : { scope };
  const isSet = !algorithm.startsWith("HS") && keySetOf(path, keyId) !== undefined;
  if (!isSet && keyId === undefined) return { keys: { default: read(path) }, keyId: "default", ...scoped };
  if (!isSet) return { keys: { [keyId as string]: read(path) }, ...scoped };
  return {
    get keys() {
      return keySetOf(path, keyId) ?? refuse(path, "it was a key set, and is not any more");
    },
    ...scoped,
  };
}

/** `undefined` for a file that is not JSON: PEM. */
function keySetOf(path: string, only: string | undefined): Verification["keys"] | undefined {
  const text = Buffer.from(readBytes(path)).toString("utf8");
  if (!text.trimStart().startsWith("{")) return undefined;
  let set: unknown;
  try {
    set = JSON.parse(text);
  } catch {
    return refuse(path, "it is not JSON");
  }
  const listed = isJsonObject(set) ? set["keys"] : undefined;
  if (!Array.isArray(listed) || listed.length === 0) return refuse(path, "a key set has a list `keys`");
  const keys = new Map<string, VerificationKey>();
  for (const [i, key] of listed.entries()) {
    const { kid, alg } = isJsonObject(key) ? key : {};
    if (typeof kid !== "string" || kid === "")
      return refuse(path, `key ${i + 1} has no \`kid\`, which signatures name`);
    if (keys.has(kid)) return refuse(path, `two keys are called \`${kid}\``);
    const algorithm = SIGNATURE_ALGORITHMS.find((name) => name === alg && !name.startsWith("HS"));
    if (algorithm === undefined) return refuse(path, `\`${kid}\` has no \`alg\` for public keys: RS, PS or ES`);
    keys.set(kid, { algorithm, key: key as JsonWebKeyLike });
  }
  if (only !== undefined && !keys.has(only)) return refuse(path, `it has no key \`${only}\``);
  return Object.fromEntries([...keys].filter(([kid]) => only === undefined || kid === only));
}

function refuse(path: string, problem: string): never {
  throw new CliError(`\`${path}\`: ${problem}`);
}

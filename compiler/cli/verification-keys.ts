/**
 * The keys that a bundle is verified with: those of one file or of several, each with one key or with a set of them (JWKS,
 * RFC 7517). The files are read again for each bundle. While there are two keys, publishers change over from one to the other
 * without a bundle that is refused in between.
 */

import { isJsonObject } from "@portcullis/documents";
import type { Verification } from "@portcullis/runtime";
import {
  type JsonWebKeyLike,
  SIGNATURE_ALGORITHMS,
  type SignatureAlgorithm,
  type VerificationKey,
} from "@portcullis/runtime/trust";
import { holdFile, readBytes } from "./commands/read.ts";
import { CliError } from "./exit.ts";
import { fileName, pathOf } from "./option-words.ts";

/** What the options say of the key. */
export interface KeyChoice {
  /** `FILE`, or `ID=FILE` for a file with one key that signatures call so. At least one. */
  readonly files: readonly string[];
  /** For a file with one key; each of a JWKS has its own `alg`. */
  readonly algorithm: SignatureAlgorithm;
  /** The only key that counts, by the name that signatures give it. */
  readonly keyId: string | undefined;
  /** The scope that signatures must have. */
  readonly scope: string | undefined;
  /** Reads a file with one key. Throws CliError. */
  readonly read: (path: string) => VerificationKey;
}

/** The name of the key of a lone file, which counts whatever a signature names. */
const LONE = "default";

/** Throws CliError for a key that cannot be used; `keys` does so again whenever a bundle is verified. */
export function bundleVerification(choice: KeyChoice): Verification {
  const { files, keyId, scope } = choice;
  const { length } = Object.keys(keysOf(choice));
  const [first = ""] = files;
  const isLone = files.length === 1 && length === 1 && keyId === undefined && first === pathOf(first);
  const counts = isLone && keySetOf(first, choice) === undefined ? { keyId: LONE } : {};
  return {
    get keys() {
      return keysOf(choice);
    },
    ...counts,
    ...(scope === undefined ? {} : { scope }),
  };
}

/** All keys of all files, by the names that signatures give them. */
function keysOf(choice: KeyChoice): Verification["keys"] {
  const { files, keyId, read } = choice;
  const keys = new Map<string, VerificationKey>();
  for (const given of files) {
    const path = pathOf(given);
    const name = fileName(given);
    holdFile(path);
    const set = keySetOf(path, choice);
    if (set !== undefined && name !== undefined) return refuse(path, "a key set names its keys itself");
    if (set === undefined && name === undefined && files.length > 1)
      return refuse(path, "one key of several needs the name that signatures give it: `ID=FILE`");
    for (const [id, key] of set ?? [[name ?? keyId ?? LONE, read(path)] as const]) {
      if (keys.has(id)) return refuse(path, `two keys are called \`${id}\``);
      keys.set(id, key);
    }
  }
  if (keyId !== undefined && !keys.has(keyId)) return refuse(files.join(", "), `there is no key \`${keyId}\``);
  return Object.fromEntries([...keys].filter(([id]) => keyId === undefined || id === keyId));
}

/** `undefined` for a file with one key: what is not JSON, and a secret whatever it looks like. */
function keySetOf(
  path: string,
  { algorithm: chosen }: Pick<KeyChoice, "algorithm">,
): ReadonlyMap<string, VerificationKey> | undefined {
  if (chosen.startsWith("HS")) return undefined;
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
  return keys;
}

function refuse(path: string, problem: string): never {
  throw new CliError(`\`${path}\`: ${problem}`);
}

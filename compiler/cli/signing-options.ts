/** The options of signatures, with OPA's names; `build`, `sign` and `verify` share them. */

import { type Command, Option } from "commander";
import type { Result } from "../base/result.ts";
import {
  ALGORITHMS,
  type Algorithm,
  type Key,
  type KeyProblem,
  type SignOptions,
  signingKey as signingKeyOf,
  verificationKey,
} from "../signing/index.ts";
import { readBytes } from "./commands/read.ts";
import { orFail } from "./exit.ts";

export interface SigningFlags {
  readonly signingKey?: string;
  readonly signingAlg: Algorithm;
  readonly verificationKeyId?: string;
  readonly scope?: string;
}

/** Adds the options that signing and verifying have in common. */
export function signatureOptions(command: Command): Command {
  return command
    .addOption(new Option("--signing-alg <alg>", "algorithm of the signature").choices(ALGORITHMS).default("RS256"))
    .option("--verification-key-id <id>", "name of the key that verifies")
    .option("--scope <text>", "scope of the signature");
}

export const SIGNING_KEY = "file with the private key (PEM), or for HS256, HS384 and HS512 with the secret";
export const VERIFICATION_KEY =
  "file with the public key or certificate (PEM), or for HS256, HS384 and HS512 with the secret";

/** `undefined` when nothing is to be signed. Throws CliError for a key that cannot be used. */
export function signOptions({
  signingKey,
  signingAlg,
  verificationKeyId,
  scope,
}: SigningFlags): SignOptions | undefined {
  if (signingKey === undefined) return undefined;
  return { key: readKey(signingKey, signingAlg, signingKeyOf), keyId: verificationKeyId, scope };
}

/** Throws CliError for a key that cannot be used. */
export function readVerificationKey(path: string, algorithm: Algorithm): Key {
  return readKey(path, algorithm, verificationKey);
}

type KeyReader = (name: string, bytes: Uint8Array, algorithm: Algorithm) => Result<Key, KeyProblem>;

function readKey(path: string, algorithm: Algorithm, read: KeyReader): Key {
  const help = `the algorithm is ${algorithm}; \`--signing-alg\` chooses another`;
  return orFail(read(path, readBytes(path), algorithm), { help: { "unfit-key": help } });
}

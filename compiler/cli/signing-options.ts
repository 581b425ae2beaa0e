/** The options of signatures, with OPA's names; `build`, `sign` and `verify` share them. */

import type { Result } from "@portcullis/rego/diagnostics";
import {
  ALGORITHMS,
  type Algorithm,
  type KeyProblem,
  type SignOptions,
  signingKey as signingKeyOf,
  verificationKey,
} from "@portcullis/rego/signing";
import type { VerificationKey } from "@portcullis/runtime/trust";
import { type Command, Option } from "commander";
import { readBytes } from "./commands/read.ts";
import { orFail } from "./exit.ts";

export interface SigningFlags {
  readonly signingKey?: string;
  readonly signingAlg: Algorithm;
  readonly verificationKeyId?: string;
  readonly scope?: string;
  readonly allowWeakKeys?: boolean;
}

/** Adds the options that signing and verifying have in common. */
export function signatureOptions(command: Command): Command {
  return command
    .addOption(new Option("--signing-alg <alg>", "algorithm of the signature").choices(ALGORITHMS).default("RS256"))
    .option("--verification-key-id <id>", "name of the key that verifies")
    .option("--scope <text>", "scope of the signature")
    .option("--allow-weak-keys", "take RSA keys under 2048 bits and secrets under 32 bytes: only for others' bundles");
}

export const SIGNING_KEY = "file with the private key (PEM), or for HS256, HS384 and HS512 with the secret";
export const VERIFICATION_KEY =
  "file with the public key or certificate (PEM), or for HS256, HS384 and HS512 with the secret";

/** `undefined` when nothing is to be signed. Throws CliError for a key that cannot be used. */
export function signOptions(flags: SigningFlags & { readonly signingKey: string }): SignOptions;
export function signOptions(flags: SigningFlags): SignOptions | undefined;
export function signOptions(flags: SigningFlags): SignOptions | undefined {
  const { signingKey, verificationKeyId, scope } = flags;
  if (signingKey === undefined) return undefined;
  return { key: readKey(signingKey, flags, signingKeyOf), keyId: verificationKeyId, scope };
}

/** Throws CliError for a key that cannot be used. */
export function readVerificationKey(path: string, flags: SigningFlags): VerificationKey {
  return readKey(path, flags, verificationKey);
}

type KeyReader<T> = (
  name: string,
  bytes: Uint8Array,
  algorithm: Algorithm,
  options: { readonly allowWeak: boolean },
) => Result<T, KeyProblem>;

function readKey<T>(path: string, { signingAlg, allowWeakKeys = false }: SigningFlags, read: KeyReader<T>): T {
  const help = `the algorithm is ${signingAlg}; \`--signing-alg\` chooses another`;
  return orFail(read(path, readBytes(path), signingAlg, { allowWeak: allowWeakKeys }), { help: { "unfit-key": help } });
}

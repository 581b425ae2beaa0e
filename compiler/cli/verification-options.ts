/** The options of commands that decide by a bundle which must be signed. */

import type { Verification } from "@portcullis/runtime";
import { SIGNATURE_ALGORITHMS, type SignatureAlgorithm, type VerificationKey } from "@portcullis/runtime/trust";
import { readBytes } from "./commands/read.ts";
import type { OptionWord } from "./option-words.ts";
import { bundleVerification } from "./verification-keys.ts";

export interface VerificationFlags {
  readonly verificationKey: readonly string[];
  readonly signingAlg: SignatureAlgorithm;
  readonly verificationKeyId?: string;
  readonly signatureScope?: string;
}

/** How keys change over. */
export const SEVERAL_KEYS = "read again for each bundle; repeatable, ID=FILE then names the key as signatures do";

export const VERIFICATION_OPTIONS: readonly OptionWord[] = [
  {
    ...{ name: "verification-key", value: "<file>", isPath: true, isMany: true },
    text: `the bundle must be signed: file with the public key (PEM), a JWKS, or the secret for HS256, HS384 and HS512; ${SEVERAL_KEYS}`,
  },
  {
    ...{ name: "signing-alg", value: "<alg>", choices: SIGNATURE_ALGORITHMS, preset: "RS256" },
    text: "algorithm of the signature",
  },
  { name: "verification-key-id", value: "<id>", text: "name that the signature gives its key" },
  { name: "signature-scope", value: "<text>", text: "scope of the signature" },
];

/** `undefined` where no key is named. Throws CliError for a key that cannot be read. */
export function verificationOf(flags: VerificationFlags): Verification | undefined {
  if (flags.verificationKey.length === 0) return undefined;
  const { verificationKey: files, verificationKeyId: keyId, signatureScope: scope, signingAlg: algorithm } = flags;
  const read = (file: string): VerificationKey => {
    const bytes = readBytes(file);
    return { algorithm, key: algorithm.startsWith("HS") ? bytes : Buffer.from(bytes).toString("latin1") };
  };
  return bundleVerification({ files, algorithm, keyId, scope, read });
}

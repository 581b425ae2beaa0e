/** The options of commands that decide by a bundle which must be signed. */

import type { Verification } from "@portcullis/runtime";
import { SIGNATURE_ALGORITHMS, type SignatureAlgorithm, type VerificationKey } from "@portcullis/runtime/trust";
import { readBytes } from "./commands/read.ts";
import type { OptionWord } from "./option-words.ts";
import { bundleVerification } from "./verification-keys.ts";

export interface VerificationFlags {
  readonly verificationKey?: string;
  readonly signingAlg: SignatureAlgorithm;
  readonly verificationKeyId?: string;
  readonly signatureScope?: string;
}

export const VERIFICATION_OPTIONS: readonly OptionWord[] = [
  {
    ...{ name: "verification-key", value: "<file>", isPath: true },
    text: "the bundle must be signed: file with the public key (PEM), a JWKS, which is read again for each bundle, or the secret for HS256, HS384 and HS512",
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
  if (flags.verificationKey === undefined) return undefined;
  const { verificationKey: path, verificationKeyId: keyId, signatureScope: scope, signingAlg: algorithm } = flags;
  const read = (file: string): VerificationKey => {
    const bytes = readBytes(file);
    return { algorithm, key: algorithm.startsWith("HS") ? bytes : Buffer.from(bytes).toString("latin1") };
  };
  return bundleVerification({ path, algorithm, keyId, scope, read });
}

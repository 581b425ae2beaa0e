/**
 * `@portcullis/runtime/trust`: signatures of bundles, checked with WebCrypto alone. `load` imports this only where a host asks
 * for verification.
 */

import { LoadError } from "../errors.ts";
import { checkSignature } from "./signature.ts";
import type { Verification } from "./verification.ts";

export { holdOptions, type OptionKind, type OptionTable, type TableOf } from "../options.ts";
export { MIN_RSA_BITS, MIN_SECRET_BYTES, signatureHolds } from "./keys.ts";
export { type CheckOptions, checkSignature, SIGNATURES_FILE, type SignatureCheck } from "./signature.ts";
export { signedBytes, type YamlReader } from "./signed-bytes.ts";
export {
  ALGORITHMS as SIGNATURE_ALGORITHMS,
  type JsonWebKeyLike,
  type SignatureAlgorithm,
  type Verification,
  type VerificationKey,
} from "./verification.ts";

/** Throws LoadError unless the files are signed, every one of them and nothing else, with one of the host's keys. */
export async function holdSignature(files: ReadonlyMap<string, Uint8Array>, verification: Verification): Promise<void> {
  const { isSigned, problems } = await checkSignature(files, verification);
  if (problems.length === 0) return;
  const MOST = 5;
  const told = problems.slice(0, MOST).join("; ");
  throw new LoadError(
    isSigned ? "signature-invalid" : "signature-missing",
    problems.length > MOST ? `${told}; and ${problems.length - MOST} more` : told,
  );
}

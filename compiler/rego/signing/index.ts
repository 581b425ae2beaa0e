/** Signatures of bundles, as OPA writes and checks them. */

export {
  ALGORITHMS,
  type Algorithm,
  type Key,
  type KeyOptions,
  type KeyProblem,
  signingKey,
  verificationKey,
} from "./algorithms.ts";
export { type SignOptions, signFiles, type VerifyOptions, verifyFiles } from "./signatures.ts";
export { jwsHolds } from "./web-signature.ts";

/** A person's word on one call, signed: what `portcullis approve` writes, and hosts verify. */

import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign } from "node:crypto";
import { failure, type Result, success } from "@portcullis/documents";
import {
  APPROVAL_TYPE,
  approvalBytes,
  type BoundApproval,
  callDigest,
  type PolicyApprovals,
} from "@portcullis/runtime";

/** The key with which approvals are signed, and whose it is by the policy. */
export interface ApproverKey {
  readonly name: string;
  /** A `KeyObject` of Node's; the package's declarations need none of Node's types. */
  readonly key: object;
}

export type ApproverProblem = "unreadable-key" | "unknown-key";

/** A private key in PEM, or as a JWK. It is that of the approver whose public key in the policy belongs to it. */
export function approverKey(
  name: string,
  text: string,
  { approvers }: PolicyApprovals,
): Result<ApproverKey, ApproverProblem> {
  const key = privateKey(text);
  if (key === undefined)
    return failure(
      "unreadable-key",
      `\`${name}\` holds no private key that can be read without a passphrase`,
      "a key in PEM (`openssl genpkey -algorithm ed25519`), or a JWK",
    );
  const own = publicMembers(createPublicKey(key as never).export({ format: "jwk" }));
  const found = Object.entries(approvers).find(([, approver]) => publicMembers(approver.key) === own);
  if (found === undefined)
    return failure(
      "unknown-key",
      `no approver of the policy has the public key of \`${name}\``,
      `approvers: ${Object.keys(approvers).join(", ") || "none"}`,
    );
  return success({ name: found[0], key });
}

function privateKey(text: string): KeyObject | undefined {
  try {
    return text.trimStart().startsWith("{")
      ? createPrivateKey({ key: JSON.parse(text) as never, format: "jwk" })
      : createPrivateKey(text);
  } catch {
    return undefined;
  }
}

function publicMembers(key: object): string {
  const { kty, crv, x, y, n, e } = key as { readonly [member: string]: unknown };
  return JSON.stringify([kty, crv, x, y, n, e]);
}

/** What is signed. */
export interface ApprovalTerms {
  readonly call: object;
  readonly decision: "approve" | "refuse";
  /** Where the approval is kept, in the approver's words. */
  readonly ref?: string | undefined;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** The signed approval. Throws for a call that has no one digest. */
export function signApproval(
  { name, key }: ApproverKey,
  { revision }: PolicyApprovals,
  { call, decision, ref, expiresAt }: ApprovalTerms,
): BoundApproval {
  const nonce = randomBytes(16).toString("base64url");
  const said = {
    type: APPROVAL_TYPE,
    decision,
    ref: ref ?? `${name}/${nonce.slice(0, 8)}`,
    by: name,
    call_sha256: digestOfCall(call),
    policy_revision: revision,
    expires_at: expiresAt,
    nonce,
  } as const;
  return { ...said, signature: signed(approvalBytes(said), key as KeyObject) };
}

/** The digest of a call with what its host found out about its paths, as a host of the call makes it. */
export function digestOfCall(call: object): string {
  const { facts } = call as { readonly facts?: { readonly paths?: unknown } | null };
  return callDigest(call, facts?.paths ?? undefined);
}

function signed(bytes: Uint8Array, key: KeyObject): string {
  const algorithm = key.asymmetricKeyType === "ed25519" ? null : "sha256";
  return sign(algorithm, bytes, { key, dsaEncoding: "ieee-p1363" }).toString("base64url");
}

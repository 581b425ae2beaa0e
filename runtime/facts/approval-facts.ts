/**
 * Approvals that are for one call, as the host verifies them: whose key signed the approval, and of which call. The policy decides
 * on what is found here; whether an approval was used, or its call refused, is the store's to say.
 *
 * INVARIANT: a fact is `true` only for what was verified. Whatever is odd about a call, an approval or a key verifies nothing.
 */

import type { ApproverKey, PolicyApprovals } from "../abi/index.ts";
import { frozenCopy } from "../encode/index.ts";
import { attempt } from "../host/attempt.ts";
import { messageOf } from "../host/message-of.ts";
import { own } from "../host/own.ts";
import { sha256 } from "../host/sha256.ts";
import { callDigest, canonicalText } from "./call-digest.ts";

/** What is known of an approval without the store. */
export interface SignatureFacts {
  /** The signature is one over the approval, with the key of the approver that it names. */
  readonly signature_valid: boolean;
  /** Whose key that is. */
  readonly key_of?: string;
}

/** An approval that is good for one call, for the store to remember. */
export interface ApprovalNonce {
  /** Names the approval: 64 hexadecimal digits. */
  readonly digest: string;
  /** Milliseconds since 1970 until when it is remembered. */
  readonly keepUntil: number;
  /** The digest of the call that it is for. */
  readonly call: string;
  /** The call is refused until then, whatever else approves it. */
  readonly isRefusal?: true;
}

/** What a host found out about the approval of one call. */
export interface FoundApproval {
  /** The digest of the call; `undefined` for a call that has none. */
  readonly callSha256: string | undefined;
  /** The approval that the call is decided with: the one it came with, or the host's; a refusal before all others. */
  readonly approval: unknown;
  /** `undefined` without an approval. */
  readonly signature: SignatureFacts | undefined;
  /** For the store; `undefined` where the approval does not hold anyway. */
  readonly nonce: ApprovalNonce | undefined;
  /** Why the host's own approvals could not be asked for. No approval holds then: a refusal may be among them. */
  readonly problem?: string | undefined;
}

/** The longest time for which an approval is given. */
export const LONGEST_APPROVAL_MS = 24 * 60 * 60 * 1000;
/** How long after its end an approval is remembered: clocks of hosts and stores differ. */
const GRACE_MS = 10 * 60 * 1000;

/**
 * Verifies the approval of a call whose tool may need a bound one (`approvals.tools`). `request` is the call as it is decided, with
 * the approval that it came with, and `paths` what the host says in `facts.paths`. `others` gives approvals that the host has of a
 * call, by its digest: a refusal among them wins, and one of them counts where the call came with none. `now` is in milliseconds
 * since 1970. Never rejects.
 */
export async function findApproval(
  approvals: PolicyApprovals,
  request: Readonly<Record<string, unknown>>,
  paths: unknown,
  now: number,
  others?: (callSha256: string) => readonly unknown[] | Promise<readonly unknown[]>,
): Promise<FoundApproval> {
  const given = request["approval"] ?? undefined;
  const callSha256 = attempt(() => callDigest(request, paths));
  let kept: readonly unknown[];
  try {
    kept = callSha256 === undefined ? [] : ((await others?.(callSha256)) ?? []);
  } catch (error) {
    const signature = given === undefined ? undefined : { signature_valid: false };
    const problem = `the approvals of the call are not known: ${messageOf(error)}`;
    return { callSha256, approval: given, signature, nonce: undefined, problem };
  }
  const candidates = [...(given === undefined ? [] : [given]), ...kept];
  const call = { tool: request["tool"], callSha256, now };
  const found = await Promise.all(candidates.map((one) => verified(approvals, one, call)));
  const refusal = found.find(({ nonce }) => nonce?.isRefusal === true);
  // One that holds, where the host has several; else the first, which says why the call is denied.
  const chosen =
    refusal ?? (given === undefined ? found.find(({ nonce }) => nonce !== undefined) : undefined) ?? found[0];
  return { callSha256, approval: chosen?.approval, signature: chosen?.signature, nonce: chosen?.nonce };
}

type Verified = Omit<FoundApproval, "callSha256">;

interface Call {
  readonly tool: unknown;
  readonly callSha256: string | undefined;
  readonly now: number;
}

async function verified(approvals: PolicyApprovals, given: unknown, call: Call): Promise<Verified> {
  // What is verified does not change until it is decided on.
  const approval = attempt(() => frozenCopy(given));
  const by = own(approval, "by");
  const approver = typeof by === "string" ? own(approvals.approvers, by) : undefined;
  const isValid =
    approver !== undefined &&
    (await attemptLater(() => signatureHolds((approver as Approver).key, approval as object))) === true;
  if (!isValid) return { approval: approval ?? given, signature: { signature_valid: false }, nonce: undefined };
  const nonce = attempt(() => nonceOf(approvals.revision, approver as Approver, approval, call));
  return { approval, signature: { signature_valid: true, key_of: by as string }, nonce };
}

type Approver = PolicyApprovals["approvers"][string];

/** What the store remembers of a signed approval; `undefined` where its approver, decision, call, policy or time does not hold. */
function nonceOf(
  revision: string,
  { tools, until_ms: until }: Approver,
  approval: unknown,
  { tool, callSha256, now }: Call,
): ApprovalNonce | undefined {
  if ((tools !== undefined && own(tools, tool as string) !== true) || (until !== undefined && now >= until)) return;
  const [type, decision, call, policy, end, nonce] = SIGNED.map((name) => own(approval, name));
  if (type !== APPROVAL_TYPE || callSha256 === undefined || call !== callSha256 || typeof nonce !== "string") return;
  const latest = now + LONGEST_APPROVAL_MS;
  if (!Number.isSafeInteger(end) || !((end as number) > now)) return;
  // A refusal holds also where it is for longer: the clock of who gave it may be ahead.
  const isRefusal = decision === "refuse";
  if (!isRefusal && (decision !== "approve" || policy !== revision || (end as number) > latest)) return;
  const digest = sha256(canonicalText([own(approval, "by"), nonce]));
  const keepUntil = Math.min(end as number, latest) + GRACE_MS;
  return { digest, call: callSha256, keepUntil, ...(isRefusal ? { isRefusal } : {}) };
}

/** What an approval says that it is. */
export const APPROVAL_TYPE = "portcullis-approval/1" as const;
const SIGNED = ["type", "decision", "call_sha256", "policy_revision", "expires_at", "nonce"] as const;

/** The bytes that an approval's signature is over: canonical JSON of its members but `signature`. Throws for data without one. */
export function approvalBytes(approval: object): Uint8Array {
  const { signature: _, ...signed } = approval as Readonly<Record<string, unknown>>;
  return new TextEncoder().encode(canonicalText(signed));
}

async function signatureHolds(key: ApproverKey, approval: object): Promise<boolean> {
  const signature = signatureBytes(own(approval, "signature"));
  const parameters = PARAMETERS[key.kty];
  if (signature === undefined || parameters === undefined) return false;
  // One signature has one text, and one value of WebCrypto's: of ECDSA it is the two numbers one after the other.
  const imported = await importedKey(key, parameters);
  return crypto.subtle.verify(parameters, imported, signature, approvalBytes(approval) as Uint8Array<ArrayBuffer>);
}

interface Parameters {
  readonly name: string;
  readonly hash?: string;
  readonly namedCurve?: string;
}

const PARAMETERS: { readonly [Type in ApproverKey["kty"]]: Parameters } = {
  EC: { name: "ECDSA", hash: "SHA-256", namedCurve: "P-256" },
  OKP: { name: "Ed25519" },
  RSA: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
};

const imports = new WeakMap<ApproverKey, Promise<CryptoKey>>();

/** A key is imported once for each policy that has it. */
function importedKey(key: ApproverKey, parameters: Parameters): Promise<CryptoKey> {
  let known = imports.get(key);
  if (known === undefined) {
    known = crypto.subtle.importKey("jwk", key as JsonWebKey, parameters, false, ["verify"]);
    imports.set(key, known);
  }
  return known;
}

/** The bytes of base64url without padding; `undefined` for any other text. */
function signatureBytes(text: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (typeof text !== "string" || !/^[\w-]+$/.test(text)) return undefined;
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
  return base64url(bytes) === text ? bytes : undefined;
}

/** Base64url without padding. */
export function base64url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

async function attemptLater<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch {
    return undefined;
  }
}

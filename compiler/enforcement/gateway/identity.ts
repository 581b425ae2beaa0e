/** Who stands behind a request: what a verified JSON Web Token says. The keys are the host's, and so is what each claim means. */

import { createHash } from "node:crypto";
import { failure, isJsonObject, type Result, success } from "@portcullis/documents";
import { SIGNATURE_ALGORITHMS, type SignatureAlgorithm, signatureHolds } from "@portcullis/runtime/trust";
import type { Caller } from "./caller.ts";
import type { Members } from "./messages.ts";

/** What `--identity` says. */
export interface IdentityWords {
  /** Path or URL of the keys. */
  readonly jwks: string;
  /** Claims that hold these; absent: what the command line says. */
  readonly role?: string;
  readonly lane?: string;
  readonly issuer?: string;
  readonly audience?: string;
  /** Key of the scope → claim. */
  readonly scope: ReadonlyMap<string, string>;
}

/** `jwks=…,role=claim,lane=claim,scope.KEY=claim,issuer=…,audience=…`. */
export function readIdentity(text: string): Result<IdentityWords, "bad-identity"> {
  const words = new Map<string, string>();
  for (const pair of text.split(",")) {
    const [, key = "", value = ""] = /^\s*([^=]*?)\s*=\s*(.*?)\s*$/s.exec(pair) ?? [];
    if (value === "" || words.has(key) || !(SIMPLE.includes(key) || /^scope\.[^.]+/.test(key)))
      return failure("bad-identity", `\`--identity\` does not take \`${pair}\``);
    words.set(key, value);
  }
  const jwks = words.get("jwks");
  if (jwks === undefined) return failure("bad-identity", "`--identity` needs `jwks=FILE` or `jwks=URL`");
  const scope = [...words].flatMap(([key, claim]) =>
    key.startsWith("scope.") ? [[key.slice("scope.".length), claim] as const] : [],
  );
  const simple = Object.fromEntries([...words].filter(([key]) => SIMPLE.includes(key)));
  return success({ ...simple, jwks, scope: new Map(scope) });
}

const SIMPLE = ["jwks", "role", "lane", "issuer", "audience"];

export interface Identity {
  /** The caller that a token names, and whose it is; `undefined` for a token that is not valid. */
  callerOf(authorization: string | undefined): Promise<Identified | undefined>;
}

export interface Identified {
  readonly caller: Caller;
  /** The same for all tokens of one identity. */
  readonly principal: string;
}

/** Verified tokens that are remembered, so that a call costs no signature. */
const MOST_TOKENS = 1_000;
/** Clocks of issuers may be this far apart from ours. */
const SKEW_SECONDS = 30;
const LONGEST_TOKEN = 16_384;

/** Gives the key set; with `fresh`, one that is newer than the last, where there can be one. Rejects where it cannot be had. */
type Keys = (fresh: boolean) => Promise<readonly Members[]>;

/** INVARIANT: a token is as good as its key: what was verified under another set of keys than the one in use is verified again. */
export function jwtIdentity(words: IdentityWords, given: Caller, keys: Keys, now: () => number = Date.now): Identity {
  let verified = new Map<string, Members>();
  let under: readonly Members[] | undefined;
  return {
    callerOf: async (authorization) => {
      const [, token] = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization ?? "") ?? [];
      if (token === undefined || token.length > LONGEST_TOKEN) return undefined;
      const set = await keys(false);
      if (set !== under) {
        verified = new Map();
        under = set;
      }
      // A set that is replaced while this token is verified has a map of its own by then.
      const known = verified;
      const digest = createHash("sha256").update(token).digest("base64");
      const claims = known.get(digest) ?? (await claimsOf(token, set, keys));
      if (claims === undefined || !isValid(claims, words, now() / 1000)) {
        known.delete(digest);
        return undefined;
      }
      if (known.size >= MOST_TOKENS && !known.has(digest)) known.clear();
      known.set(digest, claims);
      return identified(claims, words, given);
    },
  };
}

/** The claims of a token whose signature holds under a key of the set. */
async function claimsOf(token: string, set: readonly Members[], keys: Keys): Promise<Members | undefined> {
  const [head64 = "", body64 = "", signature64 = ""] = token.split(".");
  const [head, claims] = [decoded(head64), decoded(body64)];
  const algorithm = SIGNATURE_ALGORITHMS.find((one) => one === head?.["alg"]);
  // A set of public keys is no place for secrets, and an extension that is not known could say anything.
  if (head === undefined || algorithm === undefined || algorithm.startsWith("HS")) return undefined;
  if ("crit" in head) return undefined;
  const key = keyFor(set, head["kid"], algorithm) ?? keyFor(await keys(true), head["kid"], algorithm);
  if (key === undefined) return undefined;
  const signed = new TextEncoder().encode(`${head64}.${body64}`);
  try {
    const holds = await signatureHolds({ algorithm, key }, signed, Buffer.from(signature64, "base64url"), false);
    return holds ? claims : undefined;
  } catch {
    // A key that does not fit, or is too weak.
    return undefined;
  }
}

type Key = Members & { readonly kty: string };

/** The key that the token names; without a name, the only one. What a key says of its use holds. */
function keyFor(keys: readonly Members[], kid: unknown, algorithm: SignatureAlgorithm): Key | undefined {
  const named = kid === undefined ? keys : keys.filter((key) => key["kid"] === kid);
  const [key, second] = named;
  if (key === undefined || second !== undefined || typeof key["kty"] !== "string") return undefined;
  const { use, key_ops: uses } = key;
  if (use !== undefined && use !== "sig") return undefined;
  if (uses !== undefined && !(Array.isArray(uses) && uses.includes("verify"))) return undefined;
  return key["alg"] === undefined || key["alg"] === algorithm ? (key as Key) : undefined;
}

function decoded(part: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A token without an end is not taken, nor one without a subject: sessions and counts of all those would be one. */
function isValid(claims: Members, { issuer, audience }: IdentityWords, seconds: number): boolean {
  const { exp, nbf, iss, aud, sub } = claims;
  if (typeof sub !== "string" || sub === "") return false;
  // JSON has numbers beyond all doubles, which never come.
  if (!Number.isFinite(exp) || Number(exp) + SKEW_SECONDS <= seconds) return false;
  if (nbf !== undefined && (typeof nbf !== "number" || nbf - SKEW_SECONDS > seconds)) return false;
  if (issuer !== undefined && iss !== issuer) return false;
  return audience === undefined || aud === audience || (Array.isArray(aud) && aud.includes(audience));
}

/** Every claim that is asked for must be there, as a text. */
function identified(claims: Members, words: IdentityWords, given: Caller): Identified | undefined {
  const claimed = (claim: string | undefined, otherwise: string): string | undefined => {
    if (claim === undefined) return otherwise;
    const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const [role, lane] = [claimed(words.role, given.role), claimed(words.lane, given.lane)];
  const scope = [...words.scope].map(([key, claim]) => [key, claimed(claim, "")] as const);
  if (role === undefined || lane === undefined) return undefined;
  if (!scope.every((pair): pair is readonly [string, string] => pair[1] !== undefined)) return undefined;
  const caller = { ...given, role, lane, scope: { ...given.scope, ...Object.fromEntries(scope) } };
  const principal = JSON.stringify([claims["iss"], claims["sub"], role, lane, scope]);
  return { caller, principal };
}

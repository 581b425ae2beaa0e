/** io.jwt.decode_verify: signature, issuer, audience and times, RFC 7519 section 7.2. */

import {
  compareNumbers,
  emptyObject,
  type HostBuiltin,
  HostNumber,
  isArray,
  isObject,
  type JsonLike,
  type JsonObject,
} from "@portcullis/runtime/host";
import { fromUtf8, utf8 } from "../bytes.ts";
import { fail, giveUp } from "../family.ts";
import { schemes, verifySignature } from "./algorithms.ts";
import {
  decodeSection,
  type HeaderParameters,
  headerParameters,
  readHeader,
  readObject,
  splitToken,
  type Token,
} from "./token.ts";
import { anyKeyVerifies, readTrustedKeys, type TrustedKey } from "./trusted-keys.ts";
import { maxNesting, signedPart } from "./verify.ts";

/** Nanoseconds since 1970. */
export type Clock = () => bigint;

interface Constraints {
  readonly keys: readonly TrustedKey[] | undefined;
  readonly secret: string;
  readonly alg: string;
  readonly iss: string;
  readonly aud: string;
  /** Nanoseconds as a double, as OPA keeps them; undefined where there is neither a constraint nor a clock. */
  readonly time: number | undefined;
}

const names = new Set<JsonLike>(["cert", "secret", "alg", "iss", "aud", "time"]);

function readConstraints(value: JsonLike | undefined, clock: Clock | undefined): Constraints {
  if (!isObject(value)) return fail("constraints must be an object");
  for (const name of value.keys()) if (!names.has(name)) fail("unknown constraint");
  const optional = (name: string): string => {
    const given = value.get(name);
    if (given === undefined) return "";
    return typeof given === "string" ? given : fail(`${name} must be a string`);
  };
  const cert = value.has("cert") ? readTrustedKeys(optional("cert")) : undefined;
  const secret = optional("secret");
  if ((cert !== undefined) === (secret !== "")) fail("exactly one of cert and secret is needed");
  const time = value.has("time") ? readTime(value.get("time")) : clock && Number(clock());
  return { keys: cert, secret, alg: optional("alg"), iss: optional("iss"), aud: optional("aud"), time };
}

function readTime(value: JsonLike | undefined): number {
  const time = value instanceof HostNumber ? Number(value.text) : Number.NaN;
  return Number.isFinite(time) && time >= 0 ? time : fail("time must be a number, not negative");
}

function signatureHolds(constraints: Constraints, header: HeaderParameters, token: Token): boolean {
  const signature = decodeSection(token.signature);
  const scheme = schemes.get(header.alg);
  if (scheme === undefined) return false;
  const message = signedPart(token);
  if (constraints.keys === undefined) {
    return verifySignature({ kind: "SecretKey", bytes: utf8(constraints.secret) }, scheme, message, signature, {
      exact: true,
    });
  }
  return anyKeyVerifies(constraints.keys, header, (key) =>
    verifySignature(key, scheme, message, signature, { exact: true }),
  );
}

function audienceHolds(constraints: Constraints, payload: JsonObject): boolean {
  const audience = payload.get("aud");
  if (audience === undefined) return constraints.aud === "";
  return isArray(audience) ? audience.includes(constraints.aud) : audience === constraints.aud;
}

/** The sign of `now - claim`, in seconds. Without a time there is no answer, and so no verified token. */
function timeAgainst(constraints: Constraints, claim: JsonLike): number {
  if (!(claim instanceof HostNumber)) return fail("time claims must be numbers");
  if (constraints.time === undefined) return fail("no time given and no clock supplied");
  return compareNumbers(String(constraints.time / 1_000_000_000), claim.text);
}

function claimsHold(constraints: Constraints, payload: JsonObject): boolean {
  const issuer = payload.get("iss");
  if (constraints.iss !== "") {
    if (issuer !== undefined && typeof issuer !== "string") fail("iss must be a string");
    if (issuer !== constraints.iss) return false;
  }
  if (!audienceHolds(constraints, payload)) return false;
  const expires = payload.get("exp");
  if (expires !== undefined && timeAgainst(constraints, expires) >= 0) return false;
  const notBefore = payload.get("nbf");
  return notBefore === undefined || timeAgainst(constraints, notBefore) >= 0;
}

const unverified: JsonLike = [false, emptyObject, emptyObject];

/**
 * `[valid, header, payload]`. Whether a token has expired depends on the time: the constraint `time`, else `clock`;
 * where there is neither, a token with `exp` or `nbf` has no answer.
 */
export function decodeVerify(clock: Clock | undefined): HostBuiltin {
  return (args) => {
    const constraints = readConstraints(args[1], clock);
    let value: JsonLike | undefined = args[0];
    for (let depth = 0; depth < maxNesting; depth++) {
      const token = splitToken(value);
      const decoded = readHeader(token);
      const header = headerParameters(decoded);
      if (!header.valid || (constraints.alg !== "" && constraints.alg !== header.alg)) return unverified;
      if (!signatureHolds(constraints, header, token)) return unverified;
      const payload = fromUtf8(decodeSection(token.payload));
      if (header.cty.toUpperCase() === "JWT") {
        value = payload;
        continue;
      }
      const claims = readObject(payload);
      return claimsHold(constraints, claims) ? [true, decoded, claims] : unverified;
    }
    return giveUp("tokens nested too deep");
  };
}

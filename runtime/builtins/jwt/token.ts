/** The compact form of a signed token, RFC 7515 section 7.1: three base64url texts with periods between. */

import { fromJson, isArray, isObject, type JsonLike, type JsonObject } from "@portcullis/runtime/host";
import { fromBase64Url, fromUtf8 } from "../bytes.ts";
import { fail, need } from "../family.ts";

export interface Token {
  readonly header: string;
  readonly payload: string;
  readonly signature: string;
}

export function splitToken(value: JsonLike | undefined): Token {
  const parts = typeof value === "string" ? value.split(".") : [];
  const [header, payload, signature] = parts;
  if (header === undefined || payload === undefined || signature === undefined || parts.length !== 3) {
    return fail("an encoded JWT has three sections");
  }
  return { header, payload, signature };
}

export function decodeSection(section: string): Uint8Array {
  return need(fromBase64Url(section), "illegal base64url in a JWT");
}

/** The object in a JSON text. */
export function readObject(text: string): JsonObject {
  const value = fromJson(text);
  return isObject(value) ? value : fail("decoded JSON was not an object");
}

/** The header as an object. Encrypted tokens are refused: RFC 7516 section 9 tells them by `enc`. */
export function readHeader(token: Token): JsonObject {
  const header = readObject(fromUtf8(decodeSection(token.header)));
  if (header.has("enc")) fail("encrypted tokens are not supported");
  return header;
}

/** The registered header parameters, RFC 7515 section 4.1. */
export interface HeaderParameters {
  readonly alg: string;
  readonly kid: string;
  readonly cty: string;
  /** Whether every parameter that the token calls critical is one that we act on, and an algorithm is named. */
  readonly valid: boolean;
}

const known = new Set<JsonLike>(["alg", "kid", "typ", "cty", "crit"]);

export function headerParameters(header: JsonObject): HeaderParameters {
  const parameter = (name: string): string => {
    const value = header.get(name) ?? (header.has(name) ? null : "");
    return typeof value === "string" ? value : fail(`${name} must be a string`);
  };
  const [alg, kid, , cty] = ["alg", "kid", "typ", "cty"].map(parameter) as [string, string, string, string];
  const critical = criticalNames(header);
  return { alg, kid, cty, valid: alg !== "" && ![...header.keys()].some((k) => !known.has(k) && critical.has(k)) };
}

/** The leading strings of `crit`; there must be one. */
function criticalNames(header: JsonObject): ReadonlySet<JsonLike> {
  if (!header.has("crit")) return new Set();
  const crit = header.get("crit");
  if (!isArray(crit) || typeof crit[0] !== "string") return fail("crit must be a nonempty list of strings");
  const end = crit.findIndex((name) => typeof name !== "string");
  return new Set(end < 0 ? crit : crit.slice(0, end));
}

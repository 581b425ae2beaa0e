/**
 * `.signatures.json` of a bundle: one JWT over the names and hashes of all other files, as OPA writes and checks it.
 * Nothing in it depends on time: the same files and key give the same bytes, where the algorithm allows that (ES and PS do not).
 * https://www.openpolicyagent.org/docs/management-bundles#signature-format
 */

import { isJsonObject, type JsonObject } from "../base/json-object.ts";
import { failure, type Result, success } from "../base/result.ts";
import type { BundleFile } from "../bundle/index.ts";
import { type Key, signatureHolds, signBytes } from "./algorithms.ts";
import { fileHash } from "./file-hash.ts";

export const SIGNATURES_FILE = ".signatures.json";

export interface SignOptions {
  readonly key: Key;
  /** Tells the verifier which of its keys to use. */
  readonly keyId?: string | undefined;
  readonly scope?: string | undefined;
}

/** The files with a fresh signature; an old one is replaced. A problem where a file is a broken document. */
export function signFiles(
  files: readonly BundleFile[],
  { key, keyId, scope }: SignOptions,
): Result<readonly BundleFile[], "broken-file"> {
  const signed = files.filter((f) => f.path !== SIGNATURES_FILE);
  const entries = [...signed]
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, bytes }) => ({ name: path, hash: fileHash(path, bytes), algorithm: "SHA-256" }));
  const broken = entries.find(({ hash }) => hash === undefined);
  if (broken !== undefined)
    return failure("broken-file", `\`${broken.name}\` in the bundle cannot be read, so it cannot be signed`);
  const header = { alg: key.algorithm, typ: "JWT", ...(keyId === undefined ? {} : { kid: keyId }) };
  const payload = { files: entries, ...(scope === undefined ? {} : { scope }) };
  const text = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  const token = `${text}.${Buffer.from(signBytes(key, Buffer.from(text))).toString("base64url")}`;
  const content = `${JSON.stringify({ signatures: [token] })}\n`;
  return success([...signed, { path: SIGNATURES_FILE, bytes: new TextEncoder().encode(content) }]);
}

export interface Verification {
  /** The faults, for a person; empty when the signature covers every file. */
  readonly problems: readonly string[];
  /** How many files it covers. */
  readonly files: number;
  readonly keyId: string | undefined;
  readonly scope: string | undefined;
}

/** Verifies the files against their signature. Never throws over their content. */
export function verifyFiles(files: ReadonlyMap<string, Uint8Array>, { key, keyId, scope }: SignOptions): Verification {
  const failed = (...problems: string[]): Verification => ({ problems, files: 0, keyId: undefined, scope: undefined });
  const bytes = files.get(SIGNATURES_FILE);
  if (bytes === undefined) return failed("the bundle is not signed");
  const token = onlyToken(bytes);
  if (token === undefined) return failed(`${SIGNATURES_FILE} does not hold exactly one signature`);
  const [header64 = "", payload64 = "", signature64 = ""] = token.split(".");
  const header = decodeObject(header64);
  if (header === undefined) return failed("the signature is no JSON Web Token");
  // The verifier's own choice counts, never the token's: a token that names another algorithm is refused.
  if (header["alg"] !== key.algorithm)
    return failed(`the signature is made with ${shown(header["alg"])}, and ${key.algorithm} was asked for`);
  if (!signatureHolds(key, Buffer.from(`${header64}.${payload64}`), Buffer.from(signature64, "base64url")))
    return failed("the signature does not hold under this key");
  const payload = decodeObject(payload64);
  if (payload === undefined || !Array.isArray(payload["files"])) return failed("the signature lists no files");
  const problems: string[] = [];
  const signedId = text(header["kid"]) ?? text(payload["keyid"]);
  if (keyId !== undefined && signedId !== undefined && signedId !== keyId)
    problems.push(`the signature names the key ${shown(signedId)}, not ${shown(keyId)}`);
  const signedScope = text(payload["scope"]);
  if ((scope ?? "") !== (signedScope ?? ""))
    problems.push(`the signature's scope is ${shown(signedScope ?? "")}, not ${shown(scope ?? "")}`);
  problems.push(...compareFiles(files, payload["files"]));
  return { problems, files: payload["files"].length, keyId: signedId, scope: signedScope };
}

function compareFiles(files: ReadonlyMap<string, Uint8Array>, entries: readonly unknown[]): string[] {
  const problems: string[] = [];
  const listed = new Set<string>();
  for (const entry of entries) {
    const name = isJsonObject(entry) ? text(entry["name"]) : undefined;
    if (!isJsonObject(entry) || name === undefined || listed.has(name)) {
      problems.push("the signature lists a file without a name, or one twice");
      continue;
    }
    listed.add(name);
    const bytes = files.get(name);
    if (bytes === undefined) {
      problems.push(`\`${name}\` is signed, and missing`);
      continue;
    }
    const algorithm = text(entry["algorithm"]) ?? "SHA-256";
    const hash = fileHash(name, bytes, algorithm);
    if (hash === undefined) problems.push(`\`${name}\` cannot be hashed with ${shown(algorithm)}`);
    else if (hash !== entry["hash"]) problems.push(`\`${name}\` was changed after it was signed`);
  }
  for (const name of files.keys())
    if (name !== SIGNATURES_FILE && !listed.has(name)) problems.push(`\`${name}\` is not signed`);
  return problems;
}

/** OPA takes exactly one. */
function onlyToken(bytes: Uint8Array): string | undefined {
  const value = parse(Buffer.from(bytes).toString("utf8"));
  const signatures = isJsonObject(value) ? value["signatures"] : undefined;
  if (!Array.isArray(signatures) || signatures.length !== 1) return undefined;
  const token = text(signatures[0]);
  return token !== undefined && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token) ? token : undefined;
}

function decodeObject(base64: string): JsonObject | undefined {
  const value = parse(Buffer.from(base64, "base64url").toString("utf8"));
  return isJsonObject(value) ? value : undefined;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function shown(value: unknown): string {
  return `\`${String(value)}\``;
}

/**
 * `.signatures.json` of a bundle: one JSON Web Token over the names and hashes of all other files. The rules are OPA's:
 * https://www.openpolicyagent.org/docs/management-bundles#signature-format
 */

import { base64 } from "./base64.ts";
import { KeyError, signatureHolds } from "./keys.ts";
import { signedBytes, type YamlReader } from "./signed-bytes.ts";
import type { Verification, VerificationKey } from "./verification.ts";

/** The file of a bundle that holds its signature, as OPA names it. */
export const SIGNATURES_FILE = ".signatures.json";
/** Those of OPA's hashes that WebCrypto has and that have no known collisions. */
const HASHES = ["SHA-256", "SHA-384", "SHA-512"];

/** Whether a bundle is signed, and what is wrong with its signature. */
export interface SignatureCheck {
  readonly isSigned: boolean;
  /** What is wrong, for a person; empty when the signature covers every file. */
  readonly problems: readonly string[];
  /** How many files it covers. */
  readonly files: number;
  readonly keyId: string | undefined;
  readonly scope: string | undefined;
}

/** What a signature check takes beside the keys. */
export interface CheckOptions {
  /** Takes RSA keys of fewer than 2048 bits, and secrets of fewer than 32 bytes. */
  readonly allowWeakKeys?: boolean;
  readonly readYaml?: YamlReader;
}

type Json = { readonly [key: string]: unknown };

/**
 * Checks every file of a bundle against its signature. Never throws over their content.
 * Cost: a hash of every file, and one signature.
 */
export async function checkSignature(
  files: ReadonlyMap<string, Uint8Array>,
  verification: Verification,
  options: CheckOptions = {},
): Promise<SignatureCheck> {
  const signatures = files.get(SIGNATURES_FILE);
  const failed = (...problems: string[]): SignatureCheck => ({
    isSigned: signatures !== undefined,
    problems,
    files: 0,
    keyId: undefined,
    scope: undefined,
  });
  if (signatures === undefined) return failed("the bundle is not signed");
  const token = onlyToken(signatures);
  if (token === undefined) return failed(`${SIGNATURES_FILE} does not hold exactly one signature`);
  const [header64 = "", payload64 = "", signature64 = ""] = token.split(".");
  const header = decode(header64);
  const payload = decode(payload64);
  if (header === undefined || payload === undefined) return failed("the signature is no JSON Web Token");
  if ("crit" in header) return failed("the signature needs an extension (`crit`)");
  const signedId = text(header["kid"]) ?? text(payload["keyid"]);
  const key = chooseKey(verification, signedId);
  if (typeof key === "string") return failed(key);
  // The verifier's own choice counts, never the token's: a token that names another algorithm is refused.
  if (header["alg"] !== key.algorithm)
    return failed(`the signature is made with ${shown(header["alg"])}, and the key is for ${shown(key.algorithm)}`);
  const problem = await signatureProblem(key, `${header64}.${payload64}`, signature64, options.allowWeakKeys);
  if (problem !== undefined) return failed(problem);
  if (!Array.isArray(payload["files"])) return failed("the signature lists no files");
  const problems = await compareFiles(files, payload["files"], options.readYaml);
  const scope = text(payload["scope"]);
  const wanted = verification.scope || key.scope || "";
  if ((scope ?? "") !== wanted)
    problems.unshift(`the signature's scope is ${shown(scope ?? "")}, not ${shown(wanted)}`);
  return { isSigned: true, problems, files: payload["files"].length, keyId: signedId, scope };
}

/** The configuration's key, or else the one that the signature names; or why it cannot be chosen. */
function chooseKey({ keys, keyId }: Verification, signedId: string | undefined): VerificationKey | string {
  const id = keyId || signedId;
  if (!id) return "the signature names no key";
  return Object.hasOwn(keys ?? {}, id) ? (keys[id] as VerificationKey) : `there is no key ${shown(id)} to verify with`;
}

async function signatureProblem(
  key: VerificationKey,
  signed: string,
  signature64: string,
  allowWeak = false,
): Promise<string | undefined> {
  try {
    const holds = await signatureHolds(key, new TextEncoder().encode(signed), base64(signature64), allowWeak);
    return holds ? undefined : "the signature does not hold under this key";
  } catch (error) {
    return error instanceof KeyError ? error.message : "the signature does not hold under this key";
  }
}

async function compareFiles(
  files: ReadonlyMap<string, Uint8Array>,
  entries: readonly unknown[],
  readYaml: YamlReader | undefined,
): Promise<string[]> {
  const problems: string[] = [];
  const listed = new Set<string>();
  for (const entry of entries) {
    const { name, hash, algorithm } = isObject(entry) ? entry : {};
    if (typeof name !== "string" || listed.has(name)) {
      problems.push("the signature lists a file twice, or without a name");
      continue;
    }
    listed.add(name);
    const bytes = files.get(name);
    if (bytes === undefined) problems.push(`\`${name}\` is signed, and missing`);
    else if (!HASHES.includes(algorithm as string)) problems.push(`\`${name}\` is hashed with ${shown(algorithm)}`);
    else {
      const content = signedBytes(name, bytes, readYaml);
      if (content === undefined) problems.push(`\`${name}\` cannot be read, so it cannot be verified`);
      else if ((await hexDigest(algorithm as string, content)) !== String(hash).toLowerCase())
        problems.push(`\`${name}\` was changed after it was signed`);
    }
  }
  for (const name of files.keys())
    if (name !== SIGNATURES_FILE && !listed.has(name)) problems.push(`\`${name}\` is not signed`);
  return problems;
}

async function hexDigest(algorithm: string, bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest(algorithm, bytes as Uint8Array<ArrayBuffer>));
  return Array.from(digest, (b) => b.toString(16).padStart(2, "0")).join("");
}

/** OPA takes exactly one, and knows no other way to sign unless somebody taught it. */
function onlyToken(bytes: Uint8Array): string | undefined {
  const { signatures, plugin = "" } = parse(bytes) ?? {};
  if (!Array.isArray(signatures) || signatures.length !== 1 || !["", "_default"].includes(plugin as string))
    return undefined;
  const [token] = signatures as readonly unknown[];
  return typeof token === "string" && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token) ? token : undefined;
}

function decode(part: string): Json | undefined {
  try {
    return parse(base64(part));
  } catch {
    return undefined;
  }
}

function parse(bytes: Uint8Array): Json | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A string with something in it. */
function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function shown(value: unknown): string {
  return `\`${String(value)}\``;
}

/**
 * `.signatures.json` of a bundle: one JWT over the names and hashes of all other files, as OPA writes and checks it.
 * Nothing in it depends on time: the same files and key give the same bytes, where the algorithm allows that (ES and PS do not).
 * https://www.openpolicyagent.org/docs/management-bundles#signature-format
 */

import {
  checkSignature,
  holdOptions,
  SIGNATURES_FILE,
  type SignatureCheck,
  type TableOf,
  type VerificationKey,
} from "@portcullis/runtime/trust";
import type { BundleFile } from "../bundle/index.ts";
import { failure, type Result, success } from "../diagnostics/index.ts";
import { type Key, signBytes } from "./algorithms.ts";
import { fileHash, type ReadYaml } from "./file-hash.ts";

/** The key that signs, and what the signature says of itself. */
export interface SignOptions {
  readonly key: Key;
  /** Tells the verifier which of its keys to use. */
  readonly keyId?: string | undefined;
  readonly scope?: string | undefined;
  /** Reads `data.yaml` files of the bundle, whose content is signed. Without it, a bundle that has one cannot be signed. */
  readonly readYaml?: ReadYaml;
}

const SIGN: TableOf<SignOptions> = { key: "object", keyId: "string?", scope: "string?", readYaml: "function" };

const MERGE = "merge it into one data.json with `opa build`";

/** The files with a fresh signature; an old one is replaced. A problem where a file is a broken document. */
export function signFiles(
  files: readonly BundleFile[],
  options: SignOptions,
): Result<readonly BundleFile[], "broken-file"> {
  holdOptions(options, SIGN);
  const { key, keyId, scope, readYaml } = options;
  const signed = files.filter((f) => f.path !== SIGNATURES_FILE);
  const entries = [...signed]
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, bytes }) => ({ name: path, hash: fileHash(path, bytes, readYaml), algorithm: "SHA-256" }));
  const broken = entries.find(({ hash }) => hash === undefined);
  if (broken !== undefined) {
    const isYaml = readYaml === undefined && /\.ya?ml$/.test(broken.name);
    const why = isYaml ? "is YAML, which is not read in a bundle" : "cannot be read, so it cannot be signed";
    return failure("broken-file", `\`${broken.name}\` in the bundle ${why}`, isYaml ? MERGE : undefined);
  }
  const header = { alg: key.algorithm, typ: "JWT", kid: keyId };
  const payload = { files: entries, scope };
  const text = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  const token = `${text}.${Buffer.from(signBytes(key, Buffer.from(text))).toString("base64url")}`;
  const content = `${JSON.stringify({ signatures: [token] })}\n`;
  return success([...signed, { path: SIGNATURES_FILE, bytes: new TextEncoder().encode(content) }]);
}

/** The key to verify with, and what the signature must say of itself. */
export interface VerifyOptions {
  readonly key: VerificationKey;
  /** The name that the signature must give the key, where it gives one. */
  readonly keyId?: string | undefined;
  readonly scope?: string | undefined;
  /** Takes RSA keys of fewer than 2048 bits and secrets of fewer than 32 bytes. */
  readonly allowWeak?: boolean;
  /** As in `SignOptions`: without it, a bundle with a YAML document does not verify. */
  readonly readYaml?: ReadYaml;
}

const VERIFY: TableOf<VerifyOptions> = { ...SIGN, allowWeak: "boolean" };

/** Verifies the files against their signature, as the runtime does. Never throws over their content. */
export async function verifyFiles(
  files: ReadonlyMap<string, Uint8Array>,
  options: VerifyOptions,
): Promise<Omit<SignatureCheck, "isSigned">> {
  holdOptions(options, VERIFY);
  const { key, keyId, scope, allowWeak = false, readYaml = () => undefined } = options;
  const ID = "key";
  const { isSigned: _, ...check } = await checkSignature(
    files,
    { keys: { [ID]: key }, keyId: ID, ...(scope === undefined ? {} : { scope }) },
    { allowWeakKeys: allowWeak, readYaml },
  );
  const isOther = keyId !== undefined && check.keyId !== undefined && check.keyId !== keyId;
  const problem = `the signature names the key \`${check.keyId}\`, not \`${keyId}\``;
  return isOther ? { ...check, problems: [problem, ...check.problems] } : check;
}

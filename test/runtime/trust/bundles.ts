/** Small bundles to sign, change and load. */

import { generateKeyPairSync, type KeyPairKeyObjectResult, randomBytes } from "node:crypto";
import { readBundle, type SignatureAlgorithm } from "@portcullis/runtime";
import { assembleBundle, type BundleFile, packBundle } from "../../../compiler/rego/bundle/index.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import { signFiles, signingKey } from "../../../compiler/rego/signing/index.ts";

export const REGO = `package app

default decision := {"allowed": false, "gate": "USER", "reason": "unknown"}

decision := {"allowed": true} if input.user == data.owner
`;

/** The files of a bundle whose only user is `owner`. */
export async function policyFiles(options: {
  readonly owner?: string;
  readonly revision?: string;
  readonly sequence?: number;
}): Promise<readonly BundleFile[]> {
  const { owner = "ann", revision, sequence } = options;
  const { compiled } = await compileModules({
    modules: [new SourceFile("app.rego", REGO)],
    data: {
      kind: "object",
      entries: [
        [
          { kind: "string", value: "owner" },
          { kind: "string", value: owner },
        ],
      ],
    },
    entrypoints: ["app/decision"],
  });
  if (compiled === undefined) throw new Error("the policy does not compile");
  const { files } = await assembleBundle({
    dataText: `${JSON.stringify({ owner })}\n`,
    rego: [{ path: "app.rego", file: new SourceFile("app.rego", REGO) }],
    wasm: compiled.wasm,
    entrypoints: compiled.entrypoints,
    roots: compiled.roots,
    revision,
    sequence,
    versions: { lanes: "2" },
  });
  return files;
}

/** Pairs by the kind of key that an algorithm takes. */
const pairs = new Map<string, { readonly publicKey: string; readonly privateKey: string }>();

/** A pair for an algorithm in PEM, or for HS the secret twice. The same for each call. */
export function keysFor(algorithm: string): { readonly publicKey: string; readonly privateKey: string } {
  const kind = kindOf(algorithm);
  const known = pairs.get(kind) ?? freshKeys(algorithm);
  pairs.set(kind, known);
  return known;
}

function kindOf(algorithm: string): string {
  if (algorithm.startsWith("ES")) return algorithm;
  return algorithm.startsWith("HS") ? "HS" : "RSA";
}

/** A pair that no other party has. */
export function freshKeys(algorithm: string): { readonly publicKey: string; readonly privateKey: string } {
  const curve = { ES256: "P-256", ES384: "P-384", ES512: "P-521" }[algorithm];
  if (curve !== undefined) return inPem(generateKeyPairSync("ec", { namedCurve: curve }));
  if (kindOf(algorithm) === "RSA") return rsaKeys(2048);
  const secret = `a secret of 32 bytes: ${randomBytes(16).toString("hex")}`;
  return { publicKey: secret, privateKey: secret };
}

export function rsaKeys(modulusLength: number): { readonly publicKey: string; readonly privateKey: string } {
  return inPem(generateKeyPairSync("rsa", { modulusLength }));
}

function inPem(pair: KeyPairKeyObjectResult): { readonly publicKey: string; readonly privateKey: string } {
  return {
    publicKey: String(pair.publicKey.export({ type: "spki", format: "pem" })),
    privateKey: String(pair.privateKey.export({ type: "pkcs8", format: "pem" })),
  };
}

export interface Signing {
  readonly algorithm?: SignatureAlgorithm;
  readonly keyId?: string;
  readonly scope?: string;
  readonly privateKey?: string;
}

/** The files with a signature of ours, packed. */
export async function signed(files: readonly BundleFile[], signing: Signing = {}): Promise<Uint8Array> {
  const { algorithm = "ES256", keyId = "k1", scope, privateKey = keysFor(algorithm).privateKey } = signing;
  const key = signingKey("key", Buffer.from(privateKey), algorithm, { allowWeak: true });
  if (!key.ok) throw new Error(key.problem.message);
  const result = signFiles(files, { key: key.value, keyId, scope });
  if (!result.ok) throw new Error(result.problem.message);
  return packBundle(result.value);
}

/** The bundle with its files changed, packed anew. */
export async function changed(
  bundle: Uint8Array,
  change: (files: Map<string, Uint8Array>) => void,
): Promise<Uint8Array> {
  const files = await readBundle(bundle);
  change(files);
  return packBundle([...files].map(([path, bytes]) => ({ path, bytes })));
}

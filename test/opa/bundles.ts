/** The example as a bundle that every OPA takes, signed, in two revisions that answer differently. */

import { generateKeyPairSync } from "node:crypto";
import { nodeHost } from "../../compiler/documents/node.ts";
import { type Compiled, compile } from "../../compiler/governance/pipeline.ts";
import { type BundleFile, packBundle } from "../../compiler/rego/bundle/index.ts";
import { signFiles, signingKey } from "../../compiler/rego/signing/index.ts";

const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
export const publicKey = keys.publicKey.export({ type: "spki", format: "pem" }) as string;

export async function compileExample(revision: string, target: "rego" | "wasm" | "both" = "rego"): Promise<Compiled> {
  const { compiled, diagnostics } = await compile({ host: nodeHost, dirs: ["policies"], target, revision });
  if (compiled === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return compiled;
}

/** The same policy in which no writer drafts. */
export function withoutWriters(files: readonly BundleFile[], revision: string): BundleFile[] {
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  return files.map(({ path, bytes }) => {
    if (path === ".manifest") return json(path, { ...(JSON.parse(text(bytes)) as object), revision });
    if (path !== "data.json") return { path, bytes };
    const data = JSON.parse(text(bytes)) as {
      portcullis: { policy: { lanes: { DRAFTING: { roles: { WRITER?: true } } } } };
    };
    delete data.portcullis.policy.lanes.DRAFTING.roles.WRITER;
    return json(path, data);
  });
}

function json(path: string, value: unknown): BundleFile {
  return { path, bytes: new TextEncoder().encode(JSON.stringify(value)) };
}

/** `key`: another's, for a signature that must not hold. */
export async function signed(files: readonly BundleFile[], key = keys.privateKey): Promise<Uint8Array> {
  const pem = key.export({ type: "pkcs8", format: "pem" }) as string;
  const read = signingKey("key", new TextEncoder().encode(pem), "RS256");
  if (!read.ok) throw new Error(read.problem.message);
  const result = signFiles(files, { key: read.value, keyId: "release", scope: "production" });
  if (!result.ok) throw new Error(result.problem.message);
  return packBundle(result.value);
}

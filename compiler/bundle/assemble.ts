/** Puts the parts of a bundle together: data, the Rego it was compiled from, the module, the manifest. */

import { buildManifest, type Manifest } from "./manifest.ts";
import { type BundleFile, orderFiles, packBundle } from "./tar.ts";

export interface BundleParts {
  /** `data.json` as text. */
  readonly dataText: string;
  /** Path (without a leading `/`) and text of every Rego module, as compiled: an auditor reads the policy that runs. */
  readonly rego: readonly { readonly path: string; readonly text: string }[];
  readonly wasm: Uint8Array;
  readonly entrypoints: readonly string[];
  readonly roots: readonly string[];
  /** Default: a hash of data, Rego and entrypoints. */
  readonly revision: string | undefined;
  /** The versions that the policy files state. */
  readonly versions: { readonly lanes?: string | undefined; readonly roles?: string | undefined };
}

export interface AssembledBundle {
  readonly files: readonly BundleFile[];
  readonly bundle: Uint8Array;
  readonly manifest: Manifest;
}

/** Same parts, same bytes. The hashes are the platform's (Web Crypto). */
export async function assembleBundle(parts: BundleParts): Promise<AssembledBundle> {
  const utf8 = new TextEncoder();
  const rego = parts.rego.map(({ path, text }) => ({ path, bytes: utf8.encode(text) }));
  const data = { path: "data.json", bytes: utf8.encode(parts.dataText) };
  const revision = parts.revision ?? (await contentHash([data, ...rego], parts.entrypoints));
  const manifest = buildManifest({
    revision,
    roots: parts.roots,
    entrypoints: parts.entrypoints,
    metadata: { portcullis_versions: parts.versions, portcullis_wasm_sha256: hex(await sha256(parts.wasm)) },
  });
  const files = orderFiles([
    data,
    ...rego,
    { path: "policy.wasm", bytes: parts.wasm },
    { path: ".manifest", bytes: utf8.encode(`${JSON.stringify(manifest)}\n`) },
  ]);
  return { files, bundle: await packBundle(files), manifest };
}

/** 16 hex digits over names and contents, each with its length, so that no two contents read alike. */
async function contentHash(files: readonly BundleFile[], entrypoints: readonly string[]): Promise<string> {
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
  const hashes = await Promise.all(sorted.map(async ({ path, bytes }) => `${path} ${hex(await sha256(bytes))}`));
  return hex(await sha256(new TextEncoder().encode(JSON.stringify([hashes, [...entrypoints].sort()])))).slice(0, 16);
}

async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>));
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
}

/** Puts the parts of a bundle together: data, the Rego it was compiled from, the module, the manifest. */

import { type BundleRegoVersions, type PolicyApprovals, sha256, sourcesHash } from "@portcullis/runtime/abi";
import type { RegoVersion, SourceFile } from "../diagnostics/index.ts";
import { describeModule } from "../wasm/index.ts";
import { buildManifest, type Manifest } from "./manifest.ts";
import { bundleVersions } from "./rego-versions.ts";
import { type BundleFile, orderFiles, packBundle } from "./tar.ts";

/**
 * For whom a bundle is: `wasm` has the module and no Rego, `rego` has Rego and no module, `both` has both. An OPA that was
 * built without a wasm engine refuses every bundle whose manifest names a module.
 */
export const BUNDLE_TARGETS = ["wasm", "rego", "both"] as const;
/** One of `BUNDLE_TARGETS`. */
export type BundleTarget = (typeof BUNDLE_TARGETS)[number];

export interface BundleParts {
  /** Default `both`. */
  readonly target?: BundleTarget;
  /** `data.json` as text. */
  readonly dataText: string;
  /** Path (without a leading `/`) and file of every Rego module, as compiled: an auditor reads the policy that runs. */
  readonly rego: readonly { readonly path: string; readonly file: SourceFile }[];
  /** What the manifest says of Rego as a whole, beside what it says of files of another version. Default: 1. */
  readonly regoVersion?: RegoVersion;
  /** For people who ask where a row was written; no decision reads it. */
  readonly sourceMap?: { readonly path: string; readonly text: string } | undefined;
  readonly wasm: Uint8Array;
  readonly entrypoints: readonly string[];
  readonly roots: readonly string[];
  /** Default: a hash of data, Rego and entrypoints. */
  readonly revision: string | undefined;
  /** Against rollback: a later bundle has a higher one. */
  readonly sequence?: number | undefined;
  /** The archive is for this process alone, and not worth packing. */
  readonly stored?: boolean;
  /** What the host has to supply below `data` before the module decides anything; default: nothing. */
  readonly hostData?: readonly string[];
  /** By tool, the arguments whose files the host says where they lie; default: none. */
  readonly pathArguments?: { readonly [tool: string]: readonly string[] } | undefined;
  /** What the host keeps a history for, by limit; default: nothing. */
  readonly limits?: { readonly [limit: string]: object } | undefined;
  /** Under which name it keeps it. */
  readonly historyName?: string | undefined;
  /** What the host has to know of approvals that are bound to one call; default: no call needs one. */
  readonly approvals?: PolicyApprovals | undefined;
  /** The versions that the policy files state. */
  readonly versions: { readonly lanes?: string | undefined; readonly roles?: string | undefined };
}

export interface AssembledBundle {
  readonly files: readonly BundleFile[];
  readonly bundle: Uint8Array;
  readonly manifest: Manifest;
  /** The module as it stands in the bundle: it carries what the bundle says of itself. */
  readonly wasm: Uint8Array;
}

/** Same parts, same bytes. The hashes are the platform's (Web Crypto). */
export async function assembleBundle(parts: BundleParts): Promise<AssembledBundle> {
  const utf8 = new TextEncoder();
  const rego = parts.rego.map(({ path, file }) => ({ path, bytes: utf8.encode(file.text) }));
  const data = { path: "data.json", bytes: utf8.encode(parts.dataText) };
  const packed = parts.target === "wasm" ? [] : rego;
  const withModule = parts.target !== "rego";
  const ofRego = bundleVersions(parts.rego, parts.regoVersion);
  // The same policy has the same revision for every target.
  const revision = parts.revision ?? (await contentHash([data, ...rego], parts.entrypoints, ofRego));
  const { versions, sequence, sourceMap, hostData = [] } = parts;
  const sequenced = sequence === undefined ? {} : { sequence };
  const wasm = await describeModule(parts.wasm, {
    revision,
    roots: parts.roots,
    versions,
    ...sequenced,
    rego: ofRego,
    ...(hostData.length === 0 ? {} : { host_data: hostData }),
    path_arguments: parts.pathArguments,
    ...(parts.limits === undefined ? {} : { limits: parts.limits, history_name: parts.historyName }),
    approvals: parts.approvals,
    sources: await sourcesHash([data, ...rego].map(({ path, bytes }) => [path, bytes])),
    data: await sourcesHash([[data.path, data.bytes]]),
  });
  const manifest = buildManifest({
    revision,
    roots: parts.roots,
    entrypoints: withModule ? parts.entrypoints : [],
    rego: ofRego,
    metadata: {
      portcullis_versions: versions,
      ...(withModule ? { portcullis_wasm_sha256: await sha256(wasm) } : {}),
      ...(sequence === undefined ? {} : { portcullis_sequence: sequence }),
      ...(hostData.length === 0 ? {} : { portcullis_host_data: hostData }),
    },
  });
  const files = orderFiles([
    data,
    ...packed,
    ...(sourceMap === undefined ? [] : [{ path: sourceMap.path, bytes: utf8.encode(sourceMap.text) }]),
    ...(withModule ? [{ path: "policy.wasm", bytes: wasm }] : []),
    { path: ".manifest", bytes: utf8.encode(`${JSON.stringify(manifest)}\n`) },
  ]);
  return { files, bundle: await packBundle(files, parts.stored), manifest, wasm };
}

/** 16 hex digits over names and contents, each with its length, so that no two contents read alike. */
async function contentHash(
  files: readonly BundleFile[],
  entrypoints: readonly string[],
  versions: BundleRegoVersions | undefined,
): Promise<string> {
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
  const hashes = await Promise.all(sorted.map(async ({ path, bytes }) => `${path} ${await sha256(bytes)}`));
  const text = JSON.stringify([hashes, [...entrypoints].sort(), ...(versions === undefined ? [] : [versions])]);
  return (await sha256(new TextEncoder().encode(text))).slice(0, 16);
}

/** The Rego in a bundle, each module as the manifest says that it is to be read. */

import { failure, type Result, SourceFile, success } from "@portcullis/rego/diagnostics";
import { globMatches } from "@portcullis/rego/wasm";
import { type RegoVersions, readRegoVersions } from "../sources/index.ts";
import type { OpenedPolicy } from "./opened-policy.ts";

type Files = OpenedPolicy["files"];

/** In the order of the bundle, with their paths as names. What a manifest that cannot be read says nothing of is no module of ours. */
export function bundleModules({ files }: Pick<OpenedPolicy, "files">): SourceFile[] {
  const versions = versionsOf(files)?.files;
  return regoIn(files).map(
    ([path, bytes]) => new SourceFile(path, text(bytes), versions && (versions.get(shortened(path)) ?? 0)),
  );
}

/** As `bundleModules`, of a bundle that the runtime has not loaded: its manifest may be any text. */
export function unloadedModules(bundle: string, files: Files): Result<SourceFile[], "broken-manifest"> {
  const [fault] = versionsOf(files)?.diagnostics ?? [];
  if (fault === undefined) return success(bundleModules({ files }));
  return failure("broken-manifest", `the .manifest of \`${bundle}\` cannot be read: ${fault.message}`);
}

/** `undefined`: no manifest. */
function versionsOf(files: Files): RegoVersions | undefined {
  const manifest = files.get(".manifest");
  const paths = regoIn(files).map(([path]) => shortened(path));
  return manifest && readRegoVersions(new SourceFile(".manifest", text(manifest)), paths, globMatches);
}

function regoIn(files: Files): [string, Uint8Array][] {
  return [...files].filter(([path]) => path.endsWith(".rego"));
}

function shortened(path: string): string {
  return path.replace(/^\//, "");
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

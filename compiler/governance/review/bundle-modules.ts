/** The Rego in a bundle, each module as the manifest says that it is to be read. */

import { SourceFile } from "@portcullis/rego/diagnostics";
import { globMatches } from "@portcullis/rego/wasm";
import { readRegoVersions } from "../sources/index.ts";
import type { OpenedPolicy } from "./opened-policy.ts";

/** In the order of the bundle, with their paths as names. What a manifest that cannot be read says nothing of is no module of ours. */
export function bundleModules({ files }: Pick<OpenedPolicy, "files">): SourceFile[] {
  const texts = [...files].filter(([path]) => path.endsWith(".rego"));
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  const manifest = files.get(".manifest");
  if (manifest === undefined) return texts.map(([path, bytes]) => new SourceFile(path, text(bytes)));
  const paths = texts.map(([path]) => path.replace(/^\//, ""));
  const versions = readRegoVersions(new SourceFile(".manifest", text(manifest)), paths, globMatches).files;
  return texts.map(([path, bytes], i) => new SourceFile(path, text(bytes), versions.get(paths[i] as string) ?? 0));
}

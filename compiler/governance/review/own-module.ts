/**
 * Whether what a bundle decides by is what can be read in it. A review asks the module, and reads Rego and data: what it says of
 * requests that it did not ask holds where the module is made of them, and of nothing else.
 */

import { parseJson, toValue } from "@portcullis/documents";
import { SourceFile } from "@portcullis/rego/diagnostics";
import type { Value } from "@portcullis/rego/value";
import { isDescribed } from "@portcullis/rego/wasm";
import { describeBundle } from "@portcullis/runtime";
import { isBuiltHere } from "../built-here.ts";
import { regoOf, schemasByName } from "./host-data-policy.ts";
import type { OpenedPolicy } from "./opened-policy.ts";

/** What is said of a module that is not. */
export const NOT_OWN =
  "it is not what this version of portcullis makes of the Rego and data in the bundle, and may decide otherwise: build it again from its sources";

/**
 * Whether the module is, byte for byte, what this version makes of the bundle's Rego and data; not so for one that another
 * version made. What it tells hosts is left out: `hostChanges` compares that.
 *
 * Cost: one compilation, where the bundle was not built by this process.
 */
export async function isOwnModule(opened: OpenedPolicy): Promise<boolean> {
  if (isBuiltHere(opened.bundle)) return true;
  const [rego, module] = [regoOf(opened), opened.files.get("policy.wasm")];
  const data = dataOf(opened.files);
  if (!rego.ok || module === undefined || data === undefined) return false;
  const { compileModules } = await import("@portcullis/rego/pipeline");
  const { builtins } = await describeBundle(opened.bundle);
  const { compiled } = await compileModules({
    modules: rego.value,
    data,
    schemas: schemasByName(),
    entrypoints: opened.policy.entrypoints,
    allowBuiltins: builtins,
  });
  return compiled !== undefined && isDescribed(module, compiled.wasm);
}

/** The data with all digits of its numbers: one file, as `build` writes it. `undefined` where there are others, or it cannot be read. */
function dataOf(files: OpenedPolicy["files"]): Value | undefined {
  const [path, ...others] = [...files.keys()].filter((name) => name.split("/").at(-1) === "data.json");
  if (path !== "data.json" || others.length > 0) return undefined;
  const { root } = parseJson(new SourceFile(path, new TextDecoder().decode(files.get(path))));
  return root && toValue(root);
}

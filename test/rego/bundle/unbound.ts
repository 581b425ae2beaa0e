/** A bundle whose module says nothing of its bundle, so that other Rego or data can stand beside it. */

import { sealModule } from "../../../compiler/rego/wasm/sections.ts";
import { BUNDLE_SECTION } from "../../../runtime/abi/index.ts";

/** Takes out of `files` what binds the module to its sources. */
export async function unbind(files: Map<string, Uint8Array>): Promise<void> {
  const wasm = files.get("policy.wasm") as Uint8Array;
  const manifest = JSON.parse(new TextDecoder().decode(files.get(".manifest"))) as { metadata: object };
  const metadata = { ...manifest.metadata, portcullis_wasm_sha256: undefined };
  files.set(".manifest", new TextEncoder().encode(JSON.stringify({ ...manifest, metadata })));
  // The section is the last but the digest; its id stands before its length of one to three bytes and its name.
  const name = Buffer.from(BUNDLE_SECTION);
  const at = Buffer.from(wasm).indexOf(Buffer.concat([Buffer.from([name.length]), name, Buffer.from("{")]));
  files.set("policy.wasm", await sealModule(wasm.subarray(0, wasm.lastIndexOf(0, at - 1))));
}

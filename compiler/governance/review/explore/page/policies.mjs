// The policies of the page: our runtime, and the modules that the page carries.

import { load } from "@portcullis/runtime";
import * as host from "@portcullis/runtime/host";

/** Builtins that the policies need, which the page carries before this script; the clock and chance are the reader's. */
const builtins = (globalThis.portcullisFamilies ?? []).map((make) => make(host).family);
const sources = {
  now: () => BigInt(Date.now()) * 1_000_000n,
  random: (length) => crypto.getRandomValues(new Uint8Array(length)),
};

async function moduleOf(id) {
  const block = document.getElementById(id);
  if (block === null) return undefined;
  const packed = Uint8Array.from(atob(block.textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return load(new Uint8Array(await new Response(stream).arrayBuffer()), { builtins, sources });
}

/** Loads both. The answer of a policy that cannot be loaded is its fault, never an allow. */
export async function loadPolicies() {
  const now = await moduleOf("module-now");
  const before = await moduleOf("module-before");
  return { now, before };
}

// The policies of the page: our runtime, and the modules that the page carries.

import { load } from "@portcullis/runtime";

async function moduleOf(id) {
  const block = document.getElementById(id);
  if (block === null) return undefined;
  const packed = Uint8Array.from(atob(block.textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return load(new Uint8Array(await new Response(stream).arrayBuffer()));
}

/** Loads both. The answer of a policy that cannot be loaded is its fault, never an allow. */
export async function loadPolicies() {
  const now = await moduleOf("module-now");
  const before = await moduleOf("module-before");
  return { now, before };
}

/** Whether a decision allows: nothing looser counts. */
export const allows = (decision) => decision?.allowed === true;

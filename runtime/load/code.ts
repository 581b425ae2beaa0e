/** The code of a policy apart from its data, so that policies that differ in data alone share their machine code. */

import { wasmSections } from "./wasm-sections.ts";

const DATA_SECTION = 11;
/** The section of one segment that is not copied by itself, and is empty. */
const NO_DATA = [DATA_SECTION, 3, 1, 1, 0];

/**
 * A module of ours up to its data, for a memory that the whole module has filled. Engines keep one machine code for modules of
 * equal bytes: that of many tenants stays in a processor's caches, and a policy that is loaded again has code that is optimized
 * already (bench/EXPERIMENTS.md). `bytes` have been compiled before. `undefined` where there is no data.
 */
export function codeOf(bytes: Uint8Array): Promise<WebAssembly.Module> | undefined {
  for (const [id, start] of wasmSections(bytes))
    if (id === DATA_SECTION) {
      // Not `slice`, which of a Buffer is no copy.
      const code = new Uint8Array(start + NO_DATA.length);
      code.set(bytes.subarray(0, start));
      code.set(NO_DATA, start);
      return WebAssembly.compile(code);
    }
  return undefined;
}

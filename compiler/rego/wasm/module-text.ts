/** A module in the text format of WebAssembly, as binaryen writes it. */

import { loadBinaryen } from "./binaryen.ts";

/** Of the module as it is written, so that text and bytes cannot differ. Custom sections have no text. */
export async function moduleText(wasm: Uint8Array): Promise<string> {
  const binaryen = await loadBinaryen();
  const module = binaryen.readBinary(wasm);
  try {
    module.setFeatures(binaryen.Features.BulkMemory | binaryen.Features.BulkMemoryOpt);
    return module.emitText();
  } finally {
    module.dispose();
  }
}

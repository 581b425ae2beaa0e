/** A module in the text format of WebAssembly, as binaryen writes it. */

import { binaryen, features } from "./binaryen.ts";

/** Of the module as it is written, so that text and bytes cannot differ. Custom sections have no text. */
export function moduleText(wasm: Uint8Array): string {
  const module = binaryen.readBinary(wasm);
  try {
    module.setFeatures(features());
    return module.emitText();
  } finally {
    module.dispose();
  }
}

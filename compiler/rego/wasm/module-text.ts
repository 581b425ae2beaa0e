/** A module in the text format of WebAssembly, as binaryen writes it. */

/** binaryen is not installed; the message says what to do. */
export class BinaryenMissing extends Error {
  override readonly name = "BinaryenMissing";
}

/** The text of the bytes as they are, so that text and bytes cannot differ. Custom sections have no text. Throws BinaryenMissing. */
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

/** An optional peer: 13 MB that nothing but this text needs. */
async function loadBinaryen(): Promise<typeof import("binaryen")["default"]> {
  try {
    return (await import("binaryen")).default;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new BinaryenMissing("the text format is written by the package `binaryen`: `npm install binaryen`");
  }
}

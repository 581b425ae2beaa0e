/** Requests and data into linear memory. */

export { refuseForeign } from "./foreign-objects.ts";
export { frozenCopy } from "./frozen-copy.ts";
export { Interned, type WithHandles } from "./interned.ts";
export { KnownTexts } from "./known-texts.ts";
export { EncodeError, MemoryWriter } from "./memory-writer.ts";
export { RequestWriter } from "./request-writer.ts";
export { type Codec, codecsOf, type Shape } from "./shape.ts";
export { snapshot } from "./snapshot.ts";
export { SYMBOLIC_STRINGS_SIZE, SymbolicStrings } from "./symbolic-strings.ts";
export { ValueWriter } from "./value-writer.ts";

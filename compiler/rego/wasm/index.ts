/** Plans to WebAssembly, linked with rtlib; what the compiler itself asks of rtlib while it works. */

export { availableBuiltins } from "./available-builtins.ts";
export { builtinCaller, callBuiltin } from "./call-builtin.ts";
export { wasmCodes } from "./codes.ts";
export { globMatches } from "./glob-matches.ts";
export { loadBackEnd } from "./load.ts";
export { BinaryenMissing, moduleText } from "./module-text.ts";
export { isNative } from "./native-builtins.ts";
export { patternMatches } from "./pattern-matches.ts";
export { addSection, describeModule, isDescribed, sealModule } from "./sections.ts";

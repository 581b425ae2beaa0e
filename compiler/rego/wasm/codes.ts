/** Diagnostic codes of this stage: policies that are well-defined, but that no module can hold. */

import { defineCodes } from "../diagnostics/index.ts";

export const wasmCodes = defineCodes({
  "wasm/too-many-arguments": {
    severity: "error",
    message: "the builtin `{name}` takes {count} arguments, and a host can be passed 4 at most",
    explain:
      "Builtins that the host supplies are called through the OPA WebAssembly interface, which passes up to four arguments. Only builtins that are part of the module may have more.",
  },
  "wasm/too-deep": {
    severity: "error",
    message: "{what} is nested more than {limit} levels deep",
    explain:
      "A module can hold rules and constants only down to a certain depth. Split the rule into several, or make the data flatter.",
  },
  "wasm/too-large": {
    severity: "error",
    message: "{what} is too large for a WebAssembly module: {size}, and {limit} is the most there can be",
    explain:
      "WebAssembly engines refuse modules and functions beyond certain sizes. Split the rule into several, or move constants from the policy to data that the host supplies.",
  },
});

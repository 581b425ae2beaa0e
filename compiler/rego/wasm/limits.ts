/** The limits of a module, checked before anything is emitted. */

import { MAX_VALUE_DEPTH } from "@portcullis/runtime/abi";
import { type Diagnostic, diagnosticsOf } from "../diagnostics/index.ts";
import { type Block, firstSpan, measure, type Policy } from "../plan/index.ts";
import { depthOf } from "../value/index.ts";
import { wasmCodes } from "./codes.ts";
import { isNative } from "./native-builtins.ts";

const wasmDiagnostic = diagnosticsOf(wasmCodes);

/** Blocks of wasm nest as those of the IR do; engines recurse over them. */
const MAX_NESTING = 400;
/** Through opa_builtin0 to opa_builtin4. */
const MAX_HOST_ARGUMENTS = 4;
/** Engines allow 50,000 locals, and functions of 7.6 MB; a statement makes few of one and under a hundred bytes of the other. */
const MAX_STATEMENTS = 25_000;
/** Parameters of a function, input and data included; engines allow 1,000. */
const MAX_PARAMETERS = 1_000;

export function checkLimits(policy: Policy): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const { name, arity } of policy.builtins) {
    if (!isNative(name) && arity > MAX_HOST_ARGUMENTS)
      found.push(wasmDiagnostic("wasm/too-many-arguments", { name, count: arity }, undefined));
  }
  for (const { name, blocks, params } of policy.funcs) checkBody(found, "the function", name, blocks, params.length);
  for (const { name, blocks } of policy.plans) checkBody(found, "the plan of", name, blocks, 2);
  for (const value of policy.constants) {
    if (depthOf(value) > MAX_VALUE_DEPTH) {
      found.push(wasmDiagnostic("wasm/too-deep", { what: "a constant", limit: MAX_VALUE_DEPTH }, undefined));
    }
  }
  return found;
}

function checkBody(found: Diagnostic[], kind: string, name: string, blocks: readonly Block[], params: number): void {
  const { depth, statements } = measure(blocks);
  const refuse = (size: string, limit: number): void => {
    found.push(wasmDiagnostic("wasm/too-large", { what: `${kind} \`${name}\``, size, limit }, firstSpan(blocks)));
  };
  if (depth > MAX_NESTING)
    found.push(wasmDiagnostic("wasm/too-deep", { what: `${kind} \`${name}\``, limit: MAX_NESTING }, firstSpan(blocks)));
  if (statements > MAX_STATEMENTS) refuse(`${statements} statements`, MAX_STATEMENTS);
  // Input and data are nothing that an author wrote.
  if (params > MAX_PARAMETERS) refuse(`${params - 2} arguments`, MAX_PARAMETERS - 2);
}

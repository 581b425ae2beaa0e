/** Tests as entrypoints of one module, which its own passes shorten only where that pays. */

import type { CheckedPolicy, TestRule } from "../analyze/index.ts";
import { type Diagnostic, hasErrors } from "../diagnostics/index.ts";
import { foldData, optimize } from "../optimize/index.ts";
import { planPolicy } from "../plan/index.ts";
import type { Value } from "../value/index.ts";
import { callBuiltin, loadBackEnd, sealModule } from "../wasm/index.ts";

type Entrypoints = Parameters<typeof planPolicy>[1];

/** A module, or the findings that stand in its way. */
export type EmittedTests =
  | { readonly wasm: Uint8Array; readonly diagnostics?: undefined }
  | { readonly wasm?: undefined; readonly diagnostics: readonly Diagnostic[] };

/** An entrypoint for each test that runs: skipped tests, and functions, which are not tests, have nothing to evaluate. */
export function testEntrypoints(tests: readonly TestRule[]): Entrypoints {
  return tests
    .filter((test) => !test.isSkipped && !test.isFunction)
    .map(({ ref, path, span }) => ({ name: ref, path, span }));
}

/**
 * The module of tests. `optimized`: with all passes, so that what is tested is the code that ships; without, for tests that run
 * once and would take less time than the passes.
 */
export async function emitTests(
  policy: CheckedPolicy,
  entrypoints: Entrypoints,
  data: Value,
  optimized: boolean,
): Promise<EmittedTests> {
  const planned = planPolicy(policy, entrypoints, { traced: true, constants: !optimized, keyed: true });
  if (hasErrors(planned.diagnostics)) return { diagnostics: planned.diagnostics };
  const { emitModule } = await loadBackEnd();
  const isEmpty = data.kind === "object" && data.entries.length === 0;
  const plain = optimized || isEmpty ? planned.policy : foldData(planned.policy, data);
  const first = optimized ? undefined : emitModule(plain);
  // What is beyond the limits as it stands may be within them when optimised.
  const emitted = first?.bytes ? first : emitModule(optimize(planned.policy, { data, callBuiltin }));
  return emitted.bytes === undefined ? { diagnostics: emitted.diagnostics } : { wasm: await sealModule(emitted.bytes) };
}

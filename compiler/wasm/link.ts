/**
 * The runtime library as the beginning of a policy's module: read once per compilation, with every export turned into a
 * function that compiled code can call by name. Builtins that the policy does not name are emptied before binaryen has to
 * read them; other functions that the policy does not reach are cut out in the end.
 */

import { RTLIB_BASE } from "@portcullis/runtime/abi";
import { assert } from "../base/assert.ts";
import { binaryen, dataSegments, exportsOf, features, type WasmModule } from "./binaryen.ts";
import { isNative, nativeName } from "./native-builtins.ts";
import { rtlibBytes } from "./rtlib-instance.ts";
import { clearUnused, withoutUnused } from "./rtlib-prune.ts";

export interface Rtlib {
  readonly module: WasmModule;
  /** Internal name of the memory. */
  readonly memory: string;
  /** Initial data, which stands at RTLIB_BASE. */
  readonly data: Uint8Array;
  /** The internal name of a function of rtlib. */
  call(name: string): string;
}

/** Globals of rtlib that compiled code uses directly. */
export const STEPS_LEFT = "budget/stepsLeft";
export const MEMO_FRAME = "evaluation/memoFrame";
export const MEMO_EPOCH = "evaluation/memoEpoch";

/** `builtins`: those of the policy; others cannot be called. */
export function readRtlib(builtins: readonly string[]): Rtlib {
  const needed = new Set(builtins.filter(isNative).map(nativeName));
  const module = binaryen.readBinary(withoutUnused(rtlibBytes(), needed));
  module.setFeatures(features());
  const data = joinSegments(module);
  clearUnused(data, RTLIB_BASE, needed);
  const names = exportsOf(module);
  for (const name of names.keys()) module.removeExport(name);
  for (const global of [STEPS_LEFT, MEMO_FRAME, MEMO_EPOCH])
    assert(module.getGlobal(global) !== 0, `rtlib lacks ${global}`);
  return {
    module,
    memory: "mimport$0",
    data,
    call(name) {
      const internal = names.get(name);
      assert(internal !== undefined, `rtlib lacks ${name}`);
      return internal;
    },
  };
}

function joinSegments(module: WasmModule): Uint8Array {
  const segments = dataSegments(module);
  const end = Math.max(RTLIB_BASE, ...segments.map((s) => s.offset + s.data.length));
  const data = new Uint8Array(end - RTLIB_BASE);
  for (const s of segments) data.set(s.data, s.offset - RTLIB_BASE);
  return data;
}

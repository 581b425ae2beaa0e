/**
 * The runtime library as the beginning of a policy's module, with every export turned into a
 * function that compiled code can call by name. Functions that the policy does not reach are left out in the end.
 */

import { RTLIB_BASE } from "@portcullis/runtime/abi";
import { assert } from "../diagnostics/index.ts";
import { type Library, type LibraryFunc, readLibrary } from "./module/library.ts";
import { ModuleBuilder } from "./module/module.ts";
import { isNative, nativeName } from "./native-builtins.ts";
import { RTLIB_DATA, RTLIB_SEGMENTS } from "./rtlib.embedded.ts";
import { rtlibBytes } from "./rtlib-instance.ts";

export interface Rtlib {
  readonly module: ModuleBuilder;
  /** Initial data, which stands at RTLIB_BASE. */
  readonly data: Uint8Array;
  /** The internal name of a function of rtlib. */
  call(name: string): string;
}

/** Globals of rtlib that compiled code uses directly. */
export const STEPS_LEFT = "budget/stepsLeft";
export const MEMO_FRAME = "evaluation/memoFrame";
export const HEAP_POINTER = "memory/heapPointer";
export const HEAP_FLOOR = "memory/heapFloor";
export const RECLAIM_FROM = "memory/reclaimFrom";
export const MEMO_EPOCH = "evaluation/memoEpoch";

/** The size that memory has before the module grows it: hosts create it, some with 5 pages and no more. */
const INITIAL_PAGES = 2;

/** Read once a process. Nothing writes to it. */
let known: Library | undefined;

/** `builtins`: those of the policy; data that only others need is cleared. */
export function readRtlib(builtins: readonly string[]): Rtlib {
  known ??= readLibrary(rtlibBytes());
  const library = known;
  const data = joinSegments(library.data);
  clearUnused(data, new Set(builtins.filter(isNative).map(nativeName)));
  return {
    module: new ModuleBuilder(library, INITIAL_PAGES),
    data,
    call(name) {
      const number = library.exports.get(name);
      assert(number !== undefined, `rtlib lacks ${name}`);
      return (library.funcs[number] as LibraryFunc).name;
    },
  };
}

/** Exports that are kept only where they are asked for: builtins, and functions that the compiler calls while it compiles. */
const OPTIONAL = /^(?:builtin|build)_/;

/** Data that only other `builtins` (names of exports) need becomes zero, which the module does not have to carry. */
function clearUnused(data: Uint8Array, builtins: ReadonlySet<string>): void {
  const needed = new Set(
    Object.entries(RTLIB_DATA).flatMap(([name, segments]) =>
      !OPTIONAL.test(name) || builtins.has(name) ? segments : [],
    ),
  );
  for (const [i, [start, end]] of RTLIB_SEGMENTS.entries())
    if (!needed.has(i)) data.fill(0, start - RTLIB_BASE, end - RTLIB_BASE);
}

function joinSegments(segments: Library["data"]): Uint8Array {
  const end = Math.max(RTLIB_BASE, ...RTLIB_SEGMENTS.map(([, behind]) => behind));
  const data = new Uint8Array(end - RTLIB_BASE);
  for (const s of segments) data.set(s.bytes, s.address - RTLIB_BASE);
  return data;
}

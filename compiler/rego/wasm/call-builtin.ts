/** Builtins called by the compiler itself, with constants. */

import type { BuiltinCall } from "../optimize/index.ts";
import { builtin } from "../syntax/index.ts";
import { isNative, nativeName } from "./native-builtins.ts";
import { runningRtlib } from "./rtlib-instance.ts";

/** The budget of one call: constants are small, and dear calls are left to evaluations. */
const STEPS = 100_000;
const MEMORY = 1 << 20;

/** Calls within a budget of each; "unknown" beyond it, and for what the library lacks. */
export function builtinCaller(steps: number, memory: number): BuiltinCall {
  return (name, args, took) => {
    if (!isNative(name) || builtin(name)?.nondeterministic !== false) return "unknown";
    const rtlib = runningRtlib();
    const found = rtlib.within(steps, memory, () => {
      const addresses = args.map((arg) => rtlib.write(arg));
      if (addresses.includes(0)) return "unknown";
      const result = rtlib.call(nativeName(name), ...addresses);
      took?.(rtlib.call("spent"));
      return result === 0 ? { value: undefined } : { value: rtlib.read(result) };
    });
    return found === undefined || found === "unknown" ? "unknown" : found.value;
  };
}

export const callBuiltin = builtinCaller(STEPS, MEMORY);

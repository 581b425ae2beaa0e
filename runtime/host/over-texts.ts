/** Builtins over value texts: how a module calls them. Fetched for policies that have builtins of the host. */

import type { HostBuiltin, SuppliedBuiltin } from "./builtin.ts";
import { BYTE_BUILTINS, holdsBytes } from "./bytes.ts";
import { fromText, toText } from "./text.ts";

/** The call throws what the builtin throws, and an Error for an operand that cannot be read. */
export function overTexts(name: string, builtin: HostBuiltin): SuppliedBuiltin {
  const takesBytes = BYTE_BUILTINS.has(name);
  const call: SuppliedBuiltin["call"] = (args) => {
    const result = builtin(
      args.map((text) => {
        const value = fromText(text);
        if (value === undefined) throw new Error("it was called with a value that cannot be read");
        if (!takesBytes && text.includes("\\udc") && holdsBytes(value))
          throw new Error("it was called with a string that is not UTF-8");
        return value;
      }),
    );
    return result === undefined ? undefined : toText(result);
  };
  if (builtin.sample) call(builtin.sample);
  return { name, call };
}

/** Which builtins rtlib has, and under which name; without the back end, so that the front end can ask. */

import { builtins } from "../syntax/index.ts";
import { RTLIB_BUILTINS } from "./rtlib.embedded.ts";

const nativeNames = new Set(RTLIB_BUILTINS);

/** The export of rtlib that does a builtin's work. */
function exportOf(builtin: string): string {
  return builtin.replace(/[^A-Za-z0-9]/g, "_");
}

/** Whether rtlib has this builtin. The name of an author's own may look like an export: `array_concat` is not `array.concat`. */
export function isNative(builtin: string): boolean {
  return nativeNames.has(exportOf(builtin)) && builtins().has(builtin);
}

/** The name under which `Rtlib.call` knows a native builtin. */
export function nativeName(builtin: string): string {
  return `builtin_${exportOf(builtin)}`;
}

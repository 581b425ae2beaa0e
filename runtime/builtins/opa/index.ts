/** opa.runtime: the host's description of itself. */

import type { BuiltinFamily } from "@portcullis/runtime/host";
import { family } from "../family.ts";

/**
 * `opa.runtime`, from `sources.runtime`; without that source it is missing, and `load` refuses a policy that calls it.
 */
export const opa: BuiltinFamily = family(({ runtime }) =>
  runtime === undefined ? {} : { "opa.runtime": () => runtime },
);

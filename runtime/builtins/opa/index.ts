/** opa.runtime: the host's description of itself. */

import type { BuiltinFamily } from "@portcullis/runtime/host";
import { family } from "../family.ts";

export const opa: BuiltinFamily = family(({ runtime }) =>
  runtime === undefined ? {} : { "opa.runtime": () => runtime },
);

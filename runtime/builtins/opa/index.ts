/** opa.runtime: what the host says of itself. */

import { family } from "../family.ts";

export const opa = family(({ runtime }) => (runtime === undefined ? {} : { "opa.runtime": () => runtime }));

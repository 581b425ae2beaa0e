/** The builtins that the reference interpreter knows: the core of the language, enough to test what calls them. */

import { collections } from "./collections.ts";
import { numbers } from "./numbers.ts";
import type { Builtin } from "./operands.ts";
import { strings } from "./strings.ts";

export const builtins: ReadonlyMap<string, Builtin> = new Map(
  [numbers, collections, strings].flatMap((group) => Object.entries(group)),
);

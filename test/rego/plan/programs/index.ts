/** All small policies. */

import { heads } from "./heads.ts";
import { iteration } from "./iteration.ts";
import { negation } from "./negation.ts";
import type { Program } from "./program.ts";
import { rules } from "./rules.ts";
import { values } from "./values.ts";
import { withModifiers } from "./with.ts";

export type { Program } from "./program.ts";

export const programs: readonly Program[] = [
  ...rules,
  ...heads,
  ...negation,
  ...iteration,
  ...withModifiers,
  ...values,
];

/** All mistakes: each is a set of files, and the one finding that it deserves. */

import type { Mistake } from "./hospital.ts";
import { MISTAKES_OF_ARGUMENTS } from "./mistakes-of-arguments.ts";
import { MISTAKES_OF_FORM } from "./mistakes-of-form.ts";
import { MISTAKES_OF_HABIT } from "./mistakes-of-habit.ts";
import { MISTAKES_OF_HELPERS } from "./mistakes-of-helpers.ts";
import { MISTAKES_OF_LOGIC } from "./mistakes-of-logic.ts";
import { MISTAKES_OF_MEANING } from "./mistakes-of-meaning.ts";
import { MISTAKES_OF_ORDERS } from "./mistakes-of-orders.ts";
import { MISTAKES_OF_PLACE } from "./mistakes-of-place.ts";
import { MISTAKES_OF_REQUIREMENTS } from "./mistakes-of-requirements.ts";
import { MISTAKES_OF_ROWS } from "./mistakes-of-rows.ts";
import { MISTAKES_OF_RULES } from "./mistakes-of-rules.ts";
import { MISTAKES_OF_SILENCE } from "./mistakes-of-silence.ts";
import { MISTAKES_OF_TESTS } from "./mistakes-of-tests.ts";
import { MISTAKES_OF_VALUES } from "./mistakes-of-values.ts";

export const MISTAKES: readonly Mistake[] = [
  ...MISTAKES_OF_FORM,
  ...MISTAKES_OF_MEANING,
  ...MISTAKES_OF_HABIT,
  ...MISTAKES_OF_PLACE,
  ...MISTAKES_OF_LOGIC,
  ...MISTAKES_OF_ORDERS,
  ...MISTAKES_OF_REQUIREMENTS,
  ...MISTAKES_OF_ROWS,
  ...MISTAKES_OF_RULES,
  ...MISTAKES_OF_SILENCE,
  ...MISTAKES_OF_HELPERS,
  ...MISTAKES_OF_VALUES,
  ...MISTAKES_OF_TESTS,
  ...MISTAKES_OF_ARGUMENTS,
];

/** What `serve` answers, and to whom. */
import type { Check } from "./check.ts";
import { answerChecks } from "./served-answers.ts";
import { callChecks } from "./served-calls.ts";
import { envoyChecks } from "./served-checks.ts";

export function checks(): readonly Check[] {
  return [...envoyChecks(), ...answerChecks(), ...callChecks()];
}

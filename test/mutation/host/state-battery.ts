/** Both sides of a state that another user keeps. */
import type { Check } from "./check.ts";
import { keptStateChecks } from "./kept-states.ts";
import { remoteStateChecks } from "./remote-states.ts";

export function checks(): readonly Check[] {
  return [...keptStateChecks(), ...remoteStateChecks()];
}

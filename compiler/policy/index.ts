/** What holds for rules by the names that they have: entrypoints, what authors may write, and denials. */

export { checkAuthoredRules } from "./authored-rules.ts";
export { denialsOf } from "./denials.ts";
export { chooseEntrypoints } from "./entrypoints.ts";

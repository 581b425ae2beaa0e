/** Files that are formatted otherwise than by OPA, and why. An entry that is formatted alike is one to delete. */

const GIVES_UP =
  "OPA meets a comment where it expects none, and leaves the rule as it was written: spaces for tabs, no commas behind the last items.";
const LOSES_MEANING =
  "OPA leaves out the parentheses of `(false in xs) == false`; without them it reads `false in (xs == false)`, which is another question.";

const scuba = (reason: string, ...files: readonly string[]): (readonly [string, string])[] =>
  files.map((file) => [`ScubaGoggles/scubagoggles/${file}`, reason]);

export const exceptions: ReadonlyMap<string, string> = new Map([
  ...scuba(
    GIVES_UP,
    "Testing/Unit/Rego/assuredcontrols/assuredcontrols02_test.rego",
    "Testing/Unit/Rego/commoncontrols/commoncontrols_api01_test.rego",
    "Testing/Unit/Rego/commoncontrols/commoncontrols_api10_test.rego",
    "Testing/Unit/Rego/commoncontrols/commoncontrols_api13_test.rego",
    "Testing/Unit/Rego/gmail/gmail_api18_test.rego",
  ),
  ...scuba(
    LOSES_MEANING,
    "rego/Assuredcontrols.rego",
    "rego/Commoncontrols.rego",
    "rego/Gemini.rego",
    "rego/Meet.rego",
  ),
]);

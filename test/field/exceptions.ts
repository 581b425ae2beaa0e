/** Files that are formatted otherwise than by OPA, and why. An entry that is formatted alike is one to delete. */

const GIVES_UP =
  "OPA meets a comment where it expects none, and leaves the rule as it was written: spaces for tabs, no commas behind the last items.";
const LOSES_MEANING =
  "OPA leaves out the parentheses of `(false in xs) == false`; without them it reads `false in (xs == false)`, which is another question.";
const LOSES_MODIFIERS =
  "OPA meets a comment in an argument, and leaves out the `with` behind the call, and comments of the rule: that is another question.";
const SPLITS_MODIFIERS = "OPA meets a comment between modifiers, and writes `with`, tabs, and then the target.";
const NOT_SETTLED = "OPA puts more parentheses around its own text when it formats that; here they are there at once.";

const conforma = (reason: string, ...files: readonly string[]): (readonly [string, string])[] =>
  files.map((file) => [`conforma/policy/${file}_test.rego`, reason]);
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
  ...conforma(
    LOSES_MODIFIERS,
    "pipeline/task_bundle/task_bundle",
    "release/test/test",
    "release/trusted_task/trusted_task",
    "task/step_image_registries/step_image_registries",
  ),
  ...conforma(SPLITS_MODIFIERS, "release/git_branch/git_branch"),
  ["k8s-security-policies/policies/CIS.1.3.4/CIS.1.3.4.rego", GIVES_UP],
  ["k8s-security-policies/policies/CIS.1.3.5/CIS.1.3.5.rego", GIVES_UP],
  ["ScubaGear/PowerShell/ScubaGear/Rego/Utils/Defender.rego", NOT_SETTLED],
]);

/** The deterministic harness: `runHarness`, `verifyHarness`, and the text of their files. */

export type { Writable } from "../../json/canonical-json.ts";
export { type ExactJson, type ExactNumber, type ExactObject, JsonTextError } from "../../json/exact-json.ts";
export { InvalidRequest } from "./request.ts";
export {
  type HarnessDecider,
  type HarnessFormat,
  type HarnessOptions,
  type HarnessRun,
  harnessText,
  runHarness,
} from "./run.ts";
export { type HarnessDifference, type HarnessVerification, verifyHarness } from "./verify.ts";

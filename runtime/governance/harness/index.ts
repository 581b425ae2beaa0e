/** The deterministic harness: `runHarness`, `verifyHarness`, and the text of their files. */

export type { Writable } from "../../json/index.ts";
export { type ExactJson, type ExactNumber, type ExactObject, JsonTextError } from "../../json/index.ts";
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

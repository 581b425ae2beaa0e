/** Evaluation of a loaded module that never throws. */

export { ModuleEvaluator } from "./evaluate.ts";
export { DEFAULT_LIMITS, type Limits } from "./instance.ts";

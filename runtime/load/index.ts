/** From bytes to a policy. */

export { holdSequence, LOAD_OPTIONS, type LoadOptions, load } from "./load.ts";
export type { PolicySource } from "./source.ts";

/** The decision library: gates in Rego, and the schemas of what they read. */

export { adapterModules, libraryModules, librarySchemas } from "./library.embedded.ts";

/** Entrypoints whose answers are no verdicts: what an evaluation asks about, and which actions are mapped. */
export const TOLD = ["portcullis/authzen/asked", "portcullis/authzen/actions"] as const;

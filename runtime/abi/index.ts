/** The contract between a compiled policy and the code around it: the layout of its memory and its custom sections. */

export { hostBuiltinNames } from "../host/families.ts";
export * from "./decisions.ts";
export type { PortcullisExports } from "./exports.ts";
export * from "./gates.ts";
export * from "./layout.ts";
export * from "./section.ts";
export * from "./sources.ts";

/** The syntax of Rego for tools that read modules and do not compile them. */

export * from "./rego/index.ts";
export { children } from "./rego/visit.ts";

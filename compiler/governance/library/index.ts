/** The decision library: gates in Rego, and the schemas of what they read. */

export { adapterModules, libraryModules, librarySchemas } from "./library.embedded.ts";

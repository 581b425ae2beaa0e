/** ROOM */

export { adapterModules, libraryModules, librarySchemas, libraryTrees } from "./library.embedded.ts";

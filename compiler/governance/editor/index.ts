/** What editors need: the schemas of every file format, and the language server. */

export { type Machine, serve } from "./language-server/index.ts";
export { FILE_FORMATS, type FileFormat, type FormatName, schemaText, schemaUrl } from "./schemas.ts";

/** What editors need: the schemas of every file format, and the language server. */

export { FILE_FORMATS, type FileFormat, type FormatName, schemaText, schemaUrl } from "./schemas.ts";

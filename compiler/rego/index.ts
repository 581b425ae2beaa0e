/** The front end of Rego v1: text to syntax tree and back, and the facts of the language's builtins. */

export { annotationValue } from "./annotations.ts";
export type * from "./ast.ts";
export { moduleToJson } from "./ast-json.ts";
export { CapabilitiesError, readCapabilities, withDeclared } from "./capabilities.ts";
export { checkAbi, type Language, readLanguage, V1_KEYWORDS, V2_KEYWORDS } from "./language.ts";
export { packTree, unpackTree } from "./packed-tree.ts";
export { type ParsedModule, type ParsedQuery, parseAs, parseModule, parseQuery } from "./parser.ts";
export type { LanguageImports } from "./print-imports.ts";
export { type FormattedModule, formatModule, formatted, printModule } from "./printer.ts";
export { isKeyword } from "./token.ts";
export { children } from "./visit.ts";
export { type Word, wordsOf } from "./words.ts";

/** The front end of Rego v1: text to syntax tree and back, and the facts of the language's builtins. */

export { annotationValue } from "./annotations.ts";
export type * from "./ast.ts";
export {
  type AnnotationBlock,
  type ArrayComprehension,
  type ArrayTerm,
  type Body,
  type Call,
  type Constant,
  type Every,
  type Expr,
  type ExprBody,
  type Import,
  isTerm,
  type Logical,
  type Module,
  type Node,
  type Not,
  type ObjectComprehension,
  type ObjectTerm,
  type Ref,
  type Rule,
  type Scalar,
  type SchemaAnnotation,
  type SetComprehension,
  type SomeDecl,
  type TemplateString,
  type Term,
  type Var,
  type With,
} from "./ast.ts";
export { moduleToJson } from "./ast-json.ts";
export { type BuiltinParameter, type BuiltinType, type Declaration, printBuiltinType } from "./builtin-types.ts";
export { type Builtin, type Builtins, builtin, builtins } from "./builtins.ts";
export { CapabilitiesError, readCapabilities, withDeclared } from "./capabilities.ts";
export { codes } from "./codes.ts";
export { type Expected, expectedAfter } from "./expected.ts";
export { isJson, jsonValue, notedJson, scalarValue } from "./json-terms.ts";
export { isKeyword, V1_KEYWORDS, V2_KEYWORDS } from "./keywords.ts";
export { checkAbi, type Language, readLanguage } from "./language.ts";
export {
  type Metadata,
  type ParsedModule,
  type ParsedQuery,
  parseAs,
  parseModule,
  parseQuery,
  readParts,
} from "./parser.ts";
export type { LanguageImports } from "./print-imports.ts";
export { type FormattedModule, formatModule, formatted, printModule } from "./printer.ts";
export { numberKey, termKey } from "./term-key.ts";
export { isCollection, isConstant, isScalar } from "./term-kinds.ts";
export { children, eachNode, eachTerm, type Mapper, mapChildren, mapList, mapStatement, terms } from "./visit.ts";
export { type Word, wordsOf } from "./words.ts";

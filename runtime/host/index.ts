/** The interface between a module and the builtins of its host: values, their text, their order, and the builtins' types. */

export type {
  Answers,
  BuiltinFamily,
  BuiltinTable,
  EvaluationSources,
  HostBuiltin,
  HostSources,
  PlainBuiltin,
  PlainBuiltins,
} from "./builtin.ts";
export {
  compareNumbers,
  type Decimal,
  inInt64,
  isInteger,
  operandInt64,
  parseDecimal,
  plainInt64,
  toBigInt,
} from "./decimal.ts";
export { hostBuiltinNames, type Supplier, suppliers } from "./families.ts";
export { compareStrings, compareValues, type Entry, equalValues, sorted, sortedEntries } from "./order.ts";
export { fromPlain, type PlainValue, toPlain } from "./plain-value.ts";
export { openSession, type SourceSession } from "./session.ts";
export { sha256 } from "./sha256.ts";
export { fromJson, fromText, type JsonStyle, plain, stringKeyed, toJson, toText, wellFormed } from "./text.ts";
export {
  emptyObject,
  HostNumber,
  int,
  isArray,
  isNumber,
  isObject,
  isSet,
  type JsonArray,
  type JsonLike,
  type JsonObject,
  type JsonSet,
  object,
} from "./value.ts";

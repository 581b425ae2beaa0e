/** JSON that loses nothing: exact, strict and canonical. */

export { canonicalHash, canonicalJson, prettyJson, type Writable } from "./canonical-json.ts";
export {
  type ExactJson,
  type ExactNumber,
  type ExactObject,
  JsonTextError,
  MAX_JSON_DEPTH,
  parseExactJson,
  wellFormed,
} from "./exact-json.ts";
export { strictJson } from "./strict-json.ts";

// What the linker sees of rtlib: the functions that compiled code calls, the exports of the OPA ABI, and the builtins.
// Whatever a policy does not reach is cut out of its module.

export { constantGet, constantMember, dot, dotText, lengthValue, scanCount, scanItems, withPath } from "./access";
export { arrayPush, newArray, newList } from "./array";
export { charge, exhausted, setBudget, spent } from "./budget";
export { build_glob } from "./builtins/glob";
export * from "./builtins/index";
export { build_regex } from "./builtins/regex/compile";
export { build_replacements } from "./builtins/replace-many";
export { occurs } from "./builtins/search";
export { equal } from "./compare";
export { opa_json_dump, opa_value_dump } from "./dump";
export {
  begin,
  beginAt,
  closeEval,
  illegalEntrypoint,
  initialize,
  opa_eval_ctx_get_result,
  opa_eval_ctx_new,
  opa_eval_ctx_set_data,
  opa_eval_ctx_set_entrypoint,
  opa_eval_ctx_set_input,
  openEval,
  pushMemo,
  readInput,
} from "./evaluation";
export { abortConflict, opaBuiltin0, opaBuiltin1, opaBuiltin2, opaBuiltin3, opaBuiltin4 } from "./host";
export {
  opa_free,
  opa_heap_blocks_restore,
  opa_heap_blocks_stash,
  opa_heap_ptr_get,
  opa_heap_ptr_set,
  opa_heap_stash_clear,
  opa_malloc,
  releaseTurn,
  setCeiling,
} from "./memory";
export { newInt } from "./number";
export { sameElements } from "./same-elements";
export { insertOnce, mergeObjects, newObject, newRecord, objectPut } from "./object";
export { opa_json_parse, opa_value_parse } from "./parse";
export { opa_value_add_path, opa_value_free, opa_value_remove_path } from "./path";
export { longestPrefix } from "./prefix-tree";
export { recallResult, rememberResult } from "./results";
export { newSet, setAdd, sortSet } from "./set";
export { portcullis_index } from "./table";
export { unpack } from "./unpack";

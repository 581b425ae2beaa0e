// Every builtin that rtlib has: what is exported here is native, by its name alone.

export * from "./aggregates";
export * from "./arithmetic";
export * from "./base64";
export * from "./bits";
export * from "./cidr";
export * from "./cidr-merge";
export * from "./comparison";
export * from "./glob";
export * from "./globs-match";
export * from "./graph";
export * from "./hex";
export { builtin_json_filter, builtin_json_remove } from "./json-paths";
export * from "./json-patch";
export * from "./json-text";
export * from "./letter-case";
export * from "./match-any";
export * from "./number-text";
export * from "./objects";
export * from "./ranges";
export * from "./regex";
export * from "./replace-many";
export * from "./semver";
export { builtin_sprintf } from "./sprintf";
export * from "./split-n";
export * from "./template-string";
export * from "./types";
export * from "./units";
export * from "./urlquery";
export * from "./uuid";
export * from "./walk";
export {
  builtin_array_concat,
  builtin_array_flatten,
  builtin_array_reverse,
  builtin_array_slice,
} from "./arrays";
export { builtin_and, builtin_intersection, builtin_or, builtin_set_diff, builtin_union } from "./sets";
export {
  builtin_concat,
  builtin_contains,
  builtin_endswith,
  builtin_indexof,
  builtin_indexof_n,
  builtin_replace,
  builtin_split,
  builtin_startswith,
  builtin_strings_count,
  builtin_strings_reverse,
  builtin_substring,
} from "./strings";
export {
  builtin_trim,
  builtin_trim_left,
  builtin_trim_prefix,
  builtin_trim_right,
  builtin_trim_space,
  builtin_trim_suffix,
} from "./trim";

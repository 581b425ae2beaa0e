/** Documents that people write: YAML, TOML, JSON and front matter as trees in which every node has its place. */

export { didYouMean, failure, type Result, SourceFile, type Span, success } from "@portcullis/rego/diagnostics";
export { isJson, isJsonObject } from "@portcullis/rego/value";
export { BUILD_OUTPUT } from "./build-output.ts";
export { documentsCodes } from "./codes.ts";
export { splitFrontMatter } from "./front-matter.ts";
export type { Host } from "./host.ts";
export { parseJson } from "./json.ts";
export { hiddenCharacter, mergeConflict, syntaxCauses } from "./text-faults.ts";
export { parseToml } from "./toml.ts";
export * from "./tree.ts";
export { decodeSource } from "./utf8.ts";
export { parseYaml } from "./yaml.ts";

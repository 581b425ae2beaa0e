/** ROOM */

export { didYouMean, failure, type Result, SourceFile, type Span, success } from "@portcullis/rego/diagnostics";
export { isJson, isJsonObject } from "@portcullis/rego/value";
export { BUILD_OUTPUT } from "./build-output.ts";
export { splitFrontMatter } from "./front-matter.ts";
export type { Host } from "./host.ts";
export { parseJson } from "./json.ts";
export { nodeHost } from "./node.ts";
export { mergeConflict, syntaxCauses } from "./text-faults.ts";
export { parseToml } from "./toml.ts";
export { describeKind, entryOf, type MappingEntry, type SourceNode, toPlain } from "./tree.ts";
export { decodeSource } from "./utf8.ts";
export { parseYaml } from "./yaml.ts";

/** The sources stage: `loadSources` and the types of its result. */

export type { AgentHeader, AgentType, Written } from "./agent-header.ts";
export { sourcesCodes } from "./codes.ts";
export { parseJson } from "./json.ts";
export { type LoadOptions, type LoadResult, loadSources, type ReadSource, type SourceCache } from "./load.ts";
export { recognise, type SourceKind } from "./recognise.ts";
export { readRegoVersions } from "./rego-versions.ts";
export type { SchemaName } from "./schema-check.ts";
export { SCHEMAS } from "./schemas.ts";
export type {
  AgentSource,
  DataSource,
  Note,
  Origin,
  RegoSource,
  SampleSource,
  SourceDocument,
  SourceSet,
} from "./source-set.ts";
export { syntaxCauses } from "./text-faults.ts";
export * from "./tree.ts";
export { parseYaml } from "./yaml.ts";

/** The sources stage: `loadSources` and the types of its result. */

export * from "@portcullis/documents";
export { parseJson, parseYaml, syntaxCauses } from "@portcullis/documents";
export type { AgentHeader, AgentType, Written } from "./agent-header.ts";
export { report, sourcesCodes } from "./codes.ts";
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

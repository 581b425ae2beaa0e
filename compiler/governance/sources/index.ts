/** The sources stage: `loadSources` and the types of its result. */

export * from "@portcullis/documents";
export { parseJson, parseYaml, syntaxCauses } from "@portcullis/documents";
export type { AgentHeader, AgentType, Written } from "./agent-header.ts";
export { sourcesCodes, sourcesDiagnostic } from "./codes.ts";
export { APPROVER } from "./fields/approvers.ts";
export { EXEC } from "./fields/exec.ts";
export {
  EFFECTS,
  type Effect,
  type Field,
  type Fields,
  type Leaf,
  type Named,
  type Rows,
  type Section,
  type Values,
} from "./fields/field.ts";
export { HANDOFF } from "./fields/handoff.ts";
export { LANE } from "./fields/lanes.ts";
export { LIMIT } from "./fields/limits.ts";
export { MANIFEST } from "./fields/manifest.ts";
export { type Camel, type NameOf, type Placed, type PlacedIn, pathsOf, placedIn } from "./fields/placed.ts";
export { ROLE } from "./fields/roles.ts";
export { SETTINGS } from "./fields/settings.ts";
export { IMPLEMENTATION_STATUSES, TOOL } from "./fields/tool-registry.ts";
export { type LoadOptions, type LoadResult, loadSources, type ReadSource, type SourceCache } from "./load.ts";
export { recognise, type SourceKind } from "./recognise.ts";
export { type RegoVersions, readRegoVersions } from "./rego-versions.ts";
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

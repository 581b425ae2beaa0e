/** Every file format with its JSON Schema: what `portcullis schema` prints, and what the language server hovers and completes by. */

import { SCHEMAS, type SchemaName } from "../sources/index.ts";
import agent from "./schema/agent.json" with { type: "json" };
import claims from "./schema/claims.json" with { type: "json" };

export type FormatName = SchemaName | "agent" | "claims";

export interface FileFormat {
  readonly name: FormatName;
  /** The files that have this format, for people. */
  readonly files: string;
  /** JSON Schema, draft 2020-12. */
  readonly schema: object;
}

const FILES: { readonly [N in FormatName]: string } = {
  settings: "portcullis.yaml",
  roles: "roles.yaml",
  lanes: "lanes.yaml",
  tool_registry: "tool_registry.yaml",
  approvers: "approvers.yaml",
  agent: "front matter of AGENT_<NAME>.md",
  manifest: "*.manifest.yaml, *.manifest.toml, manifests/*",
  handoff: "handoff.yaml",
  exec: "exec.yaml",
  limits: "limits.yaml",
  tests: "tests/*.yaml",
  claims: "claims for `portcullis prove --claims`",
};

export const FILE_FORMATS: readonly FileFormat[] = (Object.keys(FILES) as FormatName[]).map((name) => ({
  name,
  files: FILES[name],
  schema: { ...SCHEMAS, agent, claims }[name],
}));

/** Where the published package of a version has the schema of a format. */
export function schemaUrl(name: FormatName, version: string): string {
  return `https://unpkg.com/@portcullis/compiler@${version}/dist/schemas/${name}.json`;
}

/** The text of a schema's file. */
export function schemaText({ schema }: FileFormat): string {
  return `${JSON.stringify(schema, null, 2)}\n`;
}

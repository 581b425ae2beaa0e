/** The JSON Schemas of policy files, as objects: what `schema-check.ts` checks, for editors and other tools. */

import { APPROVERS } from "./fields/approvers.ts";
import { EXEC } from "./fields/exec.ts";
import { HANDOFF } from "./fields/handoff.ts";
import { schemaOf } from "./fields/json-schema.ts";
import { LANES } from "./fields/lanes.ts";
import { LIMITS } from "./fields/limits.ts";
import { MANIFEST } from "./fields/manifest.ts";
import { ROLES } from "./fields/roles.ts";
import { SETTINGS } from "./fields/settings.ts";
import { TOOL_REGISTRY } from "./fields/tool-registry.ts";
import tests from "./schema/tests.json" with { type: "json" };
import type { SchemaName } from "./schema-check.ts";

export const SCHEMAS: { readonly [N in SchemaName]: object } = {
  settings: schemaOf("settings", "portcullis.yaml", SETTINGS),
  roles: schemaOf("roles", "roles.yaml", ROLES),
  lanes: schemaOf("lanes", "lanes.yaml", LANES),
  tool_registry: schemaOf("tool_registry", "tool_registry.yaml", TOOL_REGISTRY),
  approvers: schemaOf("approvers", "approvers.yaml", APPROVERS),
  manifest: schemaOf("manifest", "*.manifest.yaml, *.manifest.toml, manifests/*", MANIFEST),
  handoff: schemaOf("handoff", "handoff.yaml", HANDOFF),
  exec: schemaOf("exec", "exec.yaml", EXEC),
  limits: schemaOf("limits", "limits.yaml", LIMITS),
  // Tests of decisions are no part of a policy.
  tests,
};

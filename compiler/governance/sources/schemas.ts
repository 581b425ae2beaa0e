/** The JSON Schemas of policy files, as objects: what `schema-check.ts` checks, for editors and other tools. */

import exec from "./schema/exec.json" with { type: "json" };
import handoff from "./schema/handoff.json" with { type: "json" };
import lanes from "./schema/lanes.json" with { type: "json" };
import manifest from "./schema/manifest.json" with { type: "json" };
import roles from "./schema/roles.json" with { type: "json" };
import settings from "./schema/settings.json" with { type: "json" };
import tests from "./schema/tests.json" with { type: "json" };
import tool_registry from "./schema/tool_registry.json" with { type: "json" };
import type { SchemaName } from "./schema-check.ts";

export const SCHEMAS: { readonly [N in SchemaName]: object } = {
  settings,
  roles,
  lanes,
  tool_registry,
  manifest,
  handoff,
  exec,
  tests,
};

/** YAML as JSON text, for readers that know JSON alone. */

import { SourceFile } from "@portcullis/rego/diagnostics";
import { jsonText } from "@portcullis/rego/value";
import { toValue } from "./tree.ts";
import { parseYaml } from "./yaml.ts";

/** Canonical JSON of a YAML text, numbers as they are written; `undefined` for a text with faults. */
export function yamlAsJson(text: string): string | undefined {
  const { root, diagnostics } = parseYaml(new SourceFile("data.yaml", text));
  return root === undefined || diagnostics.some((d) => d.severity === "error") ? undefined : jsonText(toValue(root));
}

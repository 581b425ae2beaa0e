/** Agent types that manifests and settings refer to: each must have a manifest; each should be reachable. */

import { type Diagnostic, didYouMean, type Suggestion } from "@portcullis/rego/diagnostics";
import { modelDiagnostic } from "../codes.ts";
import type { Model } from "../model.ts";

export function* spawnTargets(model: Model): Iterable<Diagnostic> {
  const complete = model.complete.has("manifest");
  const known = model.manifests;
  if (complete || !model.present.has("manifest")) {
    for (const root of model.settings.lineage.roots) {
      if (!known.has(root.name))
        yield modelDiagnostic(
          "model/root-undefined",
          { type: root.name },
          root.span,
          whereItIs(root.name, known.keys()),
        );
    }
  }
  if (!complete) return;
  const spawnable = new Set<string>();
  for (const { type, canSpawn } of known.values()) {
    for (const target of canSpawn) {
      // That a type can spawn itself does not bring the first of its kind into being.
      if (target.name !== type.name) spawnable.add(target.name);
      if (known.has(target.name)) continue;
      const params = { type: type.name, target: target.name };
      yield modelDiagnostic("model/spawn-target-undefined", params, target.span, whereItIs(target.name, known.keys()));
    }
  }
  const roots = new Set(model.settings.lineage.roots.map((r) => r.name));
  for (const { type } of known.values()) {
    if (!spawnable.has(type.name) && !roots.has(type.name))
      yield modelDiagnostic("model/type-not-spawnable", { type: type.name }, type.span);
  }
}

/** The name that was meant, or else where the manifest of this one would be found. */
function whereItIs(name: string, known: Iterable<string>): Suggestion {
  const near = didYouMean(name, known);
  if (near.meant !== undefined || !/^[\w.-]+$/.test(name)) return near;
  return { help: `a manifest is \`manifests/${name}.yaml\`, or anywhere \`${name}.manifest.yaml\`; .toml too` };
}

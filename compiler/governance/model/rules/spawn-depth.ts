/** Depth limits under which a listed spawn can never happen (lineage specification, SPAWN_DEPTH with DEPTH_POSITION). */

import type { Diagnostic } from "@portcullis/rego/diagnostics";
import { modelDiagnostic } from "../codes.ts";
import type { Model } from "../model.ts";

export function* spawnDepth(model: Model): Iterable<Diagnostic> {
  // A reported depth need not be the position, so nothing is impossible.
  if (model.settings.lineage.depth === "reported") return;
  const depths = leastDepths(model);
  for (const { type, canSpawn, maxSpawnDepth, limitSpan } of model.manifests.values()) {
    const depth = (depths.get(type.name) ?? 0) + 1;
    if (canSpawn.length > 0 && depth > maxSpawnDepth) {
      yield modelDiagnostic("model/spawn-depth-impossible", { type: type.name, depth, max: maxSpawnDepth }, limitSpan);
    }
  }
}

/** The least depth at which each type can stand. Any type may start a chain, unless the policy names its roots. */
function leastDepths({ manifests, settings }: Model): ReadonlyMap<string, number> {
  const { roots } = settings.lineage;
  const queue = roots.length > 0 ? roots.map((r) => r.name) : [...manifests.keys()];
  const depths = new Map(queue.map((name) => [name, 0]));
  for (const name of queue) {
    const manifest = manifests.get(name);
    const depth = (depths.get(name) as number) + 1;
    if (manifest === undefined || depth > manifest.maxSpawnDepth) continue;
    for (const { name: target } of manifest.canSpawn) {
      if (depths.has(target)) continue;
      depths.set(target, depth);
      queue.push(target);
    }
  }
  return depths;
}

/** Cycles of `can_spawn`: one finding for each group of types that can spawn each other. */

import type { Diagnostic } from "@portcullis/rego/diagnostics";
import { modelDiagnostic } from "../codes.ts";
import type { Manifest, Model, Named } from "../model.ts";

export function* spawnCycles(model: Model): Iterable<Diagnostic> {
  for (const group of components(model.manifests)) {
    const members = new Set(group);
    const first = model.manifests.get([...group].sort()[0] as string) as Manifest;
    const path = shortestCycle(model.manifests, first.type.name, members);
    if (path === undefined) continue;
    const step = first.canSpawn.find((t) => t.name === path[1]) as Named;
    yield modelDiagnostic("model/spawn-cycle", { path: path.map((p) => `\`${p}\``).join(" → ") }, step.span);
  }
}

/** Strongly connected components (Tarjan), without recursion: policies may have thousands of types in one chain. */
function components(manifests: ReadonlyMap<string, Manifest>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const found: string[][] = [];
  const enter = (name: string): { name: string; next: number } => {
    index.set(name, index.size);
    low.set(name, index.get(name) as number);
    stack.push(name);
    onStack.add(name);
    return { name, next: 0 };
  };
  for (const start of manifests.keys()) {
    if (index.has(start)) continue;
    const frames = [enter(start)];
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const { name } = frame;
      const target = manifests.get(name)?.canSpawn[frame.next++]?.name;
      if (target !== undefined) {
        if (!manifests.has(target)) continue;
        if (!index.has(target)) frames.push(enter(target));
        else if (onStack.has(target)) low.set(name, Math.min(low.get(name) as number, index.get(target) as number));
        continue;
      }
      frames.pop();
      const parent = frames.at(-1);
      if (parent !== undefined) low.set(parent.name, Math.min(low.get(parent.name) as number, low.get(name) as number));
      if (low.get(name) !== index.get(name)) continue;
      const group = stack.splice(stack.indexOf(name));
      for (const member of group) onStack.delete(member);
      found.push(group);
    }
  }
  return found;
}

/** The shortest way from a type back to itself inside its component; none for a type alone that does not spawn itself. */
function shortestCycle(
  manifests: ReadonlyMap<string, Manifest>,
  start: string,
  members: ReadonlySet<string>,
): string[] | undefined {
  const from = new Map<string, string>();
  const queue = [start];
  for (const name of queue) {
    for (const { name: target } of manifests.get(name)?.canSpawn ?? []) {
      if (target === start) {
        const path = [start];
        for (let step = name; step !== start; step = from.get(step) as string) path.unshift(step);
        return [start, ...path];
      }
      if (!members.has(target) || from.has(target)) continue;
      from.set(target, name);
      queue.push(target);
    }
  }
  return undefined;
}

/** Calls of lanes and tools: can every write happen, and can every required key be given (gates WRITES, SCOPE, FLAGS)? */

import type { Diagnostic } from "@portcullis/rego/diagnostics";
import { modelDiagnostic } from "../codes.ts";
import type { Lane, Model, Named, Tool } from "../model.ts";

export function* callGates(model: Model): Iterable<Diagnostic> {
  if (!model.complete.has("tool_registry") || !model.complete.has("lanes")) return;
  const written = new Set([...model.lanes.values()].flatMap((lane) => lane.writes.map((w) => w.table.name)));
  for (const { id, writeTargets } of model.tools.values()) {
    for (const table of writeTargets ?? []) {
      if (written.has(table.name)) continue;
      yield modelDiagnostic("model/write-target-of-no-lane", { tool: id.name, table: table.name }, table.span);
    }
  }
  // There are as many pairs as lanes list tools, and few have a prohibited key.
  for (const lane of model.lanes.values()) {
    yield* idleWrites(lane, model);
    const isAtOdds = share(lane.requires, lane.prohibits);
    for (const listed of lane.tools) {
      const tool = model.tools.get(listed.name);
      if (tool === undefined) continue;
      if (
        isAtOdds ||
        share(lane.requires, tool.prohibitedFlags) ||
        share(tool.scopeKeys, lane.prohibits) ||
        share(tool.scopeKeys, tool.prohibitedFlags)
      )
        yield* prohibitedKeys(lane, tool, listed);
    }
  }
}

/** Writes of a lane that none of its tools makes. A lane without tools writes by itself; a tool without targets may write anything. */
function* idleWrites({ id, tools, writes }: Lane, model: Model): Iterable<Diagnostic> {
  const targets = tools.map(({ name }) => model.tools.get(name)?.writeTargets);
  if (targets.length === 0 || targets.includes(undefined)) return;
  const made = new Set(targets.flatMap((tables) => tables ?? []).map(({ name }) => name));
  for (const { table } of writes)
    if (!made.has(table.name))
      yield modelDiagnostic("model/lane-write-of-no-tool", { lane: id.name, table: table.name }, table.span);
}

/** Whether two short lists have a name in common. */
function share(a: readonly Named[], b: readonly Named[]): boolean {
  for (const { name } of a) for (const other of b) if (other.name === name) return true;
  return false;
}

function* prohibitedKeys(lane: Lane, tool: Tool, listed: Named): Iterable<Diagnostic> {
  const names = (key: Named): boolean =>
    lane.prohibits.some(({ name }) => name === key.name) || tool.prohibitedFlags.some(({ name }) => name === key.name);
  const related = [{ message: "the tool", span: tool.id.span }];
  for (const name of new Set([...lane.requires, ...tool.scopeKeys].filter(names).map((key) => key.name))) {
    const params = { lane: lane.id.name, tool: tool.id.name, name };
    yield modelDiagnostic("model/prohibited-scope-key", params, listed.span, { related });
  }
}

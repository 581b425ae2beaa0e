/** Calls of lanes and tools: can every write happen, and can every required key be given (gates WRITES, SCOPE, FLAGS)? */

import type { Diagnostic } from "../../base/diagnostic.ts";
import { report } from "../codes.ts";
import type { Lane, Model, Named, Tool } from "../model.ts";

export function* callGates(model: Model): Iterable<Diagnostic> {
  if (!model.complete.has("tool_registry") || !model.complete.has("lanes")) return;
  const written = new Set([...model.lanes.values()].flatMap((lane) => lane.writes.map((w) => w.table.name)));
  for (const { id, writeTargets } of model.tools.values()) {
    for (const table of writeTargets ?? []) {
      if (written.has(table.name)) continue;
      yield report("model/write-target-of-no-lane", { tool: id.name, table: table.name }, table.span);
    }
  }
  for (const lane of model.lanes.values()) {
    for (const listed of lane.tools) {
      const tool = model.tools.get(listed.name);
      if (tool !== undefined) yield* prohibitedKeys(lane, tool, listed);
    }
  }
}

function* prohibitedKeys(lane: Lane, tool: Tool, listed: Named): Iterable<Diagnostic> {
  const names = (key: Named): boolean =>
    lane.prohibits.some(({ name }) => name === key.name) || tool.prohibitedFlags.some(({ name }) => name === key.name);
  // Few pairs have any, and there are as many pairs as lanes list tools.
  if (!lane.requires.some(names) && !tool.scopeKeys.some(names)) return;
  const related = [{ message: "the tool", span: tool.id.span }];
  for (const name of new Set([...lane.requires, ...tool.scopeKeys].filter(names).map((key) => key.name))) {
    const params = { lane: lane.id.name, tool: tool.id.name, name };
    yield report("model/prohibited-scope-key", params, listed.span, { related });
  }
}

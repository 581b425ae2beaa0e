/** Tools that lanes list: are they registered, do they allow the lane, do they know its scope (harness specification, LANE_TOOL). */

import type { Diagnostic } from "../../base/diagnostic.ts";
import { didYouMean } from "../../base/suggest.ts";
import { report } from "../codes.ts";
import type { Lane, Model, Named, Tool } from "../model.ts";

export function* laneTools(model: Model): Iterable<Diagnostic> {
  if (!model.complete.has("tool_registry")) return;
  for (const lane of model.lanes.values()) {
    for (const listed of lane.tools) {
      const tool = model.tools.get(listed.name);
      const params = { lane: lane.id.name, tool: listed.name };
      if (tool === undefined) {
        yield report("model/undefined-tool", params, listed.span, didYouMean(listed.name, model.tools.keys()));
        continue;
      }
      const related = [{ message: "the tool", span: tool.id.span }];
      if (tool.lanes !== undefined && !tool.lanes.some((l) => l.name === lane.id.name)) {
        yield report("model/lane-excluded-by-tool", params, listed.span, { related });
      }
      yield* scope(lane, tool, listed);
    }
  }
}

function* scope(lane: Lane, tool: Tool, listed: Named): Iterable<Diagnostic> {
  const related = [{ message: "the tool", span: tool.id.span }];
  const names = { lane: lane.id.name, tool: tool.id.name };
  const keys = lacking(lane.requires, tool.scopeKeys);
  if (keys !== "") yield report("model/tool-lacks-scope-keys", { ...names, keys }, listed.span, { related });
  const flags = lacking(lane.prohibits, tool.prohibitedFlags);
  if (flags !== "") yield report("model/tool-lacks-prohibitions", { ...names, flags }, listed.span, { related });
}

function lacking(wanted: readonly Named[], has: readonly Named[]): string {
  const missing = wanted.filter((w) => !has.some((h) => h.name === w.name));
  return missing.map((m) => `\`${m.name}\``).join(", ");
}

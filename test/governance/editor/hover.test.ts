/** The language server with a real client: what it tells of what stands at one place. */

import { describe, expect, it } from "vitest";
import { HoverRequest, type MarkupContent } from "vscode-languageserver-protocol/node";
import { isBuilt } from "./client.ts";
import { desk, FILES } from "./desk.ts";

describe.skipIf(!isBuilt)("the language server", () => {
  const here = desk();

  it("tells what a field decides, what an id is, a gate's reasons, a builtin's signature", async () => {
    const { editor, open } = here();
    for (const path of ["lanes.yaml", "extensions/tool.rego", "extensions/rules.rego", "tests/tool.yaml"])
      await open(path);
    const hover = async (path: string, before: string, after = ""): Promise<string> =>
      ((await editor.ask(HoverRequest.type, editor.at(path, before, after)))?.contents as MarkupContent | undefined)
        ?.value ?? "";
    expect(await hover("lanes.yaml", "allowed_act", "ions")).toContain("What may be done in the lane");
    expect(await hover("lanes.yaml", "[WRI", "TER")).toContain("may work in `DRAFTING`");
    expect(await hover("lanes.yaml", "draft.cr", "eate")).toContain("Open a draft.");
    expect(await hover("extensions/tool.rego", '"story.pub', "lish")).toContain(
      "may be used in every lane that lists it",
    );
    expect(await hover("extensions/tool.rego", "rules.is_", "late")).toContain("No story is published at night.");
    expect(await hover("extensions/rules.rego", "upp", "er(")).toContain("upper(x: string) -> string");
    expect(await hover("tests/tool.yaml", "QUIET", "_HOURS")).toContain("gate of your own");
    await editor.open("extensions/must.rego", FILES["extensions/must.rego"] as string, "rego");
    const demanded = await hover("extensions/must.rego", 'must contains "OP', "EN");
    for (const part of [
      "gate of your own",
      "tool denies with `not_open` where no rule",
      "What is published is open to all.",
    ])
      expect(demanded).toContain(part);
    await editor.edit("tests/tool.yaml", "QUIET_HOURS", "LANE_TOOL");
    const gate = await hover("tests/tool.yaml", "LANE_", "TOOL");
    for (const part of [
      "tool asks: the lane lists the tool",
      "tool: `tool_not_allowed_in_lane`: lane {lane} does not list",
    ])
      expect(gate).toContain(part);
    expect(await hover("lanes.yaml", "", "lanes:")).toContain("**lanes**");
  });
});

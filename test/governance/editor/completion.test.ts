/** The language server with a real client: what it offers to write at one place. */

import { describe, expect, it } from "vitest";
import {
  type CompletionItem,
  CompletionRequest,
  CompletionResolveRequest,
  type MarkupContent,
} from "vscode-languageserver-protocol/node";
import { isBuilt } from "./client.ts";
import { desk, FILES } from "./desk.ts";

describe.skipIf(!isBuilt)("the language server", () => {
  const here = desk();

  it("completes keys and ids, also in a text that does not parse", async () => {
    const { editor, open } = here();
    for (const path of ["lanes.yaml", "tests/tool.yaml", "claims.yaml", "extensions/tool.rego", "agents/AGENT_DESK.md"])
      await open(path);
    await editor.open("manifests/desk.toml", FILES["manifests/desk.toml"] as string, "toml");
    const offered = async (path: string, before: string, after = ""): Promise<CompletionItem[]> =>
      ((await editor.ask(CompletionRequest.type, editor.at(path, before, after))) ?? []) as CompletionItem[];
    const labels = async (path: string, before: string, after = ""): Promise<string[]> =>
      (await offered(path, before, after)).map((item) => item.label);

    expect(await labels("lanes.yaml", "roles: [WRITER, 'ED")).toEqual(["EDITOR", "WRITER"]);
    expect(await labels("lanes.yaml", "tools: [")).toEqual(["draft.create", "story.publish"]);
    await editor.edit("lanes.yaml", "    purpose", "    sc\n    purpose");
    expect((await labels("lanes.yaml", "    sc")).sort()).toEqual(["audit", "scope"]);
    await editor.edit("lanes.yaml", "    sc\n", "    scope:\n      \n");
    expect(await labels("lanes.yaml", "    scope:\n      ")).toEqual(["requires", "prohibits"]);
    await editor.edit("lanes.yaml", "    scope:\n      \n", "    allowed_actions: { tools: [dr\n");
    expect(await labels("lanes.yaml", "tools: [dr")).toEqual(["draft.create", "story.publish"]);

    expect(await labels("manifests/desk.toml", 'can_spawn = ["')).toEqual(["checker", "desk"]);
    await editor.edit("manifests/desk.toml", "max_spawn_depth = 1\n", "max_spawn_depth = 1\nnet");
    expect(await labels("manifests/desk.toml", "\nnet")).toContain("network_egress");
    expect(await labels("manifests/desk.toml", "\nnet")).not.toContain("can_spawn");
    expect(await labels("agents/AGENT_DESK.md", "subagents: ")).toEqual(["CHECK_ER", "DESK"]);
    expect(await labels("agents/AGENT_DESK.md", "# De")).toEqual([]);
    expect(await labels("tests/tool.yaml", "{ role: ")).toEqual(["EDITOR", "WRITER"]);
    expect(await labels("tests/tool.yaml", "tool: [dra")).toEqual(["draft.create", "story.publish"]);
    expect(await labels("tests/tool.yaml", "role: { every: ")).toContain("agent_types");
    expect(await labels("claims.yaml", "lane: ")).toEqual(["DRAFTING"]);

    expect(await labels("extensions/tool.rego", 'input.tool == "story')).toEqual(["draft.create", "story.publish"]);
    expect(await labels("extensions/tool.rego", 'input.role in {"')).toEqual(["EDITOR", "WRITER"]);
    expect(await labels("extensions/tool.rego", "input.")).toEqual(expect.arrayContaining(["lane", "role", "tool"]));
    expect(await labels("extensions/tool.rego", "rules.is")).toEqual(expect.arrayContaining(["is_late", "money"]));
    expect(await labels("extensions/tool.rego", "data.desk.")).toContain("rules");
    await editor.open("extensions/must.rego", FILES["extensions/must.rego"] as string, "rego");
    expect(await labels("extensions/must.rego", 'must contains "')).toContain("OPEN");
    await editor.edit("extensions/must.rego", "must contains", "\nmu\n\nmust contains");
    expect(await labels("extensions/must.rego", "\nmu")).toEqual(expect.arrayContaining(["must", "deny"]));

    const [item] = await offered("lanes.yaml", "tools: [dr");
    const resolved = await editor.ask(CompletionResolveRequest.type, item as CompletionItem);
    expect((resolved.documentation as MarkupContent).value).toContain("Open a draft.");
  });
});

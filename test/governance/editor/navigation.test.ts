/** The language server with a real client: where an id is defined, and where it is used. */

import { describe, expect, it } from "vitest";
import { DefinitionRequest, type Location, ReferencesRequest } from "vscode-languageserver-protocol/node";
import { isBuilt } from "./client.ts";
import { desk, FILES, languageOf } from "./desk.ts";

describe.skipIf(!isBuilt)("the language server", () => {
  const here = desk();

  it("goes to definitions and finds references in every language", async () => {
    const { editor } = here();
    for (const path of Object.keys(FILES)) await editor.open(path, FILES[path] as string, languageOf(path));
    const definition = async (path: string, before: string, after = "") =>
      (((await editor.ask(DefinitionRequest.type, editor.at(path, before, after))) ?? []) as Location[]).map(
        ({ uri, range }) => `${uri.slice(editor.uri("").length)}:${range.start.line + 1}:${range.start.character + 1}`,
      );
    expect(await definition("lanes.yaml", "story.pub", "lish")).toEqual(["/tool_registry.yaml:7:16"]);
    expect(await definition("manifests/desk.toml", '"draft.cr', "eate")).toEqual(["/tool_registry.yaml:2:16"]);
    expect(await definition("manifests/desk.toml", '"check', "er")).toEqual(["/manifests/checker.yaml:1:1"]);
    expect(await definition("agents/AGENT_DESK.md", "CHECK", "-ER")).toEqual(["/agents/AGENT_CHECK_ER.md:1:1"]);
    expect(await definition("extensions/tool.rego", '"WRI', "TER")).toEqual(["/roles.yaml:2:14"]);
    expect(await definition("extensions/tool.rego", "rules.is", "_late")).toEqual(["/extensions/rules.rego:5:1"]);
    expect(await definition("extensions/rules.rego", "data.desk.lat", "est")).toEqual(["/desk/data.yaml:1:1"]);
    expect(await definition("tests/tool.yaml", "QUIET", "_HOURS")).toEqual(["/extensions/tool.rego:5:25"]);

    const references = await editor.ask(ReferencesRequest.type, {
      ...editor.at("tool_registry.yaml", "tool_name: story", ".publish"),
      context: { includeDeclaration: true },
    });
    const places = (references ?? []).map(({ uri }) => uri.slice(editor.uri("").length + 1)).sort();
    expect(places).toEqual([
      "claims.yaml",
      "extensions/must.rego",
      "extensions/rules.rego",
      "extensions/tool.rego",
      "lanes.yaml",
      "manifests/desk.toml",
      "tests/tool.yaml",
      "tests/tool.yaml",
      "tool_registry.yaml",
    ]);
  });
});

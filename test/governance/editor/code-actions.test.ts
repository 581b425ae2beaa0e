/** The language server with a real client: what it would rewrite, by a fix or a format, and how it reads the words of a text. */

import { describe, expect, it } from "vitest";
import {
  type CodeAction,
  CodeActionRequest,
  DocumentFormattingRequest,
  type SemanticTokens,
  SemanticTokensRequest,
} from "vscode-languageserver-protocol/node";
import { applied, has, isBuilt, partsOf } from "./client.ts";
import { desk, FILES, languageOf } from "./desk.ts";

describe.skipIf(!isBuilt)("the language server", () => {
  const here = desk();

  it("offers what was meant, formats, and knows the words of Rego", async () => {
    const { editor, open } = here();
    await open("lanes.yaml");
    await open("extensions/tool.rego");
    await editor.edit("lanes.yaml", "[WRITER, 'EDITOR']", "[WRITR, 'EDITR']");
    const found = await editor.found("lanes.yaml", (all) => all.length >= 2);
    const uri = editor.uri("lanes.yaml");
    const actions = await editor.ask(CodeActionRequest.type, {
      textDocument: { uri },
      range: { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } },
      context: { diagnostics: [...found] },
    });
    const all = actions?.at(-1);
    expect(all?.title).toBe("Write all 2 names that were meant");
    const { edits } = partsOf((all as CodeAction).edit ?? null);
    expect(applied(editor.text("lanes.yaml"), edits.get(uri) ?? [])).toBe(FILES["lanes.yaml"]);

    await editor.edit("extensions/tool.rego", "\tinput.role in", "   input.role   in");
    const formatted = await editor.ask(DocumentFormattingRequest.type, {
      textDocument: { uri: editor.uri("extensions/tool.rego") },
      options: { tabSize: 4, insertSpaces: false },
    });
    expect(applied(editor.text("extensions/tool.rego"), formatted ?? [])).toBe(FILES["extensions/tool.rego"]);

    const legend = editor.initialized?.capabilities.semanticTokensProvider?.legend.tokenTypes ?? [];
    const { data } = (await editor.ask(SemanticTokensRequest.type, {
      textDocument: { uri: editor.uri("extensions/tool.rego") },
    })) as SemanticTokens;
    const words: string[] = [];
    const lines = editor.text("extensions/tool.rego").split("\n");
    for (let i = 0, line = 0, column = 0; i < data.length; i += 5) {
      const [down = 0, right = 0, length = 0, type = 0] = data.slice(i, i + 4);
      line += down;
      column = down > 0 ? right : column + right;
      words.push(`${legend[type]} ${lines[line]?.slice(column, column + length)}`);
    }
    expect(words.slice(0, 12)).toEqual([
      ...["keyword package", "namespace portcullis", "namespace ext", "namespace tool", "keyword import"],
      ...["namespace data", "namespace desk", "namespace rules", "variable deny", "keyword contains"],
      ...['string "gate"', 'string "QUIET_HOURS"'],
    ]);
    expect(words).toContain("property is_late");
  });

  it("writes all names that were meant, each place once, where a YAML alias repeats one", async () => {
    const { editor, open } = here();
    await open("roles.yaml");
    const meant =
      "lanes:\n  - lane_id: DRAFTING\n    allowed_callers: { roles: &all [WRITER] }\n    allowed_actions: { tools: [draft.create] }\n" +
      "  - lane_id: PUBLISHING\n    allowed_callers: { roles: *all }\n    allowed_actions: { tools: [story.publish] }\n";
    await editor.open("lanes.yaml", meant.replace("WRITER", "WRITR"), "yaml");
    const found = await editor.found(
      "lanes.yaml",
      (all) => all.filter((d) => d.code === "model/undefined-role").length >= 2,
    );
    const uri = editor.uri("lanes.yaml");
    const actions = await editor.ask(CodeActionRequest.type, {
      textDocument: { uri },
      range: { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } },
      context: { diagnostics: [...found] },
    });
    for (const action of actions ?? []) {
      const { edits } = partsOf((action as CodeAction).edit ?? null);
      expect(applied(editor.text("lanes.yaml"), edits.get(uri) ?? []), action.title).toBe(meant);
    }
    expect(actions?.length).toBeGreaterThan(0);
  });

  it("changes nothing but what a finding marks, and rewrites forms that are plain", async () => {
    const { editor } = here();
    const fixed = async (path: string, text: string, code: string, keepsData = true): Promise<string[]> => {
      await editor.open(path, text, languageOf(path));
      const found = (await editor.found(path, has(code))).filter((d) => d.code === code);
      const uri = editor.uri(path);
      const actions = await editor.ask(CodeActionRequest.type, {
        textDocument: { uri },
        range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } },
        context: { diagnostics: keepsData ? found : found.map(({ data: _, ...d }) => d) },
      });
      const edits = (actions ?? []).map((action) => partsOf((action as CodeAction).edit ?? null).edits.get(uri) ?? []);
      return edits.map((edit) => applied(editor.text(path), edit));
    };
    const registry = FILES["tool_registry.yaml"] as string;
    const misspelt = registry.replace("implementation_status: implemented", "implementation_status: implementd");
    expect(await fixed("tool_registry.yaml", misspelt, "model/misspelt-status")).toEqual([registry]);
    const quoted = registry.replace("enabled: true", 'enabled: "yes"');
    expect(await fixed("tool_registry.yaml", quoted, "sources/wrong-type")).toEqual([registry]);
    expect(await fixed("tool_registry.yaml", quoted, "sources/wrong-type", false)).toEqual([registry]);

    const rule = "package desk.more\n\nopen if { input.x }\n\nnames contains input.x if { input.x }\n";
    const withoutIf = rule.replace("open if", "open");
    expect(await fixed("extensions/more.rego", withoutIf, "rego/missing-if")).toEqual([rule]);
    const old = 'package desk.more\n\nimport rego.v1\n\nnames["a"]\n';
    const now = 'package desk.more\n\nimport rego.v1\n\nnames contains "a"\n';
    expect(await fixed("extensions/more.rego", old, "rego/missing-contains")).toEqual([now]);
    const elsewhere =
      'package ext.tool\n\ndeny contains {"gate": "A", "reason": "a"} if input.tool == "story.publish"\n';
    expect(await fixed("extensions/more.rego", elsewhere, "pipeline/unasked-deny")).toEqual([]);
  });
});

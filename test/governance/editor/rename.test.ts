/** The language server with a real client: a new name for an id, in every file that has it, or the reason why not. */

import { readdirSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  FileChangeType,
  PrepareRenameRequest,
  ReferencesRequest,
  RenameRequest,
} from "vscode-languageserver-protocol/node";
import { nodeHost } from "../../../compiler/documents/node.ts";
import { compileTests } from "../../../compiler/index.ts";
import { applied, isBuilt, partsOf } from "./client.ts";
import { desk, FILES, languageOf } from "./desk.ts";

describe.skipIf(!isBuilt)("the language server", () => {
  const here = desk();

  it("renames an id everywhere, and the compiler finds nothing wrong afterwards", async () => {
    const { folder, editor } = here();
    for (const path of Object.keys(FILES)) await editor.open(path, FILES[path] as string, languageOf(path));
    const texts = new Map(Object.entries(FILES).map(([path, text]) => [editor.uri(path), text]));
    const rename = async (path: string, before: string, after: string, newName: string): Promise<void> => {
      // Places are those of the texts as they are by now.
      const at = editor.at(path, before, after);
      const edit = await editor.ask(RenameRequest.type, { ...at, newName });
      const { edits, moves } = partsOf(edit);
      for (const [uri, changes] of edits) {
        const old = texts.get(uri) as string;
        texts.set(uri, applied(old, changes));
        await editor.edit(fileURLToPath(uri), old, texts.get(uri) as string);
      }
      for (const [from, to] of moves) {
        const text = texts.get(from) as string;
        texts.delete(from);
        texts.set(to, text);
        await editor.close(fileURLToPath(from));
        unlinkSync(fileURLToPath(from));
        writeFileSync(fileURLToPath(to), text);
        await editor.fileChanged(fileURLToPath(to), FileChangeType.Created);
        await editor.open(fileURLToPath(to), text, languageOf(to));
      }
    };
    await rename("tests/tool.yaml", "story.pub", "lish", "story.release");
    await rename("extensions/tool.rego", '"WRI', "TER", "AUTHOR: 1");
    await rename("lanes.yaml", "lane_id: DRA", "FTING", "WRITING");
    await rename("agents/AGENT_DESK.md", "CHECK", "-ER", "VERIFIER");
    await rename("manifests/desk.toml", '"check', "er", "verifier");
    await rename("tests/tool.yaml", "QUIET", "_HOURS", "NIGHT");
    await rename("extensions/must.rego", '"OP', "EN", "PUBLIC");
    await rename("extensions/tool.rego", "rules.is", "_late", "after_hours");
    await rename("desk/data.yaml", "", "latest", "closing");
    for (const old of [
      "story.publish",
      "WRITER",
      "DRAFTING",
      "CHECK-ER",
      "checker",
      "QUIET_HOURS",
      '"OPEN"',
      "is_late",
      "latest",
    ])
      for (const [uri, text] of texts) expect(text, `${uri} still has ${old}`).not.toContain(old);
    for (const [uri, text] of texts) writeFileSync(fileURLToPath(uri), text);
    expect((await compileTests({ host: nodeHost, dirs: [folder], checkOnly: true })).diagnostics).toEqual([]);
    expect(texts.get(editor.uri("lanes.yaml"))).toContain("roles: [\"AUTHOR: 1\", 'EDITOR']");
    expect(readdirSync(join(folder, "agents")).sort()).toEqual(["AGENT_DESK.md", "AGENT_VERIFIER.md"]);
  });

  it("writes a place once that a YAML alias repeats", async () => {
    const { editor, open } = here();
    const text =
      "lanes:\n  - lane_id: DRAFTING\n    allowed_callers: { roles: &all [WRITER, 'EDITOR'] }\n    allowed_actions: { tools: [draft.create] }\n" +
      "  - lane_id: PUBLISHING\n    allowed_callers: { roles: *all }\n    allowed_actions: { tools: [story.publish] }\n";
    await open("roles.yaml");
    await editor.open("lanes.yaml", text, "yaml");
    const at = editor.at("lanes.yaml", "WRI", "TER");
    const { edits } = partsOf(await editor.ask(RenameRequest.type, { ...at, newName: "HAND" }));
    expect(applied(text, edits.get(editor.uri("lanes.yaml")) ?? [])).toBe(text.replace("WRITER", "HAND"));
    const references = await editor.ask(ReferencesRequest.type, { ...at, context: { includeDeclaration: false } });
    expect(references?.filter(({ uri }) => uri === editor.uri("lanes.yaml"))).toHaveLength(1);
  });

  it("refuses to rename a key of data that a YAML alias makes a key of another object, too", async () => {
    const { editor, open } = here();
    await open("extensions/tool.rego");
    const data = "base: &base { latest: 22 }\nnight: { <<: *base }\nday: *base\nalone: { first: 6 }\n";
    await editor.open("desk/data.yaml", data, "yaml");
    const rename = (before: string, after: string) =>
      editor.ask(RenameRequest.type, { ...editor.at("desk/data.yaml", before, after), newName: "closing" });
    await expect(rename("{ lat", "est")).rejects.toThrow("the key is `desk.night.latest` too, by an alias");
    const { edits } = partsOf(await rename("{ fir", "st"));
    expect(applied(data, edits.get(editor.uri("desk/data.yaml")) ?? [])).toBe(data.replace("first", "closing"));
  });

  it("refuses to rename what would not be whole, and says why", async () => {
    const { editor, open } = here();
    for (const path of ["lanes.yaml", "roles.yaml", "agents/AGENT_DESK.md"]) await open(path);
    const refusal = (path: string, before: string, after: string, newName: string): Promise<string> =>
      editor.ask(RenameRequest.type, { ...editor.at(path, before, after), newName }).then(
        () => "renamed",
        (error: Error) => error.message,
      );
    expect(await refusal("lanes.yaml", "[WRI", "TER", "EDITOR")).toContain("there is a role `EDITOR` already");
    expect(await refusal("lanes.yaml", "[WRI", "TER", " ")).toContain("not empty");
    expect(await refusal("lanes.yaml", "[WRI", "TER", "A\u200bB")).toContain("invisible");
    expect(await refusal("agents/AGENT_DESK.md", "CHECK", "-ER", "A/B")).toContain("letters, digits");
    await editor.edit("roles.yaml", "roles:", "roles: {");
    expect(await refusal("lanes.yaml", "[WRI", "TER", "X")).toContain("`roles.yaml` cannot be read");
    expect(await editor.ask(PrepareRenameRequest.type, editor.at("lanes.yaml", "pur", "pose"))).toBeNull();
    const range = await editor.ask(PrepareRenameRequest.type, editor.at("lanes.yaml", "'EDI", "TOR"));
    expect(range).toMatchObject({ placeholder: "EDITOR" });
  });
});

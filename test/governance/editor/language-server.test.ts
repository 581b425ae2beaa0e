/** The language server with a real client: what it finds while somebody types, and that it stands whatever is opened. */

import { unlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CompletionRequest, FileChangeType, HoverRequest, RenameRequest } from "vscode-languageserver-protocol/node";
import { nodeHost } from "../../../compiler/documents/node.ts";
import { compileTests } from "../../../compiler/index.ts";
import { applied, has, isBuilt, none, partsOf } from "./client.ts";
import { desk, FILES, languageOf, writeAll } from "./desk.ts";

describe.skipIf(!isBuilt)("the language server", () => {
  const here = desk();

  it("is silent about a set without faults, which the compiler finds to be one", async () => {
    const { folder, editor, open } = here();
    expect((await compileTests({ host: nodeHost, dirs: [folder], checkOnly: true })).diagnostics).toEqual([]);
    await open("roles.yaml");
    await editor.edit("roles.yaml", "role_id: WRITER", "role_id: WRITTER");
    await editor.found("lanes.yaml", has("model/undefined-role"));
    await editor.edit("roles.yaml", "role_id: WRITTER", "role_id: WRITER");
    await editor.quiet();
  });

  it("finds across files and languages while typing, and takes back what is corrected", async () => {
    const { editor, open } = here();
    await open("tool_registry.yaml");
    await editor.edit("tool_registry.yaml", "tool_name: draft.create", "tool_name: draft.make");
    const [found] = await editor.found("lanes.yaml", has("model/undefined-tool"));
    expect(found?.range.start).toEqual({ line: 6, character: 14 });
    await editor.edit("tool_registry.yaml", "draft.make", "draft.create");
    await editor.found("lanes.yaml", none);
    await editor.found("manifests/desk.toml", none);

    await open("manifests/checker.yaml");
    await editor.edit("manifests/checker.yaml", "allowed_tools", "agent_type: proof_reader\nallowed_tools");
    const [spawned] = await editor.found("manifests/desk.toml", (all) => all.length === 1);
    expect(spawned?.range.start).toEqual({ line: 0, character: 13 });
    await editor.edit("manifests/checker.yaml", "agent_type: proof_reader\n", "");
    await editor.found("manifests/desk.toml", none);

    await open("agents/AGENT_DESK.md");
    await editor.edit("agents/AGENT_DESK.md", "CHECK-ER", "CHECKR");
    await editor.found("agents/AGENT_DESK.md", has("model/subagent-undefined"));
    await editor.edit("agents/AGENT_DESK.md", "CHECKR", "CHECK-ER");
    await editor.found("agents/AGENT_DESK.md", none);

    await open("extensions/tool.rego");
    await editor.edit("extensions/tool.rego", "rules.is_late", "rules.is_late(");
    await editor.found("extensions/tool.rego", (all) => all.some((d) => String(d.code).startsWith("rego/")));
    await editor.edit("extensions/tool.rego", "rules.is_late(", "x == 1");
    await editor.found("extensions/tool.rego", has("analyze/unsafe-var"));
    await editor.edit("extensions/tool.rego", "x == 1", "rules.is_late");
    await editor.quiet();
  });

  it("finds a record of a handoff that contradicts its folder, as `check` does", async () => {
    const { folder, editor } = here();
    const sample = "handoff-samples/positive/bare.json";
    writeAll(folder, { [sample]: "{}\n" });
    await editor.fileChanged(sample, FileChangeType.Created);
    await editor.found(sample, has("pipeline/handoff-sample"));
    unlinkSync(join(folder, sample));
    await editor.fileChanged(sample, FileChangeType.Deleted);
    await editor.found(sample, none);
  });

  it("stands broken texts, files that disappear, and files that come", async () => {
    const { folder, editor, open } = here();
    await open("lanes.yaml");
    await editor.edit("lanes.yaml", "lanes:\n", "lanes: [\n");
    await editor.found("lanes.yaml", (all) => all.some((d) => String(d.code).startsWith("sources/")));
    // Nothing is said of roles without a lane: there may be lanes, once the file can be read.
    await expect(editor.found("roles.yaml", none)).resolves.toEqual([]);
    await editor.edit("lanes.yaml", "lanes: [\n", "lanes:\n");
    await editor.found("lanes.yaml", none);

    unlinkSync(join(folder, "roles.yaml"));
    await editor.fileChanged("roles.yaml", FileChangeType.Deleted);
    const [absent] = await editor.found("portcullis.yaml", has("model/absent-part"));
    expect(absent?.message).toContain("there is no roles.yaml");
    writeAll(folder, { "roles.yaml": FILES["roles.yaml"] as string });
    await editor.fileChanged("roles.yaml", FileChangeType.Created);
    await editor.found("portcullis.yaml", none);

    // A new document that was never saved is a part of the set, until it is closed.
    await editor.open("manifests/new.yaml", "can_spawn: [unknown]\n");
    await editor.found("manifests/new.yaml", (all) => all.length > 0);
    await editor.close("manifests/new.yaml");
    await editor.found("manifests/new.yaml", none);
  });

  it("counts columns in UTF-16 units and understands every line end", async () => {
    const { editor } = here();
    const text = "roles:\r\n  - { description: '👩‍⚖️ é', role_id: WRITER }\r\n  - role_id: EDITOR\n  - role_id: 1\n";
    await editor.open("roles.yaml", text);
    const [found] = await editor.found("roles.yaml", has("sources/wrong-type"));
    expect(found?.range.start).toEqual({ line: 3, character: 13 });
    await editor.edit("roles.yaml", "role_id: 1", "role_id: X");
    await editor.found("roles.yaml", (all) => !has("sources/wrong-type")(all));
    const hover = await editor.ask(HoverRequest.type, editor.at("roles.yaml", "WRI", "TER"));
    expect(hover?.range?.start).toEqual({ line: 1, character: text.split("\r\n")[1]?.indexOf("WRITER") });
    const { edits } = partsOf(
      await editor.ask(RenameRequest.type, { ...editor.at("roles.yaml", "WRI", "TER"), newName: "É👩" }),
    );
    const changed = applied(editor.text("roles.yaml"), edits.get(editor.uri("roles.yaml")) ?? []);
    expect(changed).toBe(editor.text("roles.yaml").replace("WRITER", '"É👩"'));
  });

  it("answers with nothing for documents that are not policy sources, and survives every position", async () => {
    const { editor } = here();
    await editor.open("notes.md", "# hello\n", "markdown");
    const at = { textDocument: { uri: editor.uri("notes.md") }, position: { line: 0, character: 3 } };
    expect(await editor.ask(HoverRequest.type, at)).toBeNull();
    expect(await editor.ask(CompletionRequest.type, at)).toEqual([]);
    const lost = { textDocument: { uri: "untitled:Untitled-1" }, position: { line: 9, character: 9 } };
    expect(await editor.ask(HoverRequest.type, lost)).toBeNull();
    for (const path of Object.keys(FILES)) {
      const text = FILES[path] as string;
      await editor.open(path, text, languageOf(path));
      const lines = text.split("\n");
      for (const [line, words] of lines.entries())
        for (const character of [0, 1, Math.floor(words.length / 2), words.length, words.length + 7]) {
          const params = { textDocument: { uri: editor.uri(path) }, position: { line, character } };
          await editor.ask(CompletionRequest.type, params);
          await editor.ask(HoverRequest.type, params);
        }
    }
  });
});

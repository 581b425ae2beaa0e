/** The language server with a real client: one policy set in four languages, everything that an editor asks of it. */

import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type CodeAction,
  CodeActionRequest,
  type CompletionItem,
  CompletionRequest,
  CompletionResolveRequest,
  DefinitionRequest,
  DocumentFormattingRequest,
  FileChangeType,
  HoverRequest,
  type Location,
  type MarkupContent,
  PrepareRenameRequest,
  ReferencesRequest,
  RenameRequest,
  type SemanticTokens,
  SemanticTokensRequest,
} from "vscode-languageserver-protocol/node";
import { nodeHost } from "../../../compiler/documents/node.ts";
import { compileTests } from "../../../compiler/index.ts";
import { applied, Editor, has, isBuilt, none, partsOf } from "./client.ts";

const FILES: { readonly [path: string]: string } = {
  "portcullis.yaml": "lineage: { roots: [desk], require: true }\n",
  "roles.yaml": "roles:\n  - role_id: WRITER\n    privileges: { lanes: [DRAFTING] }\n  - role_id: EDITOR\n",
  "lanes.yaml":
    "lanes:\n  - lane_id: DRAFTING\n    purpose: Write stories.\n    allowed_callers:\n      roles: [WRITER, 'EDITOR']\n    allowed_actions:\n      tools: [draft.create, story.publish]\n      writes: [{ table: drafts, mode: append }]\n",
  "tool_registry.yaml":
    "tools:\n  - tool_name: draft.create\n    enabled: true\n    implementation_status: implemented\n    description: Open a draft.\n    allowed_lanes: [DRAFTING]\n  - tool_name: story.publish\n    enabled: true\n    implementation_status: implemented\n    allowed_lanes: [DRAFTING]\n    write_targets: [drafts]\n",
  "agents/AGENT_DESK.md": "---\nsubagents: CHECK-ER\n---\n# Desk\n\nAGENT_TYPE: 1\n",
  "agents/AGENT_CHECK_ER.md": "# Checker\n\nAGENT_TYPE: 2\nAGENT_CLASS: TASK\n",
  "manifests/desk.toml":
    'can_spawn = ["checker"]\nmax_spawn_depth = 1\nallowed_tools = ["draft.create", "story.publish"]\n',
  "manifests/checker.yaml": "allowed_tools: [draft.create]\n",
  "extensions/tool.rego":
    'package portcullis.ext.tool\n\nimport data.desk.rules\n\ndeny contains {"gate": "QUIET_HOURS", "reason": "too_late"} if {\n\tinput.tool == "story.publish"\n\tinput.role in {"WRITER"}\n\trules.is_late\n}\n',
  "extensions/must.rego":
    'package portcullis.ext.tool\n\n# METADATA\n# description: What is published is open to all.\n# custom: { reason: not_open }\nmust contains "OPEN" if input.tool != "story.publish"\n\nmust contains "OPEN" if input.role == "EDITOR"\n',
  "extensions/rules.rego":
    'package desk.rules\n\n# METADATA\n# description: No story is published at night.\nis_late if to_number(input.scope.hour) > data.desk.latest\n\nmoney := {"story.publish": 3}\n\ncosts := money[input.tool]\n\nlate_in(hour) := upper(hour)\n',
  "exec.yaml": "modes: [newsroom]\nstaging_root: /srv/queue\n",
  "desk/data.yaml": "latest: 22\n",
  "tests/tool.yaml":
    "decision: tool\ncases:\n  - name: late\n    input: { role: WRITER, lane: DRAFTING, tool: story.publish, scope: { hour: 23 } }\n    expect: { allowed: false, gate: QUIET_HOURS }\nmatrices:\n  - name: m\n    axes: { role: { every: roles, also: [NOBODY] }, lane: { every: lanes }, tool: { every: tools } }\n    allow:\n      - { role: [WRITER, EDITOR], lane: DRAFTING, tool: [draft.create, story.publish] }\n",
  "claims.yaml": "claims:\n  - always: { decision: tool, role: WRITER, lane: DRAFTING, tool: story.publish }\n",
};

let folder = "";
let editor: Editor;

function writeAll(files: { readonly [path: string]: string }, at = folder): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(at, path)), { recursive: true });
    writeFileSync(join(at, path), text);
  }
}

const languageOf = (path: string): string =>
  path.endsWith(".rego") ? "rego" : path.endsWith(".md") ? "markdown" : "yaml";
const open = (path: string): Promise<void> => editor.open(path, FILES[path] as string, languageOf(path));

describe.skipIf(!isBuilt)("the language server", () => {
  beforeEach(async () => {
    folder = realpathSync.native(mkdtempSync(join(tmpdir(), "portcullis-editor-")));
    writeAll(FILES);
    editor = await Editor.start([folder]);
  });
  afterEach(async () => {
    expect(await editor.stop()).toEqual({ code: 0, errors: "" });
    rmSync(folder, { recursive: true, force: true });
  });

  it("is silent about a set without faults, which the compiler finds to be one", async () => {
    expect((await compileTests({ host: nodeHost, dirs: [folder], checkOnly: true })).diagnostics).toEqual([]);
    await open("roles.yaml");
    await editor.edit("roles.yaml", "role_id: WRITER", "role_id: WRITTER");
    await editor.found("lanes.yaml", has("model/undefined-role"));
    await editor.edit("roles.yaml", "role_id: WRITTER", "role_id: WRITER");
    await editor.quiet();
  });

  it("finds across files and languages while typing, and takes back what is corrected", async () => {
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

  it("stands broken texts, files that disappear, and files that come", async () => {
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
    writeAll({ "roles.yaml": FILES["roles.yaml"] as string });
    await editor.fileChanged("roles.yaml", FileChangeType.Created);
    await editor.found("portcullis.yaml", none);

    // A new document that was never saved is a part of the set, until it is closed.
    await editor.open("manifests/new.yaml", "can_spawn: [unknown]\n");
    await editor.found("manifests/new.yaml", (all) => all.length > 0);
    await editor.close("manifests/new.yaml");
    await editor.found("manifests/new.yaml", none);
  });

  it("tells what a field decides, what an id is, a gate's reasons, a builtin's signature", async () => {
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

  it("completes keys and ids, also in a text that does not parse", async () => {
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

  it("goes to definitions and finds references in every language", async () => {
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

  it("renames an id everywhere, and the compiler finds nothing wrong afterwards", async () => {
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

  it("refuses to rename what would not be whole, and says why", async () => {
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

  it("offers what was meant, formats, and knows the words of Rego", async () => {
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

  it("changes nothing but what a finding marks, and rewrites forms that are plain", async () => {
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
    // The finding marks the tool, and `implemented` is no name for it.
    const misspelt = registry.replace("implementation_status: implemented", "implementation_status: implementd");
    expect(await fixed("tool_registry.yaml", misspelt, "model/misspelt-status")).toEqual([]);
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

  it("counts columns in UTF-16 units and understands every line end", async () => {
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

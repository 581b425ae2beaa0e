/** Ids in data files: the editor finds them by what rules compare, renames them with the rest, and says what `check` says. */

import { describe, expect, it } from "vitest";
import { beyondOf, together } from "../../../compiler/governance/editor/language-server/findings.ts";
import { PolicySet } from "../../../compiler/governance/editor/language-server/policy-set.ts";
import { textSpan } from "../../../compiler/governance/editor/language-server/rego-ids.ts";
import { rename } from "../../../compiler/governance/editor/language-server/rename.ts";
import type { Document, Workspace } from "../../../compiler/governance/editor/language-server/workspace.ts";
import { check } from "../../../compiler/governance/pipeline.ts";
import type { Diagnostic } from "../../../compiler/rego/diagnostics/diagnostic.ts";
import { virtualHost } from "../sources/virtual-host.ts";
import { applied } from "./client.ts";

const RULES = `package portcullis.ext.tool

import data.house

deny contains {"gate": "LIMITED", "reason": "limited"} if input.tool in data.house.limited

must contains "SMALL" if house.most[input.role] > 3

deny contains {"gate": "PAIR", "reason": "pair"} if {
	rows := house.pairs[input.role]
	rows[_] == input.tool
}

deny contains {"gate": "ROW", "reason": "row"} if {
	some row in house.rows
	row.who == input.role
	input.tool in row.tools
}

deny contains {"gate": "DEEP", "reason": "deep"} if house.deep[input.role][input.tool] == true

deny contains {"gate": "KEY", "reason": "key"} if {
	some tool, most in house.by_tool
	tool == input.tool
	most < 1
}

deny contains {"gate": "NAMED", "reason": "named"} if house.most.WRITER < 2
`;
const FILES: { readonly [path: string]: string } = {
  "roles.yaml": "roles: [{ role_id: WRITER }, { role_id: EDITOR }]\n",
  "lanes.yaml":
    "lanes: [{ lane_id: L, allowed_callers: { roles: [WRITER, EDITOR] }, allowed_actions: { tools: [draft, publish] } }]\n",
  "tool_registry.yaml":
    "tools:\n  - { tool_name: draft, enabled: true, implementation_status: implemented }\n  - { tool_name: publish, enabled: true, implementation_status: implemented }\n",
  "house/data.yaml":
    "limited: [draft, 'publish']\nmost: { WRITER: 5, EDITOR: 6 }\npairs: { WRITER: [draft] }\nrows:\n  - { who: WRITER, tools: [publish, draft] }\n  - { who: EDITOR, tools: [] }\ndeep: { \"WRITER\": { draft: true } }\nby_tool: { draft: 1, publish: 2 }\nnote: { WRITER: draft }\n",
  "x.rego": RULES,
};

const setOf = (files = FILES): PolicySet => new PolicySet("/p", virtualHost({ "/p": { ...files } }));
const errors = async (files: typeof FILES): Promise<string[]> => {
  const { diagnostics } = await check({ host: virtualHost({ "/p": { ...files } }), dirs: ["/p"] });
  return diagnostics.filter((d) => d.severity === "error").map(({ message }) => message);
};

/** The files after a rename, asked for at a text of one of them. */
function renamed(path: string, text: string, newName: string): Record<string, string> {
  const set = setOf();
  const file = set.file(path);
  if (file === undefined) throw new Error(`no ${path}`);
  const offset = file.read.file.text.indexOf(text);
  if (offset < 0) throw new Error(`${path} has no ${text}`);
  const workspace = { uriOf: (name: string) => name.slice("/p/".length) } as Workspace;
  const edit = rename(workspace, { set } as Document, file, offset + 1, newName, true);
  const after = { ...FILES };
  for (const [at, edits] of Object.entries(edit?.changes ?? {})) after[at] = applied(FILES[at] as string, edits);
  return after;
}

describe("ids in data files", () => {
  it("are found where rules compare them, through variables, rows and tables", () => {
    const places = (kind: "role" | "tool", name: string): string[] =>
      setOf()
        .ids()
        .placesOf({ kind, name })
        .filter(({ span }) => span.file.name.endsWith("data.yaml"))
        .map(({ span }) => span.file.text.slice(0, textSpan(span).start).split("\n").at(-1) as string);
    expect(places("role", "WRITER").sort()).toEqual(["  - { who: ", 'deep: { "', "most: { ", "pairs: { "]);
    expect(places("tool", "publish").sort()).toEqual([
      "  - { who: WRITER, tools: [",
      "by_tool: { draft: 1, ",
      "limited: [draft, '",
    ]);
    expect(places("tool", "draft")).toHaveLength(5);
  });

  it.each([
    ["the registry", "tool_registry.yaml", "draft", "draft", "sketch.new"],
    ["a list of data", "house/data.yaml", "draft", "draft", "sketch"],
    ["a role's definition", "roles.yaml", "WRITER", "WRITER", "AUTHOR"],
    ["a key of data", "house/data.yaml", "WRITER: 5", "WRITER", "AUTHOR"],
    ["a path through the key", "x.rego", "WRITER < 2", "WRITER", "AUTHOR"],
  ])("are renamed with the rest, from %s", async (_, path, text, old, newName) => {
    expect(await errors(FILES)).toEqual([]);
    const after = renamed(path, text, newName);
    expect(await errors(after)).toEqual([]);
    const { "house/data.yaml": data = "", ...others } = after;
    // What no rule compares is left as it is.
    expect(data.replace("note: { WRITER: draft }", "")).not.toContain(old);
    expect(data).toContain("note: { WRITER: draft }");
    for (const [at, whole] of Object.entries(others)) expect(whole, at).not.toMatch(new RegExp(`\\b${old}\\b`));
  });

  it("are not renamed to what a path without quotes cannot name", () => {
    expect(() => renamed("roles.yaml", "WRITER", "a writer")).toThrow("without quotes");
    expect(renamed("tool_registry.yaml", "publish", "story publish")["house/data.yaml"]).toContain("'story publish'");
  });

  it.each([
    ["a list", "limited: [draft,", "limited: [drfat,", ["pipeline/impossible-comparison"]],
    ["a table", "WRITER: 5", "WRITR: 5", ["pipeline/impossible-comparison"]],
    // These `check` does not see, and the editor tells no more.
    ["a row", "who: WRITER", "who: WRITR", []],
    ["a table within a table", "draft: true", "drfat: true", []],
  ])("that are misspelt in %s are told as `check` tells them", async (_, right, wrong, codes) => {
    const files = { ...FILES, "house/data.yaml": (FILES["house/data.yaml"] as string).replace(right, wrong) };
    const set = setOf(files);
    const quick = set.findings().diagnostics;
    const whole = (await check({ host: set, dirs: ["/p"] })).diagnostics;
    const told = ({ code, span, message, fixes }: Diagnostic): string =>
      `${code} ${span?.file.name}:${span?.start} ${message} ${JSON.stringify(fixes?.map((f) => f.title))}`;
    expect(together(quick, beyondOf(whole, quick)).map(told).sort()).toEqual(whole.map(told).sort());
    const found = whole.filter(({ span }) => span?.file.name === "/p/house/data.yaml");
    expect(found.map(({ code }) => code)).toEqual(codes);
    expect(found.every((finding) => set.isCurrent(finding))).toBe(true);
  });
});

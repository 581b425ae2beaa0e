/** The generated types: unions of ids, and requests and decisions that hold callers to them. */

import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { generateTypes } from "../../compiler/bundle/types.ts";
import { compileFiles } from "../model/findings.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

const model = compileFiles({
  "roles.yaml": 'roles: [{ role_id: WRITER }, { role_id: "a\\"b" }]\n',
  "lanes.yaml": "lanes: [{ lane_id: L, allowed_callers: { roles: [WRITER] } }]\n",
  "tool_registry.yaml": `tools: [${Array.from({ length: 12 }, (_, i) => `{ tool_name: tool.number.${i} }`).join(", ")}]\n`,
  "AGENT_P.md": "---\nsubagents: [T-1]\n---\nAGENT_TYPE: 1\n",
  "AGENT_T_1.md": "AGENT_TYPE: 2\n",
  "a.manifest.yaml": "",
}).model;

const text = generateTypes(model);

/** Messages of the type checker for a program that imports the generated file. */
function check(program: string): string[] {
  const files = new Map([
    [`${root}test/bundle/__types.ts`, text],
    [`${root}test/bundle/__use.ts`, program],
  ]);
  const config = ts.parseJsonConfigFileContent(
    ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile).config,
    ts.sys,
    root,
  );
  const host = ts.createCompilerHost(config.options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (f) => files.has(f) || fileExists(f);
  host.readFile = (f) => files.get(f) ?? readFile(f);
  host.getSourceFile = (f, v, ...rest) => {
    const source = files.get(f);
    return source === undefined ? getSourceFile(f, v, ...rest) : ts.createSourceFile(f, source, v);
  };
  const built = ts.createProgram([...files.keys()], { ...config.options, noEmit: true, skipLibCheck: true }, host);
  return [...files.keys()].flatMap((f) => {
    const source = built.getSourceFile(f);
    return [...built.getSyntacticDiagnostics(source), ...built.getSemanticDiagnostics(source)].map((d) =>
      ts.flattenDiagnosticMessageText(d.messageText, "\n"),
    );
  });
}

describe("generated types", () => {
  it("are unions of the ids, sorted", () => {
    expect(text).toContain('export type Role = "WRITER" | "a\\"b";\n');
    expect(text).toContain('export type Lane = "L";\n');
    expect(text).toContain('export type Persona = "P";\n');
    expect(text).toContain('export type Subagent = "T-1" | "T_1";\n');
    expect(text).toContain('export type AgentType = "a";\n');
    expect(text).toContain("export type Mode = never;\n");
    expect(text).toContain('export type Tool =\n  | "tool.number.0"\n  | "tool.number.1"\n  | "tool.number.10"\n');
  });

  it("hold callers to the ids", () => {
    const importing = (names: string): string => `import type { ${names} } from "./__types.ts";\n`;
    expect(
      check(`${importing("Entrypoints, LaneRequest, LineageRequest, SubagentDecision, ToolRequest")}
        export const lane: LaneRequest = { role: "WRITER", lane: "L" };
        export const tool: ToolRequest = { role: 'a"b', lane: "L", tool: "tool.number.3" };
        export const lineage: LineageRequest = { lineage: [{ agent_type: "a", spawn_depth: 0 }] };
        export const delegates = (d: SubagentDecision): readonly ("T-1" | "T_1")[] => d.delegatedSubagents;
        export const allowed = (d: Entrypoints["portcullis/exec/decision"]["decision"]): boolean => d.allowed;
      `),
    ).toEqual([]);
    const wrong = check(`${importing("LaneRequest, LineageRequest, ToolRequest")}
      export const lane: LaneRequest = { role: "WRITTER", lane: "L" };
      export const tool: ToolRequest = { role: "WRITER", lane: "L", tool: "tool.number.33" };
      export const lineage: LineageRequest = { lineage: [{ agent_type: "b", spawn_depth: 0 }] };
    `);
    expect(wrong.length).toBe(3);
    expect(wrong[0]).toMatch(/"WRITTER"/);
  });
});

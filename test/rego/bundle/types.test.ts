/** The generated types: lists of ids with their types and guards, and what a policy set holds its callers to. */

import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { authoredFacts } from "../../../compiler/governance/checks/index.ts";
import { generateTypes } from "../../../compiler/governance/types.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { parseModule } from "../../../compiler/rego/syntax/index.ts";
import { compileFiles } from "../../governance/model/findings.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

const model = compileFiles({
  "roles.yaml": 'roles: [{ role_id: WRITER }, { role_id: "a\\"b" }]\n',
  "lanes.yaml":
    "lanes: [{ lane_id: L, allowed_callers: { roles: [WRITER] }, scope: { requires: [run_id], prohibits: [dry-run] } }]\n",
  "tool_registry.yaml": `tools: [${Array.from({ length: 12 }, (_, i) => `{ tool_name: tool.number.${i} }`).join(", ")}]\n`,
  "AGENT_P.md": "---\nsubagents: [T-1]\n---\nAGENT_TYPE: 1\n",
  "AGENT_T_1.md": "AGENT_TYPE: 2\n",
  "a.manifest.yaml": "",
}).model;

const facts = (...modules: string[]) =>
  authoredFacts(modules.map((text, i) => parseModule(new SourceFile(`m${i}.rego`, text)).module).filter((m) => !!m));

const rules = `package portcullis.ext.tool
deny contains {"gate": "LIMIT", "reason": "too_much"} if input.scope.amount > 5
deny contains {"gate": "LIMIT", "reason": concat("", ["over ", input.args.note])} if input.tool == "x"
`;
const demands = `package portcullis.ext.tool
# METADATA
# custom: { reason: too_late }
must contains "HOURS" if input.tool == "x"
must contains "HOURS" if input.role == "WRITER"
must contains "PLACE" if input.lane == "L"
`;
const own = `package house
# METADATA
# entrypoint: true
open := true
`;
const text = generateTypes(model, facts(rules, demands, own));

/** Files that every program has, read and bound once. */
const known = new Map<string, ts.SourceFile | undefined>();

/** Messages of the type checker for a program that imports the generated file. */
function check(program: string, types = text): string[] {
  const files = new Map([
    [`${root}test/rego/bundle/__types.ts`, types],
    [`${root}test/rego/bundle/__use.ts`, program],
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
    if (source !== undefined) return ts.createSourceFile(f, source, v);
    if (!known.has(f)) known.set(f, getSourceFile(f, v, ...rest));
    return known.get(f);
  };
  const built = ts.createProgram([...files.keys()], { ...config.options, noEmit: true, skipLibCheck: true }, host);
  return [...files.keys()].flatMap((f) => {
    const source = built.getSourceFile(f);
    return [...built.getSyntacticDiagnostics(source), ...built.getSemanticDiagnostics(source)].map(
      (d) =>
        `${d.file?.text.slice(0, d.start).split("\n").length}: ${ts.flattenDiagnosticMessageText(d.messageText, "\n")}`,
    );
  });
}

describe("generated types", () => {
  it("are lists of the ids, sorted, with a type and a guard each", () => {
    expect(text).toContain(
      'export const roles = ["WRITER", "a\\"b"] as const;\nexport type Role = (typeof roles)[number];\n',
    );
    expect(text).toContain('export const lanes = ["L"] as const;\n');
    expect(text).toContain('export const personas = ["P"] as const;\n');
    expect(text).toContain('export const subagents = ["T-1", "T_1"] as const;\n');
    expect(text).toContain('export const agentTypes = ["a"] as const;\n');
    expect(text).toContain("export const modes = [] as const;\n");
    expect(text).toContain('export const tools = [\n  "tool.number.0",\n  "tool.number.1",\n  "tool.number.10",\n');
    expect(text).toContain("export function isTool(value: unknown): value is Tool {\n");
  });

  it("guards know the ids and nothing that every object has", async () => {
    const source = ts.transpileModule(text, { compilerOptions: { target: ts.ScriptTarget.ES2022 } }).outputText;
    const made = (await import(`data:text/javascript,${encodeURIComponent(source)}`)) as {
      readonly isRole: (value: unknown) => boolean;
      readonly ids: { readonly roles: readonly string[] };
    };
    expect(made.ids.roles.every(made.isRole)).toBe(true);
    for (const other of ["writer", "toString", "__proto__", "0", "length", 0, null, undefined, ["WRITER"], {}])
      expect(made.isRole(other), String(other)).toBe(false);
  });

  it("say what a scope may hold: what lanes and tools need, what they prohibit, and what rules read", () => {
    expect(text).toContain("readonly run_id?: string | number;");
    expect(text).toContain('readonly "dry-run"?: unknown;');
    expect(text).toContain("readonly amount?: unknown;");
    const open = generateTypes(model, facts("package a\nx if some k, v in input.scope\n"));
    expect(open).toContain("readonly [key: string]: unknown;");
    expect(generateTypes(model, facts("package a\nimport input.scope\n"))).toContain(
      "readonly [key: string]: unknown;",
    );
    expect(generateTypes(model, facts("package a\nx if f(input)\n"))).toContain("readonly [key: string]: unknown;");
    expect(generateTypes(model, facts("package a\nx if input.lane == 1\n"))).not.toContain("[key: string]");
  });

  it("hold callers to the policy set, and need no cast", () => {
    const use = `import { load, loadFile, type Policy, guardTool, guardTurn } from "@portcullis/runtime";
      import { ids, type Ids, isTool, isRole, type CallRequest, type DecisionOf } from "./__types.ts";
    `.replace("loadFile, ", "");
    expect(
      check(`${use}
        export async function serve(bundle: Uint8Array, body: { role: unknown; tool: unknown }): Promise<string> {
          const policy: Policy<Ids> = await load<typeof ids>(bundle);
          if (!isRole(body.role) || !isTool(body.tool)) return "bad request";
          const args = { title: "x" };
          const decision = policy.tool({ role: body.role, lane: "L", tool: body.tool, scope: { run_id: 5, amount: 6 }, args });
          if (decision.allowed === true) return decision.reason satisfies "tool_allowed";
          switch (decision.gate) {
            case "LIMIT": return decision.reason satisfies string;
            case "HOURS": return decision.reason satisfies "too_late";
            case "PLACE": return decision.reason satisfies "requirement_not_met";
            case "LANE_AUTHORIZATION": return decision.lane_reason;
            case "TOOL": case "LANE_TOOL": case "TOOL_ENABLED": case "TOOL_IMPLEMENTED": case "EXTENSION": case "INTERNAL_ERROR":
              return decision.reason;
            default: return decision satisfies never;
          }
        }
        export const call = (policy: Policy<Ids>, request: CallRequest): boolean => policy.call(request).allowed === true;
        export const delegates = (d: DecisionOf<"subagent">): readonly ("T-1" | "T_1")[] => d.delegatedSubagents;
        export const guarded = (policy: Policy<Ids>) =>
          guardTool(policy, { role: "WRITER", lane: "L" }, "tool.number.1", (a: { n: number }) => a.n);
        export const turn = (policy: Policy<Ids>): readonly ("T-1" | "T_1")[] =>
          guardTurn(policy, { persona: "P", env: {} }).delegatedSubagents;
        export const mine = (policy: Policy<Ids>): unknown => policy.evaluate("house/open", 5);
        export const handle = (policy: Policy<Ids>) => policy.lane({ role: policy.intern("WRITER"), lane: "L" });
      `),
    ).toEqual([]);
    const wrong = check(`${use.replace("ids, ", "").replace("isTool, isRole, type CallRequest, type DecisionOf", "")}
      declare const policy: Policy<Ids>; export const typos = [ load, guardTurn,
        policy.lane({ role: "WRITTER", lane: "L" }),
        policy.tool({ role: "WRITER", lane: "L", tool: "tool.number.33" }),
        policy.tool({ role: "WRITER", lane: "L", tool: "tool.number.1", scope: { ammount: 5 } }),
        policy.lineage({ lineage: [{ agent_type: "b", spawn_depth: 0 }] }),
        policy.lane({ role: "WRITER", lane: "L" }).gate === "LIMIT",
        policy.tool({ role: "WRITER", lane: "L", tool: "tool.number.1" }).gate === "LIMITT",
        policy.evaluate("house/opne", 5),
        policy.evaluate("portcullis/lane/decision", { role: "WRITER" }),
        policy.lane({ role: policy.intern("WRITTER"), lane: "L" }),
        guardTool(policy, { role: "WRITER", lane: "L" }, "tool.number.33", () => 1),
      ];
    `);
    expect(wrong.map((w) => Number(w.split(":")[0])).filter((line, i, all) => all.indexOf(line) === i)).toEqual([
      5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
    ]);
    expect(wrong[0]).toMatch(/"WRITTER"/);
  });
});

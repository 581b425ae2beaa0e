/** The case files that come with the specification, where they are: `../shared/cases` beside the repository. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { lowerToData } from "../../../compiler/governance/lower/index.ts";
import { buildModel, checkModel } from "../../../compiler/governance/model/index.ts";
import { loadSources, type SourceDocument, toPlain } from "../../../compiler/governance/sources/index.ts";
import { hasErrors } from "../../../compiler/rego/diagnostics/diagnostic.ts";
import type { WrittenTool } from "../../statements/arguments.ts";
import type { WrittenLimit } from "../../statements/limits.ts";
import type { PolicyData } from "../../statements/policy.ts";
import { field } from "../../statements/values.ts";
import { type Files, virtualHost } from "../sources/virtual-host.ts";

const shared = fileURLToPath(new URL("../../../../shared/", import.meta.url));

export const hasCases = existsSync(`${shared}cases`);
if (!hasCases) console.warn("SKIPPED: ../shared/cases is not there");

/** What a case's `policy` may hold. */
export interface CasePolicy {
  readonly corpus?: string;
  readonly agents?: { readonly [file: string]: string };
  readonly subagents?: object;
  readonly lineage?: object;
  readonly manifests?: { readonly [type: string]: object };
  readonly roles?: string;
  readonly lanes?: string;
  readonly registry?: string;
  readonly exec?: object;
  readonly handoff?: object;
  /** Text of portcullis.yaml. */
  readonly settings?: string;
  /** Further files. */
  readonly files?: { readonly [name: string]: string };
}

export interface Case {
  readonly id: string;
  readonly tag: string;
  readonly policy: CasePolicy;
  readonly input: unknown;
  readonly expected: { readonly [key: string]: unknown };
}

export function readCases(name: string): Case[] {
  const text = readFileSync(`${shared}cases/${name}.jsonl`, "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Case);
}

/** The case's sources as files. JSON is YAML. */
export function policyFiles(policy: CasePolicy): Files {
  if (policy.corpus !== undefined) {
    const folder = `${shared}corpora/${policy.corpus}/`;
    return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(folder + name)]));
  }
  const settings = Object.entries({ subagents: policy.subagents, lineage: policy.lineage }).filter(
    ([, value]) => value !== undefined,
  );
  const files: [string, string | undefined][] = [
    [
      "portcullis.yaml",
      policy.settings ?? (settings.length > 0 ? JSON.stringify(Object.fromEntries(settings)) : undefined),
    ],
    ["roles.yaml", policy.roles],
    ["lanes.yaml", policy.lanes],
    ["tool_registry.yaml", policy.registry],
    ["exec.yaml", policy.exec && JSON.stringify(policy.exec)],
    ["handoff.yaml", policy.handoff && JSON.stringify(policy.handoff)],
    ...Object.entries(policy.files ?? {}),
    ...Object.entries(policy.agents ?? {}),
    ...Object.entries(policy.manifests ?? {}).map(([type, manifest], i): [string, string] => [
      `manifests/${i}.yaml`,
      JSON.stringify({ agent_type: type, ...manifest }),
    ]),
  ];
  return Object.fromEntries(files.filter((pair) => pair[1] !== undefined)) as Files;
}

/** The tables that the sources become, or the codes of the errors for which they are refused. */
export function lowered(files: Files): { readonly policy: PolicyData } | { readonly errors: readonly string[] } {
  const { set, diagnostics } = loadSources(virtualHost({ policy: files }), ["policy"]);
  const { model, diagnostics: building } = buildModel(set);
  const { text, diagnostics: lowering } = lowerToData(model, set.data);
  const found = [...diagnostics, ...building, ...checkModel(model), ...lowering];
  if (hasErrors(found)) return { errors: found.filter((one) => one.severity === "error").map((one) => one.code) };
  const { policy } = (JSON.parse(text) as { portcullis: { policy: PolicyData } }).portcullis;
  const limits = set.limits.flatMap(({ root }) => field(toPlain(root), "limits") as readonly WrittenLimit[]);
  const written = withWritten(policy, set.tools);
  return { policy: limits.length === 0 ? written : { ...written, written_limits: limits } };
}

/** What the statements read of the tools' arguments, beside what the gates do. */
function withWritten(policy: PolicyData, files: readonly SourceDocument[]): PolicyData {
  const tools = files.flatMap(
    ({ root }) => field(toPlain(root), "tools") as readonly (WrittenTool & { tool_name: string })[],
  );
  const written = new Map((tools ?? []).map((tool) => [tool.tool_name, tool]));
  const rows = Object.entries(policy.tools).map(([id, row]) => [
    id,
    row.arguments === undefined ? row : { ...row, written: written.get(id) },
  ]);
  return { ...policy, tools: Object.fromEntries(rows) };
}

/** diagnostics.md: every code with severity, message and explanation, as `portcullis --explain` has them. */

import { allCodes } from "../../governance/checks/index.ts";
import { anchorOf, type CodeEntry, type Severity } from "../../rego/diagnostics/codes.ts";
import { code, page, prose, table } from "./markdown.ts";

interface Kind {
  readonly severity: Severity;
  readonly when: string;
  readonly because: string;
  readonly codes: readonly string[];
}

/** Why a finding is what it is. */
const KINDS: readonly Kind[] = [
  {
    severity: "error",
    when: "a text cannot be read, or not in one way",
    codes: ["sources/duplicate-key", "sources/unknown-key", "model/duplicate-id", "model/confusable-id"],
    because: "two readers would take it for two policies, and one of the two may allow more",
  },
  {
    severity: "error",
    when: "a rule or a gate would never hold, or could be hidden",
    codes: [
      "pipeline/unknown-input",
      "pipeline/impossible-comparison",
      "pipeline/impossible-condition",
      "pipeline/reserved-package",
    ],
    because: "a `deny` that never fires keeps nothing out",
  },
  {
    severity: "error",
    when: "a role or an agent is named that is not described",
    codes: ["model/undefined-role", "model/subagent-undefined", "model/spawn-target-undefined", "model/root-undefined"],
    because:
      "who may act is what every gate asks, and a name without a description is most often another one's, misspelt; `subagents.unresolved: drop` leaves delegates out instead",
  },
  {
    severity: "warning",
    when: "a grant names nothing: a tool, a lane or a mode that is not defined",
    codes: ["model/undefined-tool", "model/undefined-inline-mode", "model/undefined-delegable-tool"],
    because: "whatever asks for it is denied, so the set is safe as it is, and less than was meant",
  },
  {
    severity: "warning",
    when: "a part does nothing: no request can reach it, or it admits no one",
    codes: [
      "model/tool-without-lane",
      "model/role-without-lane",
      "model/empty-part",
      "model/allowlist-resolves-to-nothing",
    ],
    because: "it denies, and its author may believe that it grants",
  },
  {
    severity: "warning",
    when: "Rego compiles, and cannot be meant: a condition that always holds, a rule written twice",
    codes: ["bugs/constant-condition", "bugs/impossible-not", "bugs/not-equals-in-loop", "bugs/duplicate-rule"],
    because:
      "it evaluates as it is written, in every OPA; a comment of Regal's, `# regal ignore:NAME`, silences one where it is meant",
  },
  {
    severity: "warning",
    when: "what is written is allowed, and more than most people mean",
    codes: ["model/spawn-cycle", "model/child-tools-exceed-parent", "model/child-paths-exceed-parent"],
    because:
      "other gates bound it (a cycle ends at `max_spawn_depth` and `max_chain`, and every agent of a chain needs the tool), so it is a question to the author",
  },
];

function kindRow({ severity, when, codes, because }: Kind): string[] {
  const wrong = codes.filter((name) => allCodes.get(name)?.severity !== severity);
  if (wrong.length > 0) throw new Error(`no ${severity}: ${wrong.join(", ")}`);
  const links = codes.map((name) => `[${code(name)}](#${anchorOf(name)})`);
  return [severity, when, links.join(", "), because, severity === "warning" ? "yes" : "no"];
}

export function diagnosticsPage(): string {
  const byStage = new Map<string, [string, CodeEntry][]>();
  for (const [name, entry] of [...allCodes].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const stage = name.slice(0, name.indexOf("/"));
    byStage.set(stage, [...(byStage.get(stage) ?? []), [name, entry]]);
  }
  const overview = [...byStage].map(([stage, entries]) => [
    `[${stage}](#${stage})`,
    String(entries.filter(([, e]) => e.severity === "error").length),
    String(entries.filter(([, e]) => e.severity === "warning").length),
  ]);
  return page(
    "Diagnostics",
    "the registries of codes (`compiler/*/codes.ts`)",
    "What `portcullis check` and `build` can find, by the stage that finds it. `{name}` stands for what is filled in. `portcullis --explain CODE` prints the same; `--strict` adds OPA's strict mode and turns warnings into errors, `check --deny-warnings` only fails for them, and `waive` of portcullis.yaml hides a warning that somebody has judged. Errors are never waived.",
    `## What is an error, and what a warning\n\n${table(["", "when", "such as", "because", "waivable"], KINDS.map(kindRow))}`,
    table(["stage", "errors", "warnings"], overview),
    ...[...byStage].map(([stage, entries]) => [`## ${stage}`, ...entries.map(section)].join("\n\n")),
  );
}

function section([name, { severity, message, explain, opa }]: [string, CodeEntry]): string {
  const ofOpa = opa === undefined ? "" : ` OPA: ${code(opa)}.`;
  return `### ${name}\n\n${severity}: ${prose(message)}.${ofOpa}\n\n${prose(explain)}`;
}

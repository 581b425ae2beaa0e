/** diagnostics.md: every code with severity, message and explanation, as `portcullis --explain` has them. */

import type { CodeEntry } from "../../base/codes.ts";
import { allCodes } from "../../codes.ts";
import { code, page, prose, table } from "./markdown.ts";

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
    "What `portcullis check` and `build` can find, by the stage that finds it. `{name}` stands for what is filled in. `portcullis --explain CODE` prints the same; `--strict` turns warnings into errors.",
    table(["stage", "errors", "warnings"], overview),
    ...[...byStage].map(([stage, entries]) => [`## ${stage}`, ...entries.map(section)].join("\n\n")),
  );
}

function section([name, { severity, message, explain, opa }]: [string, CodeEntry]): string {
  const ofOpa = opa === undefined ? "" : ` OPA: ${code(opa)}.`;
  return `### ${name}\n\n${severity}: ${prose(message)}.${ofOpa}\n\n${prose(explain)}`;
}

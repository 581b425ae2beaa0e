/** TAP 13 (https://testanything.org/tap-version-13-specification.html), a line a test; the reasons of failures as YAML. */

import type { TestResult } from "@portcullis/governance/testing";
import { causeLines } from "./test-results.ts";

export function tapReport(results: readonly TestResult[]): string {
  const rows = results.flatMap((result, i) => {
    const head = `${result.outcome === "pass" || result.outcome === "skip" ? "ok" : "not ok"} ${i + 1} - ${described(result.name)}`;
    if (result.outcome === "skip") return [`${head} # SKIP`];
    const printed = (result.printed ?? []).map((line) => `# ${line}`);
    if (result.failure === undefined) return [head, ...printed];
    const facts = { message: result.failure, severity: result.outcome, at: result.location, ...causeOf(result) };
    return [
      head,
      "  ---",
      ...Object.entries(facts).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`),
      "  ...",
      ...printed,
    ];
  });
  return `${["TAP version 13", `1..${results.length}`, ...rows].join("\n")}\n`;
}

function causeOf({ cause }: TestResult): { readonly cause?: string } {
  return cause === undefined ? {} : { cause: causeLines(cause).join("\n") };
}

/** A description ends at the first `#`, where a directive would begin. */
function described(name: string): string {
  return name.replaceAll("\\", "\\\\").replaceAll("#", "\\#");
}

/** Prints the coverage of rules. */

import type { Coverage } from "@portcullis/governance/testing";
import type { Terminal } from "../terminal.ts";

/** One line that says it all. */
export function coverageSummary({ coverage, own_coverage, covered_rules, not_covered_rules }: Coverage): string {
  const all = covered_rules + not_covered_rules;
  return `coverage: ${coverage} % of rules (${covered_rules} of ${all}), ${own_coverage} % of your own\n`;
}

/** The uncovered rules, by `file:row`. */
export function printCoverage(terminal: Terminal, coverage: Coverage): void {
  for (const [file, { not_covered }] of Object.entries(coverage.files))
    for (const row of not_covered) terminal.out(`${terminal.paint.yellow("not covered:")} ${file}:${row}\n`);
  terminal.out(coverageSummary(coverage));
}

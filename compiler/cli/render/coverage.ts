/** Prints the coverage of rules. */

import type { Coverage } from "@portcullis/governance/testing";
import type { Terminal } from "../terminal.ts";

/** One line that says it all. */
export function coverageSummary(coverage: Coverage): string {
  const { covered_rules, not_covered_rules, covered_lines, not_covered_lines } = coverage;
  const rules = `${coverage.coverage} % of rules (${covered_rules} of ${covered_rules + not_covered_rules})`;
  const lines = `${coverage.line_coverage} % of its lines (${covered_lines} of ${covered_lines + not_covered_lines})`;
  return `coverage: ${rules}, ${coverage.own_coverage} % of your own, ${lines}\n`;
}

/** The author's files in LCOV (`geninfo(1)`): how often each line was reached. */
export function lcovReport({ files }: Coverage): string {
  return Object.entries(files)
    .filter(([, { own }]) => own)
    .map(([file, { lines }]) => {
      const rows = Object.entries(lines);
      const hit = rows.filter(([, hits]) => hits > 0).length;
      const data = rows.map(([row, hits]) => `DA:${row},${hits}\n`);
      return `TN:\nSF:${file}\n${data.join("")}LF:${rows.length}\nLH:${hit}\nend_of_record\n`;
    })
    .join("");
}

/**
 * The lines of the author's files that were not reached, by `file:row` or `file:from-to`. Rules of the library are the tests' matter
 * where they count for the threshold; they are hundreds, and otherwise one line has their number.
 */
export function printCoverage(terminal: Terminal, coverage: Coverage, listsLibrary: boolean): void {
  let ofLibrary = 0;
  for (const [file, { not_covered, lines, own }] of Object.entries(coverage.files)) {
    if (!own) ofLibrary += not_covered.length;
    for (const rows of own ? missedRows(lines) : listsLibrary ? not_covered.map(String) : [])
      terminal.out(`${terminal.paint.yellow("not covered:")} ${file}:${rows}\n`);
  }
  if (ofLibrary > 0 && !listsLibrary)
    terminal.out(
      `${terminal.paint.yellow("not covered:")} ${ofLibrary} ${ofLibrary === 1 ? "rule" : "rules"} of the decision library (--threshold-all lists them)\n`,
    );
  terminal.out(coverageSummary(coverage));
}

/** Neighbours that were not reached are one range, with what lies between them and cannot be reached. */
function missedRows(lines: Coverage["files"][string]["lines"]): string[] {
  const ranges: { from: string; to: string; open: boolean }[] = [];
  for (const [row, hits] of Object.entries(lines)) {
    const last = ranges.at(-1);
    if (hits > 0) {
      if (last !== undefined) last.open = false;
    } else if (last?.open === true) last.to = row;
    else ranges.push({ from: row, to: row, open: true });
  }
  return ranges.map(({ from, to }) => (from === to ? from : `${from}-${to}`));
}

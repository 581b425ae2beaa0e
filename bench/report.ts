/** The tables of a run for people at a terminal. */

import { type Terminal, table } from "../compiler/cli/terminal.ts";
import type { Results } from "./results.ts";
import { provenance, sectionsOf } from "./tables.ts";
import { apartSections } from "./tables-apart.ts";

export function printResults(terminal: Terminal, results: Results): void {
  const { bold, dim, green, red } = terminal.paint;
  terminal.out(`${provenance(results)}\n`);
  for (const { title, text, rows, notes = [] } of [...sectionsOf(results), ...apartSections(results)]) {
    terminal.out(`\n${bold(title)}\n${dim(text)}\n\n`);
    const shown = table(rows, (cell, _, row) => {
      if (row === 0) return bold(cell);
      if (cell === "holds") return green(cell);
      if (cell.startsWith("exceeded")) return red(cell);
      return cell;
    });
    terminal.out(`${shown}\n`);
    for (const note of notes) terminal.out(dim(`  ${note}\n`));
  }
}

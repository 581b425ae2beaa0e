/** bench/results/latest.md: every table of a run, made from its results alone. */

import type { Results } from "./results.ts";
import { markdownTable, provenance, sectionsOf } from "./tables.ts";
import { apartSections } from "./tables-apart.ts";

export function markdownOf(results: Results): string {
  const sections = [...sectionsOf(results), ...apartSections(results)].map(({ title, text, rows, notes = [] }) =>
    [`## ${title}`, text, markdownTable(rows), ...notes.map((note) => `- ${note}`)].join("\n\n"),
  );
  const head = `# Results\n\nWritten by \`make bench\` from \`latest.json\`; [bench/README.md](../README.md) says how to read it.\n\n${provenance(results)}\n\n![Percentiles of single decisions](latest.svg)`;
  return `${[head, ...sections].join("\n\n")}\n`;
}

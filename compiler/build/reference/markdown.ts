/** The little of Markdown that the reference pages are written in. */

/** A table; cells are Markdown already. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map((c) => c.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** A text as code within a line. */
export function code(text: string): string {
  const fence = text.includes("`") ? "``" : "`";
  return text.startsWith("`") || text.endsWith("`") ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`;
}

/** A text that may hold code in backticks: outside of it, nothing is taken for Markdown or HTML. */
export function prose(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, i) => (i % 2 === 1 ? part : part.replace(/[<>*_]/g, "\\$&")))
    .join("");
}

/** A page: title, where it comes from, what it says. */
export function page(title: string, source: string, ...parts: readonly string[]): string {
  const head = `# ${title}\n\nWritten by \`make generate\` from ${source}; \`make check\` fails when it is stale.`;
  return `${[head, ...parts].map((part) => part.trim()).join("\n\n")}\n`;
}

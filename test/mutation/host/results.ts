/** The table of results in HOST.md: a row a file, from the last time that all of its mutants were asked. */
import { readFileSync, writeFileSync } from "node:fs";

/** One file: how many mutants there are, and what became of them. */
export interface Row {
  /** From the top of the repository. */
  readonly file: string;
  readonly mutants: number;
  readonly killed: number;
  /** Did not build. */
  readonly refused: number;
  /** Survived, and is listed with the reason why it cannot be noticed. */
  readonly equivalent: number;
  readonly survived: number;
}

const COLUMNS = ["mutants", "killed", "refused", "equivalent", "survived"] as const;
const page = new URL("../HOST.md", import.meta.url);
const HEAD = `| file | ${COLUMNS.join(" | ")} |\n|---|${COLUMNS.map(() => "---:").join("|")}|\n`;

/** The files in the table, all of whose mutants were asked once. */
export function notedFiles(): ReadonlySet<string> {
  return new Set(
    readFileSync(page, "utf8")
      .split("\n")
      .flatMap(rowOf)
      .map(({ file }) => file),
  );
}

/** Writes the rows into the table, each in the place of the file's last one. Rows of files that are `gone` leave it. */
export function note(rows: readonly Row[], isGone: (file: string) => boolean): void {
  const text = readFileSync(page, "utf8");
  const start = text.indexOf(HEAD) + HEAD.length;
  const known = text.slice(start).split("\n").flatMap(rowOf);
  const all = new Map([...known, ...rows].filter(({ file }) => !isGone(file)).map((row) => [row.file, row]));
  const sorted = [...all.values()].sort((a, b) => (a.file < b.file ? -1 : 1));
  const sum = (column: (typeof COLUMNS)[number]): number => sorted.reduce((total, row) => total + row[column], 0);
  const lines = sorted.map((row) => `| \`${row.file}\` | ${COLUMNS.map((column) => row[column]).join(" | ")} |`);
  const total = `| **all** | ${COLUMNS.map(sum).join(" | ")} |`;
  writeFileSync(page, `${text.slice(0, start)}${[...lines, total].join("\n")}\n`);
}

function rowOf(line: string): Row[] {
  const cells = /^\| `([^`]+)` \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$/.exec(line);
  if (cells === null) return [];
  const [mutants, killed, refused, equivalent, survived] = cells.slice(2).map(Number) as [
    ...[number, number, number, number, number],
  ];
  return [{ file: cells[1] as string, mutants, killed, refused, equivalent, survived }];
}

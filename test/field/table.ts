/** The totals of a run as a page. */

import { OPA_VERSION } from "../conformance/opa-release.ts";

export interface Row {
  readonly name: string;
  readonly commit: string;
  readonly tests: number;
  readonly passed: number;
  /** CPU seconds. */
  readonly cpu: { readonly opa: number; readonly ours: number };
  /** Files that both tools format, and those of them that are listed as formatted otherwise. */
  readonly files: number;
  readonly known: number;
  readonly problems: readonly string[];
}

/** Nothing where nothing was tested. */
function ratio({ opa, ours }: Row["cpu"]): string {
  return opa === 0 ? "" : (ours / opa).toFixed(1);
}

export function table(rows: readonly Row[]): string {
  const sum = (of: (row: Row) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const cells = (name: string, commit: string, r: Omit<Row, "name" | "commit">): string =>
    `| ${name} | ${commit} | ${r.tests} | ${r.passed} | ${r.problems.length} | ${r.cpu.opa.toFixed(1)} | ${r.cpu.ours.toFixed(1)} | ${ratio(r.cpu)} | ${r.files} | ${r.known} |`;
  const lines = rows.map((r) => cells(r.name, `\`${r.commit.slice(0, 10)}\``, r));
  const total = cells("all", "", {
    tests: sum((r) => r.tests),
    passed: sum((r) => r.passed),
    cpu: { opa: sum((r) => r.cpu.opa), ours: sum((r) => r.cpu.ours) },
    files: sum((r) => r.files),
    known: sum((r) => r.known),
    problems: rows.flatMap((r) => r.problems),
  });
  return `# Public repositories through both tools

Written by \`make field\`. Tests: how many there are, how many pass in OPA ${OPA_VERSION}, and what differs between \`opa test\` and
\`portcullis test\`, or is formatted otherwise and not listed with its reason in [exceptions.ts](exceptions.ts). CPU: seconds of all
\`test\` runs of the repository, and ours by OPA's. Files: those that \`opa fmt\` takes, and the listed ones.

| repository | commit | tests | pass | differ | CPU, opa | CPU, ours | ratio | files | listed |
|---|---|--:|--:|--:|--:|--:|--:|--:|--:|
${[...lines, total].join("\n")}
`;
}

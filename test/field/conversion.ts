/** `opa fmt --v0-v1` against `portcullis fmt --v0-v1`: every module of a folder, byte for byte, and which ones are refused. */

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { convertModule } from "../../compiler/rego/analyze/index.ts";
import { SourceFile } from "../../compiler/rego/diagnostics/source-file.ts";
import { OPA_VERSION } from "../conformance/opa-release.ts";

export interface Converted {
  readonly name: string;
  readonly commit: string;
  /** That OPA converts, and those that both refuse. */
  readonly files: number;
  readonly refused: number;
  /** Listed with their reason. */
  readonly known: number;
  readonly problems: readonly string[];
}

/** Converted otherwise, or by one tool alone, and why. An entry of files that agree is one to delete. */
const GIVES_UP =
  "OPA meets a comment where it expects none, and leaves the rule as it was written, without the last commas.";
const BREAKS =
  "What OPA writes is no module, as it says itself: it leaves out the head of a rule of several bodies with comments.";
const exceptions: ReadonlyMap<string, string> = new Map([
  ["regula/rego/tests/lib/fugue_regula_report_04_test.rego", GIVES_UP],
  ["regula/rego/tests/lib/fugue_regula_scan_view_03_test.rego", GIVES_UP],
  ["k8s-security-policies/policies/CIS.1.3.4/CIS.1.3.4.rego", GIVES_UP],
  ["k8s-security-policies/policies/CIS.1.3.5/CIS.1.3.5.rego", GIVES_UP],
  ["gatekeeper-library/src/general/noupdateserviceaccount/src.rego", BREAKS],
]);

export function compareConversion(name: string, commit: string, checkout: string): Converted {
  const names = readdirSync(checkout, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".rego") && !file.startsWith(".git/"))
    .sort();
  let files = 0;
  let refused = 0;
  const different: string[] = [];
  for (const file of names) {
    const theirs = spawnSync("opa", ["fmt", "--v0-v1", file], { cwd: checkout, encoding: "utf8" });
    const { text } = convertModule(new SourceFile(file, readFileSync(join(checkout, file), "utf8")));
    if (theirs.status === 0) files++;
    else if (text === undefined) refused++;
    if ((theirs.status === 0 ? theirs.stdout : undefined) !== text) different.push(file);
  }
  const known = different.filter((file) => exceptions.has(`${name}/${file}`));
  const alike = [...exceptions.keys()]
    .filter((key) => key.startsWith(`${name}/`))
    .map((key) => key.slice(name.length + 1))
    .filter((file) => !known.includes(file));
  const problems = [
    ...different.filter((file) => !known.includes(file)).map((file) => `${file} is converted otherwise`),
    ...alike.map((file) => `${file} is listed as converted otherwise, and is not`),
  ];
  return { name, commit, files, refused, known: known.length, problems };
}

export function conversionTable(rows: readonly Converted[]): string {
  const sum = (of: (row: Converted) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const cells = (name: string, commit: string, r: Omit<Converted, "name" | "commit">): string =>
    `| ${name} | ${commit} | ${r.files} | ${r.refused} | ${r.problems.length} | ${r.known} |`;
  const total = {
    files: sum((r) => r.files),
    refused: sum((r) => r.refused),
    known: sum((r) => r.known),
    problems: rows.flatMap((r) => r.problems),
  };
  return `# Rego v0 of public repositories, converted by both tools

Written by \`make field\`. Files: those that \`opa fmt --v0-v1\` of ${OPA_VERSION} converts. Refused: those that neither tool converts
(deprecated builtins, templates, files that are not Rego). Differ: what \`portcullis fmt --v0-v1\` writes otherwise, by a byte; listed: with
its reason in [conversion.ts](conversion.ts).

| repository | commit | files | refused | differ | listed |
|---|---|--:|--:|--:|--:|
${[...rows.map((r) => cells(r.name, `\`${r.commit.slice(0, 10)}\``, r)), cells("all", "", total)].join("\n")}
`;
}

/** Prints findings: for people, as JSON, as SARIF 2.1.0 for code scanning, or as GitHub workflow commands. */

import { BUILD_OUTPUT } from "@portcullis/documents";
import { allCodes } from "@portcullis/governance/checks";
import { anchorOf, type Diagnostic, diagnosticText, sortDiagnostics } from "@portcullis/rego/diagnostics";
import type { Terminal } from "../terminal.ts";
import { sarifLog } from "./sarif.ts";
import { workflowCommand } from "./workflow-command.ts";

export const FINDING_FORMATS = ["human", "json", "sarif", "github"] as const;
export type FindingFormat = (typeof FINDING_FORMATS)[number];

/** What a command may be asked to print in. The formats of test results have no place for findings. */
export type OutputFormat = FindingFormat | "junit" | "tap";

/**
 * Every command prints findings here, so that they look alike: for people on standard error, for machines on standard output.
 */
export function reportDiagnostics(terminal: Terminal, diagnostics: readonly Diagnostic[], format: OutputFormat): void {
  const sorted = sortDiagnostics(diagnostics);
  switch (format) {
    case "human":
    case "junit":
    case "tap":
      for (const d of firstOfEach(sorted)) terminal.err(`${diagnosticText(d, terminal.paint)}\n\n`);
      if (sorted.length > 0) terminal.err(`${groups(sorted)}${summary(sorted)}\n`);
      return;
    case "json":
      terminal.out(`${JSON.stringify({ diagnostics: sorted.map(jsonDiagnostic) }, null, 2)}\n`);
      return;
    case "sarif":
      terminal.out(`${JSON.stringify(sarif(sorted), null, 2)}\n`);
      return;
    case "github":
      for (const d of sorted) terminal.command(githubCommand(d));
      return;
  }
}

/** How many findings of one code people are shown. */
const SHOWN = 10;

function firstOfEach(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const shown = new Map<string, number>();
  return diagnostics.filter(({ code }) => {
    const count = (shown.get(code) ?? 0) + 1;
    shown.set(code, count);
    return count <= SHOWN;
  });
}

/** A row for every code with several findings, the most frequent first. */
function groups(diagnostics: readonly Diagnostic[]): string {
  const counts = new Map<string, number>();
  for (const { code } of diagnostics) counts.set(code, (counts.get(code) ?? 0) + 1);
  const several = [...counts].filter(([, n]) => n > 1).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return several
    .map(([code, n]) => `${String(n).padStart(5)} × ${code}${n > SHOWN ? `, of which ${SHOWN} are shown` : ""}\n`)
    .join("");
}

/** Which files were left out and why: with `verbose` all of them, else only what a build wrote. */
export function printNotes(terminal: Terminal, notes: readonly string[], verbose: boolean): void {
  for (const note of notes) if (verbose || note.endsWith(BUILD_OUTPUT)) terminal.err(`note: ${note}\n`);
}

function summary(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter((d) => d.severity === "error").length;
  const warnings = diagnostics.length - errors;
  const count = (n: number, word: string): string => `${n} ${word}${n === 1 ? "" : "s"}`;
  const explained = (diagnostics.find((d) => d.severity === "error") ?? diagnostics[0])?.code ?? "";
  return `${count(errors, "error")}, ${count(warnings, "warning")} (\`portcullis --explain ${explained}\` tells more)`;
}

/** The shape of a finding in `--format json`; lines and columns count from 1. */
export function jsonDiagnostic(d: Diagnostic): object {
  return {
    code: d.code,
    severity: d.severity,
    message: d.message,
    ...(d.span === undefined ? {} : jsonLocation(d.span)),
    help: d.help,
    opa_code: d.opa,
    ...(d.related === undefined
      ? {}
      : { related: d.related.map((r) => ({ message: r.message, ...jsonLocation(r.span) })) }),
  };
}

function jsonLocation(span: NonNullable<Diagnostic["span"]>): object {
  const start = span.file.positionAt(span.start);
  const end = span.file.positionAt(span.end);
  return { file: span.file.name, line: start.line, column: start.column, end_line: end.line, end_column: end.column };
}

function sarif(diagnostics: readonly Diagnostic[]): object {
  const codes = [...new Set(diagnostics.map((d) => d.code))].sort();
  const results = diagnostics.map((d) => ({
    ruleId: d.code,
    level: d.severity,
    message: { text: d.help === undefined ? d.message : `${d.message}; ${d.help}` },
    locations: d.span === undefined ? [] : [sarifLocation(d.span)],
  }));
  return sarifLog({ informationUri: PAGE, rules: codes.map(sarifRule) }, results);
}

/** Where every code is explained. */
const PAGE = "https://github.com/portcullis/portcullis/blob/main/generated/reference/diagnostics.md";

function sarifRule(id: string): object {
  const entry = allCodes.get(id);
  if (entry === undefined) return { id };
  return {
    id,
    name: id,
    shortDescription: { text: entry.message },
    fullDescription: { text: entry.explain },
    help: { text: `${entry.explain}\n\n\`portcullis --explain ${id}\` says this too.` },
    helpUri: `${PAGE}#${anchorOf(id)}`,
    defaultConfiguration: { level: entry.severity },
  };
}

function sarifLocation(span: NonNullable<Diagnostic["span"]>): object {
  const start = span.file.positionAt(span.start);
  const end = span.file.positionAt(span.end);
  return {
    physicalLocation: {
      artifactLocation: { uri: encodeURI(span.file.name) },
      region: { startLine: start.line, startColumn: start.column, endLine: end.line, endColumn: end.column },
    },
  };
}

function githubCommand(d: Diagnostic): string {
  return workflowCommand(
    d.severity,
    { ...(d.span === undefined ? {} : githubPlace(d.span)), title: d.code },
    d.help === undefined ? d.message : `${d.message}; ${d.help}`,
  );
}

function githubPlace(span: NonNullable<Diagnostic["span"]>): Readonly<Record<string, string | number>> {
  const start = span.file.positionAt(span.start);
  const end = span.file.positionAt(span.end);
  return { file: span.file.name, line: start.line, col: start.column, endLine: end.line, endColumn: end.column };
}

/** Findings as the protocol has them, by document. */

import type { Edit, Diagnostic as Finding, Fix, Span } from "@portcullis/rego/diagnostics";
import { type Diagnostic, DiagnosticSeverity, type Range } from "vscode-languageserver";
import type { PolicySet } from "./policy-set.ts";
import { rangeOf } from "./text.ts";
import type { Workspace } from "./workspace.ts";

const NOWHERE = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

/** The findings of a set by the URI of their document. */
export function diagnosticsByUri(
  workspace: Workspace,
  set: PolicySet,
  findings: readonly Finding[],
): Map<string, Diagnostic[]> {
  const byUri = new Map<string, Diagnostic[]>();
  const home = homeOf(set);
  const seen = new Set<string>();
  for (const finding of findings) {
    const name =
      finding.span === undefined || set.pathOf(finding.span.file.name) === undefined ? home : finding.span.file.name;
    if (name === undefined) continue;
    const diagnostic = toDiagnostic(workspace, finding, name);
    const key = JSON.stringify([name, diagnostic.range, diagnostic.code, diagnostic.message]);
    if (seen.has(key)) continue;
    seen.add(key);
    const uri = workspace.uriOf(name);
    const same = byUri.get(uri);
    if (same === undefined) byUri.set(uri, [diagnostic]);
    else same.push(diagnostic);
  }
  return byUri;
}

function toDiagnostic(workspace: Workspace, finding: Finding, name: string): Diagnostic {
  const { code, severity, message, span, help, related, fixes } = finding;
  const range = span !== undefined && span.file.name === name ? rangeOf(span) : NOWHERE;
  return {
    range,
    severity: severity === "error" ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
    code,
    source: "portcullis",
    message: help === undefined ? message : `${message}\n${help}`,
    ...(fixes === undefined ? {} : { data: { fixes: fixes.map((fix) => fixData(fix, span)) } }),
    ...(related === undefined
      ? {}
      : {
          relatedInformation: related.map((r) => ({
            location: { uri: workspace.uriOf(r.span.file.name), range: rangeOf(r.span) },
            message: r.message,
          })),
        }),
  };
}

/** What a client hands back with the finding when it asks for quick fixes. */
export interface FixData {
  readonly kind: Fix["kind"];
  readonly title: string;
  /** Without a range: what the finding marks, wherever it has moved to since. */
  readonly edits: readonly { readonly range?: Range; readonly newText: string }[];
}

function fixData({ kind, title, edits }: Fix, at: Span | undefined): FixData {
  const isMark = (edit: Edit): boolean => edit.at.start === at?.start && edit.at.end === at.end;
  return {
    kind,
    title,
    edits: edits.map((edit) => ({ newText: edit.text, ...(isMark(edit) ? {} : { range: rangeOf(edit.at) }) })),
  };
}

/** Where findings stand that have no place: a part that is absent, a folder without sources. */
function homeOf(set: PolicySet): string | undefined {
  const paths = [...set.files().keys()];
  const path = ["portcullis.yaml", "lanes.yaml", "roles.yaml"].find((p) => paths.includes(p)) ?? paths[0];
  return path === undefined ? undefined : `${set.dir}/${path}`;
}

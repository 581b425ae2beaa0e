/**
 * One fault is one finding: what only follows from another finding is left out. A misspelt role of a lane is the cause; that
 * the role meant is admitted by no lane follows, and would be gone with it. What a finding may follow from, it says itself.
 */

import { type CauseRule, type Diagnostic, hasErrors } from "@portcullis/rego/diagnostics";
import { syntaxCauses } from "../sources/index.ts";

/** The findings without those that follow from others. A warning from which an error follows is an error: it stands for it. */
export function causesOf(found: readonly Diagnostic[]): Diagnostic[] {
  const diagnostics = withoutTwins(syntaxCauses(found));
  const byCode = new Map<string, Diagnostic[]>();
  for (const d of diagnostics) {
    const same = byCode.get(d.code);
    if (same === undefined) byCode.set(d.code, [d]);
    else same.push(d);
  }
  const errors = diagnostics.filter((d) => d.severity === "error");
  const standing = new Set<Diagnostic>();
  const kept = diagnostics.filter((d) => {
    const causes = (d.causedBy ?? []).flatMap((rule) =>
      (rule.code === undefined ? errors : (byCode.get(rule.code) ?? [])).filter((c) => c !== d && follows(d, c, rule)),
    );
    if (d.severity === "error") for (const cause of causes) standing.add(cause);
    return causes.length === 0;
  });
  const told = kept.map((d): Diagnostic => (standing.has(d) ? { ...d, severity: "error" } : d));
  // Whatever the rules say, a set with an error does not compile.
  return hasErrors(diagnostics) && !hasErrors(told) ? [...diagnostics] : told;
}

/** What is found in any Rego, without what the checks of decisions say of the same place: they know what a denial is for. */
function withoutTwins(found: readonly Diagnostic[]): readonly Diagnostic[] {
  const isBug = ({ code }: Diagnostic): boolean => code.startsWith("bugs/");
  const others = found.filter((d) => !isBug(d));
  const isIn = ({ span: inner }: Diagnostic, { span: outer }: Diagnostic): boolean =>
    inner !== undefined &&
    outer !== undefined &&
    inner.file === outer.file &&
    outer.start <= inner.start &&
    inner.end <= outer.end;
  return found.filter((d) => !isBug(d) || !others.some((other) => isIn(other, d)));
}

function follows(d: Diagnostic, cause: Diagnostic, rule: CauseRule): boolean {
  switch (rule.by) {
    case "any":
      return true;
    case "file":
      return fileOf(d) === fileOf(cause);
    case "line":
      return lineOf(d) === lineOf(cause) && startOf(cause) < startOf(d);
    case "place":
      return fileOf(d) === fileOf(cause) && d.span?.start === cause.span?.start;
    case "related":
      return (d.related ?? []).some(({ span }) => span.file.name === fileOf(cause));
    case "entry":
      return cause.params?.["entry"] === rule.entry;
    case "absent":
      return cause.params?.["file"] === rule.file;
    case "parameters":
      return cause.params?.[rule.cause] === d.params?.[rule.finding];
    case "meant":
      return fileOf(d) === fileOf(cause) && cause.meant?.includes(String(d.params?.[rule.parameter])) === true;
    case "unread":
      return rule.file.test(fileOf(cause)) && cause.code.startsWith(`${rule.stage ?? stageOf(cause)}/`);
    case "names": {
      const names = namesOf(cause);
      return [...namesOf(d)].some((name) => names.has(name));
    }
  }
}

function stageOf({ code }: Diagnostic): string {
  return code.slice(0, code.indexOf("/"));
}

function fileOf({ span }: Diagnostic): string {
  return span?.file.name ?? "";
}

function startOf({ span }: Diagnostic): number {
  return span?.start ?? -1;
}

function lineOf({ span }: Diagnostic): string {
  return span === undefined ? "" : `${span.file.name}:${span.file.positionAt(span.start).line}`;
}

/** Ids that a finding is about: those that its message names, what it marks, and what was meant. */
function namesOf({ params, meant = [], span }: Diagnostic): Set<string> {
  const values = Object.values(params ?? {}).flatMap((value) => [String(value), visible(String(value))]);
  const marked = span === undefined ? "" : span.file.text.slice(span.start, span.end);
  const names = [...values, ...(marked.length < 100 ? [marked, visible(marked)] : []), ...meant];
  return new Set(names.filter((name) => name !== ""));
}

/** Without quotes and what cannot be seen. */
function visible(text: string): string {
  return text.replace(/[\p{Cf}\s"'\u2018-\u201f]/gu, "");
}

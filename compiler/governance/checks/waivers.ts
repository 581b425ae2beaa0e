/**
 * Warnings that a policy set lives with: `waive` of portcullis.yaml. An error is never waived: it says that the set cannot be
 * read in one way, or that a rule would not hold. A waiver that hides nothing, or whose day has passed, is itself a finding.
 */

import { type Diagnostic, didYouMean, hasErrors } from "@portcullis/rego/diagnostics";
import type { Waiver } from "../model/index.ts";
import { allCodes } from "./all-codes.ts";
import { pipelineDiagnostic } from "./codes.ts";

export interface Waived {
  /** What is left, and what is wrong with the waivers. */
  readonly diagnostics: readonly Diagnostic[];
  /** One for each waiver that hides something. */
  readonly notes: readonly string[];
}

/** `today` is `YYYY-MM-DD`. Without it no `until` holds: its day may have passed. */
export function applyWaivers(
  found: readonly Diagnostic[],
  waivers: readonly Waiver[],
  today: string | undefined,
): Waived {
  const problems: Diagnostic[] = [];
  const notes: string[] = [];
  const hidden = new Set<Diagnostic>();
  for (const waiver of waivers) {
    const problem = problemOf(waiver, today);
    if (problem !== undefined) {
      problems.push(problem);
      continue;
    }
    const matching = found.filter((d) => covers(waiver, d));
    // Where there are errors, what comes after them was not looked for.
    if (!hasErrors(found) && matching.every((d) => hidden.has(d))) problems.push(unused(waiver, found));
    for (const d of matching) hidden.add(d);
    if (matching.length > 0)
      notes.push(`${waiver.at.name}: ${matching.length} × ${waiver.code.name} waived: ${waiver.reason.name}`);
  }
  return { diagnostics: [...found.filter((d) => !hidden.has(d)), ...problems], notes };
}

/** What makes a waiver hide nothing at all. */
function problemOf({ code, until, reason }: Waiver, today: string | undefined): Diagnostic | undefined {
  const entry = allCodes.get(code.name);
  if (entry === undefined)
    return pipelineDiagnostic(
      "pipeline/unknown-waiver",
      { code: code.name },
      code.span,
      didYouMean(code.name, allCodes.keys()),
    );
  if (entry.severity === "error" || code.name in OF_WAIVERS)
    return pipelineDiagnostic("pipeline/waiver-of-error", { code: code.name }, code.span);
  if (reason.name.trim() === "") return pipelineDiagnostic("pipeline/waiver-without-reason", {}, reason.span);
  if (until === undefined) return undefined;
  if (!isDay(until.name))
    return pipelineDiagnostic("pipeline/waiver-date", { until: until.name }, until.span, {
      help: "write it as `2027-04-30`",
    });
  if (today === undefined || until.name < today)
    return pipelineDiagnostic("pipeline/expired-waiver", { code: code.name, until: until.name }, until.span);
  return undefined;
}

/** Findings about waivers cannot be waived. */
const OF_WAIVERS: { readonly [code: string]: true } = {
  "pipeline/unused-waiver": true,
  "pipeline/expired-waiver": true,
};

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true;
}

/** `FILE`, or `FILE#NAME` for findings that name it; `.` for those of the set as a whole. */
function covers({ code, at }: Waiver, found: Diagnostic): boolean {
  if (found.code !== code.name || found.severity !== "warning") return false;
  const [file = "", name] = at.name.split(/#(.*)/s);
  const place = found.span?.file.name ?? ".";
  if (file === "" || !(place === file || place.endsWith(`/${file}`))) return false;
  return name === undefined || Object.values(found.params ?? {}).some((value) => String(value) === name);
}

function unused({ code, at }: Waiver, found: readonly Diagnostic[]): Diagnostic {
  const places = found.flatMap((d) =>
    d.code === code.name && d.span !== undefined ? namesOf(d.span.file.name, d) : [],
  );
  const near = didYouMean(at.name, places);
  return pipelineDiagnostic("pipeline/unused-waiver", { code: code.name, at: at.name }, at.span, {
    help: "remove it, or write the file as findings show it, with `#NAME` for one that names it",
    ...near,
  });
}

/** How a waiver may name the place of a finding. */
function namesOf(path: string, { params }: Diagnostic): string[] {
  const files = [path, path.replace(/^[^/]*\//, "")];
  return files.flatMap((file) => [file, ...Object.values(params ?? {}).map((value) => `${file}#${value}`)]);
}

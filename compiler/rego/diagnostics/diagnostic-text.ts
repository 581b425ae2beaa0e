/** A finding for people: where, what, the lines of source with the fault underlined, and the next step. */

import { codeFrame } from "./code-frame.ts";
import type { Diagnostic } from "./diagnostic.ts";
import { escapeUnprintable } from "./printable.ts";
import type { Span } from "./span.ts";

/** Colours are functions, so that this file knows nothing of terminals. */
export interface DiagnosticPaint {
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
}

const plain: DiagnosticPaint = { dim: String, red: String, yellow: String, cyan: String };

/**
 * `authz.rego:3:5: error[rego/unexpected-token]: …`, a code frame, notes and help, in several lines without a last line end.
 * Lines and columns count from 1, columns in UTF-16 units. Control characters of the source's texts are escaped.
 *
 * `paint`: functions that colour parts of it. Default: no colours.
 */
export function diagnosticText(d: Diagnostic, paint: DiagnosticPaint = plain): string {
  const mark = d.severity === "error" ? paint.red : paint.yellow;
  const at = d.span === undefined ? "" : `${placeText(d.span)}: `;
  const rows = [`${at}${mark(d.severity)}[${d.code}]: ${oneLine(d.message)}`];
  if (d.span !== undefined) rows.push(codeFrame(d.span, { dim: paint.dim, mark }));
  for (const { message, span } of d.related ?? [])
    rows.push(`${paint.dim("note:")} ${oneLine(message)} (${placeText(span)})`);
  if (d.help !== undefined) rows.push(`${paint.cyan("help:")} ${escapeUnprintable(d.help)}`);
  return rows.join("\n");
}

function placeText({ file, start }: Span): string {
  const { line, column } = file.positionAt(start);
  return `${oneLine(file.name)}:${line}:${column}`;
}

/** Nothing from outside begins a line of its own. */
function oneLine(text: string): string {
  return escapeUnprintable(text.replace(/\n/g, "\\n"));
}

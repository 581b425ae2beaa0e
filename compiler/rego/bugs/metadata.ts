/** Annotations that nothing reads. */

import { type Diagnostic, nearest, span } from "../diagnostics/index.ts";
import type { AnnotationBlock, Module } from "../syntax/index.ts";
import { bugDiagnostic } from "./codes.ts";
import type { Looked } from "./found.ts";

/** What only an annotation says: other words may begin a sentence. */
const ANNOTATING = /^\s*(entrypoint:\s*true|scope:\s*(rule|document|package|subpackages))\s*$/;

const ATTRIBUTES: readonly string[] = [
  ...["title", "description", "related_resources", "authors", "organizations", "schemas", "scope", "entrypoint"],
  ...["compile", "labels", "custom"],
];

export function* checkMetadata({ modules }: Looked): Iterable<Diagnostic> {
  for (const { module } of modules) {
    yield* stray(module);
    for (const block of module.annotations) yield* attributes(block);
  }
}

function* stray({ comments, annotations }: Module): Iterable<Diagnostic> {
  for (const { text, span: at } of comments) {
    if (!ANNOTATING.test(text) || annotations.some((a) => a.span.start <= at.start && at.end <= a.span.end)) continue;
    yield bugDiagnostic("bugs/annotation-without-metadata", { text: text.trim() }, at);
  }
}

/** The keys at the margin of the block: they begin in the column of the first one. */
function* attributes({ span: at }: AnnotationBlock): Iterable<Diagnostic> {
  const rows = /#(?<blank>[ \t]*)(?<key>[A-Za-z_-]+)[ \t]*:/dg;
  const text = at.file.text.slice(at.start, at.end);
  const below = text.indexOf("\n");
  let margin: string | undefined;
  for (const { groups, indices } of text.matchAll(rows)) {
    const { blank = "", key = "" } = groups ?? {};
    const [start = 0, end = 0] = indices?.groups?.["key"] ?? [];
    if (below < 0 || start < below) continue;
    margin ??= blank;
    const isFirst = /(^|\n)[ \t]*#$/.test(text.slice(0, start - blank.length));
    if (!isFirst || blank !== margin || ATTRIBUTES.includes(key)) continue;
    const near = nearest(key, ATTRIBUTES);
    const meant = near === undefined ? {} : { meant: [near], help: `did you mean \`${near}\`?` };
    yield bugDiagnostic(
      "bugs/invalid-metadata-attribute",
      { key },
      span(at.file, at.start + start, at.start + end),
      meant,
    );
  }
}

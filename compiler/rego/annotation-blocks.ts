/** Finds the `# METADATA` blocks among a module's comments. */

import type { SourceFile } from "../base/source-file.ts";
import { joinSpans } from "../base/span.ts";
import type { AnnotationBlock, Comment } from "./ast.ts";

/**
 * A block begins with a comment whose text begins with METADATA, and takes in every comment of the lines directly below
 * that begins in the first column. Its text is the YAML: the comments after the first, without `#` and one space.
 */
export function annotationBlocks(file: SourceFile, comments: readonly Comment[]): AnnotationBlock[] {
  const blocks: { span: AnnotationBlock["span"]; lines: string[] }[] = [];
  let current: (typeof blocks)[number] | undefined;
  let line = 0;
  for (const comment of comments) {
    const place = file.positionAt(comment.span.start);
    if (current && place.line === line + 1 && place.column === 1) {
      current.lines.push(comment.text.replace(/^ /, ""));
      current.span = joinSpans(current.span, comment.span);
    } else if (comment.text.trim().startsWith("METADATA")) {
      current = { span: comment.span, lines: [] };
      blocks.push(current);
    } else {
      current = undefined;
    }
    line = place.line;
  }
  return blocks.map(({ span, lines }) => ({
    kind: "AnnotationBlock",
    span,
    text: lines.map((text) => `${text}\n`).join(""),
  }));
}

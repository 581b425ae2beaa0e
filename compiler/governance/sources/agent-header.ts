/**
 * Reads `AGENT_TYPE` and `AGENT_CLASS` from the body of an instruction file: header lines and rows of the Agent Type
 * table, outside code fences. It reads the words; the model gives them their meaning.
 */

import { type SourceFile, type Span, span } from "@portcullis/rego/diagnostics";

export type AgentType = 0 | 1 | 2;

export interface Written<T> {
  readonly value: T;
  readonly span: Span;
}

export interface AgentHeader {
  /** The first header line that says a type, and the first table row that does. */
  readonly typeLine: Written<AgentType> | undefined;
  readonly typeRow: Written<AgentType> | undefined;
  /** In upper case: `TASK`, `PERSONA`, or whatever else is written. */
  readonly classLine: Written<string> | undefined;
  readonly classRow: Written<string> | undefined;
  /** Lines that look as if they were to declare a type, and do not. */
  readonly unreadable: readonly Written<string>[];
  /** Further header lines or rows that say another type than the first of their kind. */
  readonly contradicted: readonly Written<AgentType>[];
}

const TYPE_LINE = /^AGENT_TYPE:[ \t]*(?:TYPE[ \t]*)?([0-2])\b/;
/** From the line's beginning, and the cell has nothing else in it: what other readers of these files do not take, delegates nothing. */
const TYPE_ROW = /^\|[ \t]*\*\*AGENT_TYPE\*\*[ \t]*\|[ \t]*TYPE[ \t]*([0-2])[ \t]*\|/;
const CLASS_LINE = /^AGENT_CLASS:[ \t]*[`*_]*([A-Za-z][A-Za-z0-9_-]*)/;
const CLASS_ROW = /^[ \t]*\|[ \t]*\*\*AGENT_CLASS\*\*[ \t]*\|[ \t]*[`*_]*([A-Za-z][A-Za-z0-9_-]*)/;
/** A declaration attempted: the name in any case and mark-up, then `:`, `=` or the next cell. */
const LIKE_TYPE = /^[ \t>*_`|-]*AGENT[_ -]?TYPE[*_` \t]*[:=|]/i;
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;

export function readAgentHeader(file: SourceFile, bodyStart: number): AgentHeader {
  let typeLine: Written<AgentType> | undefined;
  let typeRow: Written<AgentType> | undefined;
  let classLine: Written<string> | undefined;
  let classRow: Written<string> | undefined;
  const unreadable: Written<string>[] = [];
  const contradicted: Written<AgentType>[] = [];
  for (const { text, start } of bodyLines(file, bodyStart)) {
    const location = span(file, start, start + text.trimEnd().length);
    const lineType = TYPE_LINE.exec(text)?.[1];
    const rowType = lineType === undefined ? TYPE_ROW.exec(text)?.[1] : undefined;
    if (lineType !== undefined) {
      const written = { value: Number(lineType) as AgentType, span: location };
      if (typeLine !== undefined && typeLine.value !== written.value) contradicted.push(written);
      typeLine ??= written;
    } else if (rowType !== undefined) {
      const written = { value: Number(rowType) as AgentType, span: location };
      if (typeRow !== undefined && typeRow.value !== written.value) contradicted.push(written);
      typeRow ??= written;
    } else if (LIKE_TYPE.test(text)) {
      unreadable.push({ value: text.trim(), span: location });
    } else {
      const lineClass = CLASS_LINE.exec(text)?.[1];
      const rowClass = CLASS_ROW.exec(text)?.[1];
      if (lineClass !== undefined) classLine ??= { value: lineClass.toUpperCase(), span: location };
      if (rowClass !== undefined) classRow ??= { value: rowClass.toUpperCase(), span: location };
    }
  }
  return { typeLine, typeRow, classLine, classRow, unreadable, contradicted };
}

/** The lines of the body that are not in a fenced code block; an unclosed fence runs to the end (CommonMark 4.5). */
function* bodyLines(file: SourceFile, bodyStart: number): Generator<{ readonly text: string; readonly start: number }> {
  const starts = file.lineStarts();
  let fence = "";
  for (let line = file.positionAt(bodyStart).line; line <= starts.length; line++) {
    const start = starts[line - 1] as number;
    if (start < bodyStart) continue;
    const text = file.lineText(line);
    const [, marks, info] = FENCE.exec(text) ?? [];
    if (fence !== "") {
      const closes =
        marks !== undefined && marks[0] === fence[0] && marks.length >= fence.length && (info ?? "").trim() === "";
      if (closes) fence = "";
    } else if (marks !== undefined && !(marks.startsWith("`") && (info ?? "").includes("`"))) {
      fence = marks;
    } else {
      yield { text, start };
    }
  }
}

/** TOML 1.0 into the source tree: values from the `smol-toml` package, locations from our own walk over the text. */

import { type Diagnostic, type SourceFile, type Span, span } from "@portcullis/rego/diagnostics";
import { parse, TomlDate, TomlError } from "smol-toml";
import { documentsDiagnostic } from "./codes.ts";
import type { ParsedTree } from "./json.ts";
import { type Located, locateToml } from "./toml-locate.ts";
import { jsonNumberText, MAX_DOCUMENT_DEPTH, type MappingEntry, type SourceNode } from "./tree.ts";

export function parseToml(file: SourceFile): ParsedTree {
  let table: unknown;
  try {
    table = parse(file.text, { integersAsBigInt: true, maxDepth: MAX_DOCUMENT_DEPTH });
  } catch (error) {
    return { root: undefined, diagnostics: [syntaxFinding(file, error)] };
  }
  const diagnostics: Diagnostic[] = [];
  const { root: locations, newer } = locateToml(file.text, decodeKey);
  // Some hosts read TOML 1.0 alone, and would not see what is written here.
  const [first] = newer;
  if (first !== undefined) {
    const problem = `${first.what} is of TOML 1.1`;
    const at = span(file, first.start, first.end);
    return { root: undefined, diagnostics: [documentsDiagnostic("sources/invalid-toml", { problem }, at)] };
  }
  const root = convert(table, locations, { file, diagnostics }, 0);
  return { root, diagnostics };
}

function decodeKey(quoted: string): string {
  return Object.keys(parse(`${quoted} = 0`))[0] ?? "";
}

function syntaxFinding(file: SourceFile, error: unknown): Diagnostic {
  if (!(error instanceof TomlError))
    return documentsDiagnostic("sources/too-deep", { limit: MAX_DOCUMENT_DEPTH }, span(file, 0, 1));
  const problem = (error.message.split("\n", 1)[0] as string).replace(/^Invalid TOML document: /, "");
  if (/max.*depth|nest/i.test(problem))
    return documentsDiagnostic("sources/too-deep", { limit: MAX_DOCUMENT_DEPTH }, locate(file, error));
  const at = locate(file, error);
  // Another format's sign between a key and its value.
  const help = file.text[at.start] === ":" ? { help: "TOML writes `key = value`" } : {};
  return documentsDiagnostic("sources/invalid-toml", { problem }, at, help);
}

/** The package counts lines at `\n` only; our lines may be more, so the offset is found from the text itself. */
function locate(file: SourceFile, error: TomlError): Span {
  let start = 0;
  for (let line = 1; line < error.line; line++) {
    const next = file.text.indexOf("\n", start);
    if (next < 0) break;
    start = next + 1;
  }
  const at = Math.min(start + Math.max(0, error.column - 1), file.text.length);
  return span(file, at, Math.min(at + 1, file.text.length));
}

interface Context {
  readonly file: SourceFile;
  readonly diagnostics: Diagnostic[];
}

function convert(value: unknown, where: Located, context: Context, depth: number): SourceNode {
  const at = span(context.file, where.start, where.end);
  if (typeof value === "string") return { kind: "String", value, span: at };
  if (typeof value === "boolean") return { kind: "Boolean", value, span: at };
  if (value instanceof TomlDate)
    return { kind: "String", value: context.file.text.slice(where.start, where.end), span: at };
  if (typeof value === "number" || typeof value === "bigint") {
    const source = context.file.text.slice(where.start, where.end);
    const text = jsonNumberText(source.replace(/_/g, ""), value);
    if (text !== undefined) return { kind: "Number", text, span: at };
    context.diagnostics.push(documentsDiagnostic("sources/number-not-finite", { text: source }, at));
    return { kind: "Null", span: at };
  }
  if (depth > MAX_DOCUMENT_DEPTH) {
    if (!context.diagnostics.some((d) => d.code === "sources/too-deep"))
      context.diagnostics.push(documentsDiagnostic("sources/too-deep", { limit: MAX_DOCUMENT_DEPTH }, at));
    return { kind: "Null", span: at };
  }
  if (Array.isArray(value))
    return {
      kind: "Sequence",
      items: value.map((v, i) => convert(v, where.items[i] ?? where, context, depth + 1)),
      span: at,
    };
  const entries = Object.entries(value as object).map(([key, v]): MappingEntry => {
    const member = where.members.get(key) ?? where;
    return {
      key,
      keySpan: span(context.file, member.keyStart, member.keyEnd),
      value: convert(v, member, context, depth + 1),
    };
  });
  return { kind: "Mapping", entries, span: at };
}

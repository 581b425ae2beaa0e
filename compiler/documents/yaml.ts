/**
 * YAML 1.2 (core schema) into the source tree. Text in the plain style that policies are written in takes a short way
 * (`yaml-plain.ts`); everything else, and every text with a fault, goes through the `yaml` package.
 */

import { type Diagnostic, type SourceFile, span } from "@portcullis/rego/diagnostics";
import { Composer, type CST, type Document, Lexer, Parser } from "yaml";
import { documentsDiagnostic } from "./codes.ts";
import type { ParsedTree } from "./json.ts";
import { MAX_DOCUMENT_DEPTH } from "./tree.ts";
import { convertYaml, shortTag } from "./yaml-convert.ts";
import { parsePlainYaml } from "./yaml-plain.ts";

/** After a syntax error the rest is guesswork: more findings than this do not help. */
const MAX_SYNTAX_FINDINGS = 5;

/** Parses `file`, or the part of it in `[from, to)` (front matter); spans are always offsets into the whole file. */
export function parseYaml(file: SourceFile, from = 0, to = file.text.length): ParsedTree {
  const plain = parsePlainYaml(file, from, to);
  return plain === undefined ? parseAnyYaml(file, from, to) : { root: plain, diagnostics: [] };
}

/** The whole of YAML. */
export function parseAnyYaml(file: SourceFile, from = 0, to = file.text.length): ParsedTree {
  const text = file.text.slice(from, to);
  const { tokens, deepAt } = tokenize(text);
  if (deepAt !== undefined) {
    const location = span(file, from + deepAt, from + deepAt + 1);
    return {
      root: undefined,
      diagnostics: [documentsDiagnostic("sources/too-deep", { limit: MAX_DOCUMENT_DEPTH }, location)],
    };
  }
  const [document, second] = compose(tokens, text.length);
  const syntax: Diagnostic[] = [];
  if (second !== undefined) {
    syntax.push(
      documentsDiagnostic(
        "sources/several-documents",
        {},
        span(file, from + second.range[0], from + second.range[0] + 3),
      ),
    );
  }
  for (const { code, message, pos } of [...document.errors, ...document.warnings].slice(0, MAX_SYNTAX_FINDINGS)) {
    const location = span(file, from + pos[0], from + Math.max(pos[0] + 1, pos[1]));
    if (code === "TAG_RESOLVE_FAILED")
      syntax.push(documentsDiagnostic("sources/yaml-tag", { tag: shortTag(text.slice(pos[0], pos[1])) }, location));
    else syntax.push(documentsDiagnostic("sources/invalid-yaml", { problem: tidy(message) }, location));
  }
  const version = document.directives?.yaml.version ?? "1.2";
  if (version !== "1.2")
    syntax.push(documentsDiagnostic("sources/yaml-version", { version }, span(file, from, from + 5)));
  if (syntax.length > 0) return { root: undefined, diagnostics: syntax };
  return convertYaml(document.contents, file, from);
}

/**
 * The tokens of the concrete syntax. INVARIANT: nested no deeper than the bound; the package recurses over them, and V8 ends
 * the whole process when a pattern is first compiled on the last of a stack, so that catching its exception would not do.
 */
function tokenize(text: string): { tokens: CST.Token[]; deepAt: number | undefined } {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    // The stack holds the document, and below its collections the scalar that is being read.
    if (parser.stack.length > MAX_DOCUMENT_DEPTH + 2) return { tokens, deepAt: parser.offset - lexeme.length };
  }
  for (const token of parser.end()) tokens.push(token);
  return { tokens, deepAt: undefined };
}

function compose(tokens: readonly CST.Token[], length: number): [first: Document.Parsed, second?: Document.Parsed] {
  const options = { uniqueKeys: false, intAsBigInt: true, prettyErrors: false, version: "1.2" } as const;
  const { stackTraceLimit } = Error;
  // The package makes an Error with a stack trace for each fault, which takes seconds for a file of nothing but faults.
  Error.stackTraceLimit = 0;
  try {
    // With `forceDoc` there is always a document, be it an empty one.
    return [...new Composer(options).compose(tokens, true, length)] as [Document.Parsed, Document.Parsed?];
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** The parser's sentences in the style of our own. */
function tidy(message: string): string {
  const first = message.split("\n", 1)[0] as string;
  const bare = first.replace(/[.:]\s*$/, "");
  return /^[A-Z][a-z]/.test(bare) ? bare.charAt(0).toLowerCase() + bare.slice(1) : bare;
}

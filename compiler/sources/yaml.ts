/**
 * YAML 1.2 (core schema) into the source tree. Text in the plain style that policies are written in takes a short way
 * (`yaml-plain.ts`); everything else, and every text with a fault, goes through the `yaml` package.
 */

import { parseDocument } from "yaml";
import type { Diagnostic } from "../base/diagnostic.ts";
import type { SourceFile } from "../base/source-file.ts";
import { span } from "../base/span.ts";
import { report } from "./codes.ts";
import type { ParsedTree } from "./json.ts";
import { MAX_DEPTH } from "./tree.ts";
import { convertYaml, shortTag } from "./yaml-convert.ts";
import { parsePlainYaml } from "./yaml-plain.ts";

/** After a syntax error the rest is guesswork: more findings than this help nobody. */
const MAX_SYNTAX_FINDINGS = 5;

/** Parses `file`, or the part of it in `[from, to)` (front matter); spans are always offsets into the whole file. */
export function parseYaml(file: SourceFile, from = 0, to = file.text.length): ParsedTree {
  const plain = parsePlainYaml(file, from, to);
  return plain === undefined ? parseAnyYaml(file, from, to) : { root: plain, diagnostics: [] };
}

/** The whole of YAML. */
export function parseAnyYaml(file: SourceFile, from = 0, to = file.text.length): ParsedTree {
  const text = file.text.slice(from, to);
  let document: ReturnType<typeof parseDocument>;
  try {
    const options = {
      uniqueKeys: false,
      intAsBigInt: true,
      prettyErrors: false,
      logLevel: "error",
      version: "1.2",
    } as const;
    document = parseDocument(text, options);
  } catch {
    return tooDeep(file, from);
  }
  // The parser recurses, and notices when the stack ends; where it did says nothing of the text.
  if (document.errors.some((e) => e.code === "RESOURCE_EXHAUSTION")) return tooDeep(file, from);
  const syntax: Diagnostic[] = [];
  for (const { code, message, pos } of [...document.errors, ...document.warnings].slice(0, MAX_SYNTAX_FINDINGS)) {
    const place = span(file, from + pos[0], from + Math.max(pos[0] + 1, pos[1]));
    if (code === "MULTIPLE_DOCS") syntax.push(report("sources/several-documents", {}, place));
    else if (code === "TAG_RESOLVE_FAILED")
      syntax.push(report("sources/yaml-tag", { tag: shortTag(text.slice(pos[0], pos[1])) }, place));
    else syntax.push(report("sources/invalid-yaml", { problem: tidy(message) }, place));
  }
  const version = document.directives?.yaml.version ?? "1.2";
  if (version !== "1.2") syntax.push(report("sources/yaml-version", { version }, span(file, from, from + 5)));
  if (syntax.length > 0) return { root: undefined, diagnostics: syntax };
  return convertYaml(document.contents, file, from);
}

function tooDeep(file: SourceFile, from: number): ParsedTree {
  return {
    root: undefined,
    diagnostics: [report("sources/too-deep", { limit: MAX_DEPTH }, span(file, from, from + 1))],
  };
}

/** The parser's sentences in the style of our own. */
function tidy(message: string): string {
  const first = message.split("\n", 1)[0] as string;
  const bare = first.replace(/[.:]\s*$/, "");
  return /^[A-Z][a-z]/.test(bare) ? bare.charAt(0).toLowerCase() + bare.slice(1) : bare;
}

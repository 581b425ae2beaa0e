/** Words in data files of YAML that other readers take for `true` or `false`, and that are texts. */

import type { Diagnostic } from "@portcullis/rego/diagnostics";
import type { SourceNode } from "../sources/index.ts";
import { lowerDiagnostic } from "./codes.ts";

const WORDS: ReadonlyMap<string, string> = new Map([
  ["yes", "true"],
  ["on", "true"],
  ["no", "false"],
  ["off", "false"],
]);

/** `node`: of a file of YAML. */
export function plainWords(node: SourceNode): Diagnostic[] {
  switch (node.kind) {
    case "Mapping":
      return node.entries.flatMap((e) => plainWords(e.value));
    case "Sequence":
      return node.items.flatMap(plainWords);
    case "String": {
      const meant = WORDS.get(node.value.toLowerCase());
      const isQuoted = /["'|>]/.test(node.span.file.text[node.span.start] ?? "");
      if (meant === undefined || isQuoted) return [];
      const help = `write \`${meant}\`, or quote the word`;
      return [lowerDiagnostic("lower/word-for-boolean", { word: node.value }, node.span, { help })];
    }
    case "Null":
    case "Boolean":
    case "Number":
      return [];
  }
}

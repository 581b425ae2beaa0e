/** Numbers that readers take for different ones: those of JSON have any size, and most readers keep a double (RFC 8259, section 6). */

import type { NumberNode, SourceNode } from "@portcullis/documents";
import { compareNumbers } from "@portcullis/runtime/host";

/** The first number in a tree that loses digits as a double; `undefined` if every number survives. */
export function beyondDouble(node: SourceNode): NumberNode | undefined {
  if (node.kind === "Number") return isDouble(node.text) ? undefined : node;
  const values =
    node.kind === "Sequence" ? node.items : node.kind === "Mapping" ? node.entries.map(({ value }) => value) : [];
  for (const value of values) {
    const found = beyondDouble(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isDouble(text: string): boolean {
  const double = Number(text);
  return Number.isFinite(double) && compareNumbers(text, String(double)) === 0;
}

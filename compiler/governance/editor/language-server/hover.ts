/** What a thing is: a field of a file, an id, a gate, a builtin. */

import { type Span, span } from "@portcullis/rego/diagnostics";
import { builtins, printBuiltinType } from "@portcullis/rego/syntax";
import type { Hover } from "vscode-languageserver";
import type { SourceNode } from "../../sources/index.ts";
import type { FormatName } from "../schemas.ts";
import { describeId } from "./describe.ts";
import type { SetFile } from "./id-index.ts";
import { textSpan } from "./rego-ids.ts";
import { schemaAt, typeText } from "./schema-at.ts";
import { rangeOf } from "./text.ts";
import type { Document } from "./workspace.ts";

export function hoverAt({ set }: Document, file: SetFile, offset: number): Hover | undefined {
  if (file.format === "rego") {
    const builtin = builtinAt(file, offset);
    if (builtin !== undefined) return builtin;
  } else if (file.format !== "data" && file.format !== "sample") {
    const field = fieldAt(file, file.format, offset);
    if (field !== undefined) return field;
  }
  const symbol = set.ids().at(file.read.file, offset);
  return symbol && hover(describeId(set, symbol.kind, symbol.name), textSpan(symbol.span));
}

function hover(value: string, at: Span): Hover {
  return { contents: { kind: "markdown", value }, range: rangeOf(at) };
}

/** The key of a mapping: what its schema says of it. */
function fieldAt({ read }: SetFile, format: FormatName, offset: number): Hover | undefined {
  const find = (node: SourceNode | undefined, path: readonly string[]): Hover | undefined => {
    if (node === undefined) return undefined;
    if (node.kind === "Sequence") {
      for (const item of node.items) {
        const found = find(item, [...path, "*"]);
        if (found !== undefined) return found;
      }
      return undefined;
    }
    if (node.kind !== "Mapping") return undefined;
    for (const { key, keySpan, value } of node.entries) {
      const below = [...path, key];
      if (keySpan.start <= offset && offset <= keySpan.end) {
        const schema = schemaAt(format, below);
        if (schema === undefined) return undefined;
        return hover([`**${key}**: ${typeText(schema)}`, schema.description ?? ""].join("\n\n").trim(), keySpan);
      }
      const found = find(value, below);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return find(read.root, []);
}

/** The signature of the builtin whose name is at an offset. */
function builtinAt({ read: { file } }: SetFile, offset: number): Hover | undefined {
  const line = file.text.slice(file.text.lastIndexOf("\n", offset - 1) + 1).split("\n", 1)[0] as string;
  const start = file.text.lastIndexOf("\n", offset - 1) + 1;
  for (const match of line.matchAll(/[A-Za-z_][\w.]*(?=\s*\()/g)) {
    const from = start + match.index;
    if (offset < from || offset > from + match[0].length) continue;
    const builtin = builtins().get(match[0]);
    if (builtin === undefined) continue;
    const parameters = builtin.parameters.map(
      (p) => `${p.name === undefined ? "" : `${p.name}: `}${printBuiltinType(p.type)}`,
    );
    if (builtin.variadic !== undefined) parameters.push(`...${printBuiltinType(builtin.variadic)}`);
    const result = builtin.result === undefined ? "" : ` -> ${printBuiltinType(builtin.result)}`;
    const notes = [
      ...(builtin.nondeterministic
        ? ["Its answer may differ from call to call: the host supplies it, and the settings allow it."]
        : []),
      ...(builtin.deprecated ? ["Deprecated: Rego v1 refuses it."] : []),
    ];
    const signature = `\`\`\`rego\n${builtin.name}(${parameters.join(", ")})${result}\n\`\`\``;
    return hover([signature, ...notes].join("\n\n"), span(file, from, from + match[0].length));
  }
  return undefined;
}

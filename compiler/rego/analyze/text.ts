/** Terms as text, for messages: as written, never with a generated name. */

import { type Span, unreachable } from "../diagnostics/index.ts";
import type { Import, Ref, Term } from "../syntax/index.ts";
import { valueText } from "../value/index.ts";
import { originalName } from "./names.ts";
import type { WorkRule } from "./work.ts";

const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Keywords are quoted in paths, as OPA prints them. */
const keywords = new Set([
  "as",
  "contains",
  "data",
  "default",
  "else",
  "every",
  "false",
  "if",
  "in",
  "import",
  "input",
  "package",
  "not",
  "null",
  "some",
  "true",
  "with",
]);

/** A path as it is written: `data.a["b-c"]`. */
export function pathText(root: string, parts: readonly string[]): string {
  return root + parts.map(partText).join("");
}

function partText(part: string): string {
  return identifier.test(part) && !keywords.has(part) ? `.${part}` : `[${JSON.stringify(part)}]`;
}

export function refText(ref: Ref): string {
  return termText(ref.head) + keysText(ref.args);
}

/** The keys of a path as they are written: `.a["b-c"][1]`. */
export function keysText(keys: readonly Term[]): string {
  return keys.map((key) => (key.kind === "String" ? partText(key.value) : `[${termText(key)}]`)).join("");
}

/** The full name of a rule, variable parts as written: `data.pkg.p[x]`. */
export function nameOfRule(rule: WorkRule): string {
  return pathText("data", rule.path) + keysText(rule.keys);
}

export function importText(imp: Import): string {
  return `import ${refText(imp.path)}${imp.alias ? ` as ${imp.alias.name}` : ""}`;
}

/** What the author wrote where rewriting put a local; `_` where there was nothing. */
function sourceText({ file, start, end }: Span): string {
  const written = file.text.slice(start, end).replace(/\s+/g, " ");
  return written.length > 60 ? "…" : written || "_";
}

/** One line; bodies of closures are left out. */
export function termText(term: Term): string {
  switch (term.kind) {
    case "Null":
      return "null";
    case "Boolean":
      return String(term.value);
    case "Number":
      return term.text;
    case "String":
      return JSON.stringify(term.value);
    case "Var":
      return originalName(term.name) || sourceText(term.span);
    case "Ref":
      return refText(term);
    case "Call":
      return `${operatorText(term.operator)}(${term.args.map(termText).join(", ")})`;
    case "Array":
      return `[${term.items.map(termText).join(", ")}]`;
    case "Object":
      return `{${term.entries.map(([k, v]) => `${termText(k)}: ${termText(v)}`).join(", ")}}`;
    case "Set":
      return term.items.length === 0 ? "set()" : `{${term.items.map(termText).join(", ")}}`;
    case "ArrayComprehension":
      return `[${termText(term.term)} | …]`;
    case "SetComprehension":
      return `{${termText(term.term)} | …}`;
    case "ObjectComprehension":
      return `{${termText(term.key)}: ${termText(term.value)} | …}`;
    case "TemplateString":
      return '$"…"';
    case "Constant":
      return valueText(term.value);
    default:
      return unreachable(term);
  }
}

export function operatorText(operator: Call["operator"]): string {
  return operator.kind === "Var" ? originalName(operator.name) : refText(operator);
}

type Call = Extract<Term, { kind: "Call" }>;

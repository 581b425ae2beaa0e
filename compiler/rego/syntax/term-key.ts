/** Equality of terms as they are written: when two keys of an object literal are the same key. */

import type { Span } from "../diagnostics/index.ts";
import type { Expr, ObjectTerm, Term } from "./ast.ts";

/** Equal for terms that say the same, wherever they stand. Numbers count by their value; no two `_` are the same. */
export function termKey(term: Term): string {
  switch (term.kind) {
    case "String":
      return JSON.stringify(term.value);
    case "Number":
      return numberKey(term.text);
    case "Null":
      return "null";
    case "Boolean":
      return String(term.value);
    case "Var":
      return term.name === "_" ? `_@${term.span.start}` : term.name;
    case "Array":
      return `[${term.items.map(termKey).join()}]`;
    case "Set":
      return `<${term.items.map(termKey).sort().join()}>`;
    case "Object":
      return `{${term.entries
        .map(([key, value]) => `${termKey(key)}:${termKey(value)}`)
        .sort()
        .join()}}`;
    case "Ref":
      return `${termKey(term.head)}${term.args.map((part) => `[${termKey(part)}]`).join("")}`;
    case "Call":
      return `${termKey(term.operator)}(${term.args.map(termKey).join()})`;
    case "ArrayComprehension":
    case "SetComprehension":
    case "ObjectComprehension":
    case "TemplateString":
    case "Constant":
      return JSON.stringify(term, (key, value: unknown) => (notation.has(key) ? undefined : plain(value)));
  }
}

const notation: ReadonlySet<string> = new Set(["span", "parenthesized", "infix"]);

/** Inside of closures: parts that have a key of their own go by that. */
function plain(value: unknown): unknown {
  const node = value as Partial<Term | Expr> | null;
  const scalar =
    typeof node === "object" && (node?.kind === "Number" || node?.kind === "Var" || node?.kind === "String");
  return scalar ? termKey(node as Term) : value;
}

/** The same for all spellings of a number: the digits without zeros at either end, and their exponent. */
export function numberKey(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "#0";
  return `#${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

/** Without the items that say the same as one before them. */
export function distinct(items: readonly Term[]): readonly Term[] {
  if (items.length < 2) return items;
  const seen = new Set<string>();
  const kept = items.filter((item) => {
    const key = termKey(item);
    return !seen.has(key) && seen.add(key);
  });
  return kept.length === items.length ? items : kept;
}

/** Several entries with one key become one: place and key of the first, value of the last, as in OPA. */
/** The entries of an object with repeated keys, as they were written: a formatter keeps them. */
const repeated = new WeakMap<ObjectTerm, Entries>();

type Entries = ObjectTerm["entries"];

/** The object as it is evaluated. Of entries with the same key, the last has the value. */
export function objectOfEntries(span: Span, written: Entries): ObjectTerm {
  const object: ObjectTerm = { kind: "Object", span, entries: distinctEntries(written) };
  if (object.entries !== written) repeated.set(object, written);
  return object;
}

/** The entries of a parsed object, with those whose key is there again. */
export function writtenEntries(object: ObjectTerm): Entries {
  return repeated.get(object) ?? object.entries;
}

export function distinctEntries(entries: readonly (readonly [Term, Term])[]): readonly (readonly [Term, Term])[] {
  if (entries.length < 2) return entries;
  const kept = new Map<string, readonly [Term, Term]>();
  for (const [key, value] of entries) {
    const name = termKey(key);
    kept.set(name, [kept.get(name)?.[0] ?? key, value]);
  }
  return kept.size === entries.length ? entries : [...kept.values()];
}

/** What may be written where the cursor stands in Rego: members of the input, documents, builtins, ids in texts. */

import type { SourceFile } from "@portcullis/rego/diagnostics";
import { builtins, expectedAfter } from "@portcullis/rego/syntax";
import { type CompletionItem, CompletionItemKind, type Range } from "vscode-languageserver";
import { librarySchemas } from "../../library/index.ts";
import { type IdKind, kindOfKey } from "./ids.ts";
import type { PolicySet } from "./policy-set.ts";
import { positionOf } from "./text.ts";

/** Where the grammar cannot tell what comes next. */
const KEYWORDS = [
  "as",
  "contains",
  "default",
  "else",
  "every",
  "false",
  "if",
  "import",
  "in",
  "not",
  "null",
  "package",
  "some",
  "true",
  "with",
];

/** A text that is being typed, and the other side of its comparison. */
const TEXT = /(?:input(?:\.\w+)*\.(\w+)|"(\w+)")\s*(?:==|!=|:=|=|:|in)\s*[[{]?(?:\s*"[^"]*"\s*,)*\s*"([^"]*)$/;

/** The name of a requirement: a further rule of its name is a further way to meet it. */
const GATE = /^\s*must\s+contains\s+"([^"]*)$/;

export function regoCompletions(set: PolicySet, file: SourceFile, offset: number): CompletionItem[] {
  const before = file.text.slice(file.text.lastIndexOf("\n", offset - 1) + 1, offset);
  if (/^\s*#/.test(before)) return [];
  const rangeFrom = (length: number): Range => ({
    start: positionOf(file, offset - length),
    end: positionOf(file, offset),
  });
  const inGate = GATE.exec(before);
  if (inGate !== null) return idNames(set, "gate", rangeFrom((inGate[1] as string).length));
  const inText = TEXT.exec(before);
  if (inText !== null) {
    const kind = kindOfKey((inText[1] ?? inText[2]) as string);
    return kind === undefined ? [] : idNames(set, kind, rangeFrom((inText[3] as string).length));
  }
  if ((before.match(/"/g)?.length ?? 0) % 2 === 1) return [];
  const path = /((?:[A-Za-z_]\w*\.)+)(\w*)$/.exec(before);
  if (path !== null) {
    const parts = (path[1] as string).slice(0, -1).split(".");
    return memberItems(set, file, parts, rangeFrom((path[2] as string).length));
  }
  const word = /\w*$/.exec(before)?.[0] ?? "";
  const range = rangeFrom(word.length);
  const expected = expectedAfter(file.text.slice(0, offset - word.length));
  return [
    ...items(expected?.keywords ?? KEYWORDS, CompletionItemKind.Keyword, range),
    ...(expected?.name === false ? [] : nameItems(set, file, range)),
  ];
}

function idNames(set: PolicySet, kind: IdKind, range: Range): CompletionItem[] {
  return items(set.ids().names(kind), CompletionItemKind.EnumMember, range, kind);
}

function items(names: Iterable<string>, kind: CompletionItemKind, range: Range, detail?: string): CompletionItem[] {
  return [...new Set(names)].sort().map((label) => ({
    label,
    kind,
    textEdit: { range, newText: label },
    ...(detail === undefined ? {} : { detail }),
  }));
}

/** What may follow `input.`, `data.a.` or the name of an import. */
function memberItems(set: PolicySet, file: SourceFile, parts: readonly string[], range: Range): CompletionItem[] {
  const [head = "", ...rest] = parts;
  if (head === "input")
    return items(inputMembers(file, rest), CompletionItemKind.Field, range, "member of the request");
  const base = head === "data" ? [] : importPath(file, head);
  if (base !== undefined) {
    const prefix = [...base, ...rest].map((part) => `${part}.`).join("");
    const next = [...set.ids().names("package"), ...set.ids().names("document")]
      .filter((name) => name.startsWith(prefix))
      .map((name) => name.slice(prefix.length).split(".", 1)[0] as string);
    return items(next, CompletionItemKind.Reference, range);
  }
  const prefix = `${parts.join(".")}.`;
  const names = [...builtins().keys()].filter((name) => name.startsWith(prefix) && isCallable(name));
  return items(
    names.map((name) => name.slice(prefix.length)),
    CompletionItemKind.Function,
    range,
    "builtin",
  );
}

function isCallable(name: string): boolean {
  const builtin = builtins().get(name);
  return builtin !== undefined && builtin.infix === undefined && !builtin.deprecated && !name.startsWith("internal.");
}

function importPath(file: SourceFile, name: string): string[] | undefined {
  for (const [, path, alias] of file.text.matchAll(/^\s*import\s+data\.([\w.]+)(?:\s+as\s+(\w+))?/gm)) {
    const parts = (path as string).split(".");
    if ((alias ?? parts.at(-1)) === name) return parts;
  }
  return undefined;
}

/** Members of the request, by the schema of the decision that the package extends; of every decision elsewhere. */
function inputMembers(file: SourceFile, path: readonly string[]): string[] {
  const decision = /^\s*package\s+portcullis\.ext\.(\w+)/m.exec(file.text)?.[1];
  interface Shape {
    readonly properties?: { readonly [key: string]: Shape };
  }
  const chosen = librarySchemas.filter(({ name }) => decision === undefined || name === `${decision}.json`);
  return chosen.flatMap(({ text }) => {
    let node: Shape | undefined = JSON.parse(text) as Shape;
    for (const key of path) node = node?.properties?.[key];
    return Object.keys(node?.properties ?? {});
  });
}

function nameItems(set: PolicySet, file: SourceFile, range: Range): CompletionItem[] {
  const own = /^\s*package\s+([\w.]+)/m.exec(file.text)?.[1] ?? "";
  const rules = set
    .ids()
    .names("document")
    .filter((name) => name.startsWith(`${own}.`) && !name.slice(own.length + 1).includes("."))
    .map((name) => name.slice(own.length + 1));
  const asked = /^portcullis\.ext\.\w+$/.test(own) ? ["must", "deny"] : [];
  const imports = [...file.text.matchAll(/^\s*import\s+data\.(?:\w+\.)*(\w+)(?:\s+as\s+(\w+))?/gm)].map(
    ([, last, alias]) => (alias ?? last) as string,
  );
  return [
    ...items([...rules, ...asked], CompletionItemKind.Variable, range, "rule"),
    ...items([...imports, "input", "data"], CompletionItemKind.Module, range),
    ...items(
      [...builtins().keys()].filter((n) => isCallable(n)),
      CompletionItemKind.Function,
      range,
      "builtin",
    ),
  ];
}

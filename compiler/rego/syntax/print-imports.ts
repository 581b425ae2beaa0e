/**
 * The imports of a module as `opa fmt` writes them: those that say how to read the file (`rego.v1`, `future.keywords`)
 * are added, or left out, as the target asks.
 */

import { span } from "../diagnostics/index.ts";
import type { Import, Module, Node, Ref, StringTerm } from "./ast.ts";
import { children } from "./visit.ts";

/**
 * What becomes of the imports that say how to read the file. `keep`: they stay, where they still say something. `add`: the
 * module shall be read as v0 and as v1, so that it needs `rego.v1`. `drop`: v1 reads it without them.
 */
export type LanguageImports = "keep" | "add" | "drop";

export interface PlannedImports {
  /** In the order of the text. */
  readonly imports: readonly Import[];
  /** Added ones whose place in the text would be behind a rule: they come before everything else. */
  readonly leading: readonly Import[];
}

export function planImports(module: Module, mode: LanguageImports): PlannedImports {
  let imports = [...module.imports];
  const added: Import[] = [];
  const add = (path: readonly string[]): void => {
    const node = importOf(module, imports, path);
    imports.push(node);
    added.push(node);
  };
  const reads = (version: string) => imports.some((node) => isPath(node, "rego", version));
  const v2 = reads("v2");
  if (v2 || mode === "drop") imports = imports.filter((node) => !isPath(node, "rego", "v1"));
  else if (mode === "add" && !reads("v1")) add(["rego", "v1"]);
  // `rego.v1` says all that the keywords of v1 do.
  if (mode === "drop" || v2 || reads("v1")) imports = imports.filter((node) => rootOf(node) !== "future");
  if (!v2) {
    for (const word of importedKeywords(module)) {
      const there = (node: Import) => isPath(node, "future", "keywords") || isPath(node, "future", "keywords", word);
      if (!imports.some(there)) add(["future", "keywords", word]);
    }
  }
  const firstRule = Math.min(...module.rules.map((rule) => row(module, rule.span.start)));
  const behind = added.some((node) => row(module, node.span.start) >= firstRule);
  const leading = behind ? added : [];
  return { imports: imports.filter((node) => !leading.includes(node)), leading };
}

/** The keywords that a module of v1 has to import, and that this one uses. */
function importedKeywords(module: Module): readonly string[] {
  const found = new Set<string>();
  const visit = (node: Node): void => {
    if (node.kind === "Not") found.add("not");
    else if (node.kind === "Logical") found.add(node.operator);
    for (const child of children(node)) visit(child);
  };
  for (const rule of module.rules) visit(rule);
  return [...found].sort();
}

/** As if it stood in the row below the last import of its kind, or in the first. */
function importOf(module: Module, imports: readonly Import[], [root, ...parts]: readonly string[]): Import {
  const { file } = module.span;
  const last = imports
    .filter((node) => rootOf(node) === "future" || isPath(node, "rego", "v1"))
    .reduce((end, node) => Math.max(end, node.span.end), -1);
  const start = last < 0 ? 0 : file.text.indexOf("\n", last) + 1 || file.text.length;
  const at = span(file, start, start);
  const args = parts.map((value): StringTerm => ({ kind: "String", span: at, value, raw: false }));
  const path: Ref = { kind: "Ref", span: at, head: { kind: "Var", span: at, name: root ?? "" }, args };
  return { kind: "Import", span: at, path, alias: undefined };
}

function row(module: Module, offset: number): number {
  return module.span.file.positionAt(offset).line;
}

function rootOf({ path }: Import): string {
  return path.head.kind === "Var" ? path.head.name : "";
}

function isPath({ path }: Import, root: string, ...parts: readonly string[]): boolean {
  const is = path.args.length === parts.length && path.head.kind === "Var" && path.head.name === root;
  return is && path.args.every((part, i) => part.kind === "String" && part.value === parts[i]);
}

export function compareImports(a: Import, b: Import): number {
  const path = (node: Import) => [
    rootOf(node),
    ...node.path.args.map((part) => (part.kind === "String" ? part.value : "")),
  ];
  const left = path(a);
  const right = path(b);
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const order = compareText(left[i] as string, right[i] as string);
    if (order !== 0) return order;
  }
  return left.length - right.length || compareText(a.alias?.name ?? "", b.alias?.name ?? "");
}

/** By code points, as Go compares strings. */
function compareText(a: string, b: string): number {
  const left = [...a];
  const right = [...b];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = (left[i]?.codePointAt(0) ?? 0) - (right[i]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

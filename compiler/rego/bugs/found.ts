/** What the checks are given: the rules of the modules that are looked at, finished, each with the document it belongs to. */

import { type CheckedPolicy, type RuleDefinition, type RuleGroup, refText } from "../analyze/index.ts";
import type { SourceFile, Span } from "../diagnostics/index.ts";
import { children, type Expr, type Module, type Node, type Rule, type Term } from "../syntax/index.ts";
import type { Value } from "../value/index.ts";

/** A definition of a rule, or its default. */
export interface Defined {
  readonly rule: Rule;
  readonly group: RuleGroup;
  /** `undefined` for the default. */
  readonly definition: RuleDefinition | undefined;
}

/** A module that findings are wanted of, and its rules. */
export interface LookedModule {
  readonly module: Module;
  readonly rules: readonly Defined[];
}

export interface Looked {
  readonly policy: CheckedPolicy;
  readonly modules: readonly LookedModule[];
  readonly isWanted: (file: SourceFile) => boolean;
  /** The documents whose rules make a set or an object, which is defined when it is empty, too: by path, `set` or `object`. */
  readonly partial: ReadonlyMap<string, "set" | "object">;
  /** What the compiled-in data has at a path. */
  readonly data: (path: readonly string[]) => Value | undefined;
}

export const pathKey = (path: readonly string[]): string => path.join("\0");

/** The branches of a rule: itself, then those of `else`. */
export function branchesOf(rule: Rule): Rule[] {
  const found: Rule[] = [];
  for (let branch: Rule | undefined = rule; branch; branch = branch.else) found.push(branch);
  return found;
}

/** The path of a reference into `data` that is known whole. */
export function wholePath(term: Term): string[] | undefined {
  if (term.kind !== "Ref" || term.head.kind !== "Var" || term.head.name !== "data") return undefined;
  const path = term.args.flatMap((arg) => (arg.kind === "String" ? arg.value : []));
  return path.length === term.args.length ? path : undefined;
}

/** The written text of a place, in one line. */
export function shownText({ file, start, end }: Span): string {
  const text = file.text.slice(start, end).replace(/\s+/g, " ");
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

export function nameOf({ head }: Rule): string {
  return refText(head.ref);
}

/** The statements that an author wrote, by place: what rewriting made of calls, templates and `print` is not among them. */
export function writtenStatements(module: Module): Set<string> {
  const found = new Set<string>();
  const see = (node: Node): void => {
    if (node.kind === "TemplateString") return;
    if (node.kind === "Expr") found.add(placeKey(node.span));
    for (const part of children(node)) see(part);
  };
  see(module);
  return found;
}

export const placeKey = ({ start, end }: Span): string => `${start}-${end}`;

/** Whether a statement replaces documents: what they then hold is another question. */
export function replacesData({ with: modifiers }: Expr): boolean {
  return modifiers.some(({ target }) => target.head.kind === "Var" && target.head.name === "data");
}

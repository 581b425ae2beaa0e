/** Arguments of functions that nothing reads, or that change their places. */

import { eachStatement, isWildcard, originalName, type RuleGroup } from "../analyze/index.ts";
import type { Diagnostic } from "../diagnostics/index.ts";
import type { Rule, Term } from "../syntax/index.ts";
import { bugDiagnostic } from "./codes.ts";
import { type Looked, nameOf, pathKey, wholePath } from "./found.ts";

export function* checkArguments(looked: Looked): Iterable<Diagnostic> {
  const replaced = replacedFunctions(looked);
  for (const group of looked.policy.groups) {
    const [first] = group.definitions;
    if (group.kind !== "function" || first === undefined || !looked.isWanted(first.rule.span.file)) continue;
    if (!replaced.has(pathKey(group.path))) yield* wildcards(group);
    yield* swapped(group);
  }
}

/** The functions that stand in for another one, or that another one stands in for. Their arguments are not theirs to choose. */
function replacedFunctions({ policy }: Looked): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (term: Term): void => {
    const path = wholePath(term);
    if (path !== undefined) found.add(pathKey(path));
  };
  for (const { definitions } of policy.groups)
    for (const { rule } of definitions)
      eachStatement(rule, ({ with: modifiers }) => {
        for (const { target, value } of modifiers) {
          add(target);
          add(value);
        }
      });
  return found;
}

/** A function that reads none of its arguments is a constant, or asks whether they are defined. */
function* wildcards({ definitions, arity = 0 }: RuleGroup): Iterable<Diagnostic> {
  const [first] = definitions;
  const isRead = (arg: Term): boolean => arg.kind !== "Var" || !isWildcard(arg.name);
  if (!definitions.some(({ rule }) => rule.head.args?.some(isRead))) return;
  for (let i = 0; i < arity; i++) {
    const args = definitions.map(({ rule }) => rule.head.args?.[i]);
    if (args.some((arg) => arg === undefined || isRead(arg))) continue;
    const params = { name: nameOf(first?.rule as Rule), position: i + 1 };
    yield bugDiagnostic("bugs/argument-always-wildcard", params, args[0]?.span);
  }
}

/** `f(user, role)` and `f(role, user)`. */
function* swapped({ definitions }: RuleGroup): Iterable<Diagnostic> {
  const places = new Map<string, number>();
  for (const { rule } of definitions) {
    const names = (rule.head.args ?? []).map((arg) =>
      arg.kind === "Var" && !isWildcard(arg.name) ? originalName(arg.name) : "",
    );
    const moved = names.findIndex((name, i) => name !== "" && places.has(name) && places.get(name) !== i);
    if (moved >= 0) {
      const params = { name: nameOf(rule), arg: names[moved] as string };
      yield bugDiagnostic("bugs/inconsistent-args", params, rule.head.args?.[moved]?.span);
      return;
    }
    for (const [i, name] of names.entries()) if (name !== "") places.set(name, i);
  }
}

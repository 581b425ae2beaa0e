/** Names that hide others. */

import type { Diagnostic } from "../diagnostics/index.ts";
import { builtin, type Import, type Module } from "../syntax/index.ts";
import { bugDiagnostic } from "./codes.ts";
import { type Looked, nameOf } from "./found.ts";

export function* checkNames(looked: Looked): Iterable<Diagnostic> {
  yield* builtins(looked);
  const packages = new Map<string, Set<string>>();
  for (const module of looked.policy.modules) {
    const path = packageOf(module);
    const names = packages.get(path) ?? new Set();
    packages.set(path, names);
    // A rule with a longer name, `result.response`, is asked by its path, from outside.
    for (const { ref } of module.rules.map(({ head }) => head))
      if (ref.head.kind === "Var" && ref.args.length === 0) names.add(ref.head.name);
  }
  for (const { module } of looked.modules) yield* imports(module, packages.get(packageOf(module)) ?? new Set());
}

function packageOf({ package: { path } }: Module): string {
  return JSON.stringify(path.args.map((arg) => arg.kind === "String" && arg.value));
}

function* builtins({ policy, isWanted }: Looked): Iterable<Diagnostic> {
  for (const { kind, definitions } of policy.groups) {
    const rule = definitions.find((d) => isWanted(d.rule.span.file))?.rule;
    if (kind !== "function" || rule === undefined || rule.head.ref.args.length > 0) continue;
    const name = nameOf(rule);
    const known = builtin(name);
    if (known === undefined || known.deprecated || known.infix !== undefined) continue;
    yield bugDiagnostic("bugs/rule-shadows-builtin", { name }, rule.head.ref.head.span);
  }
}

/** An import of the rule itself hides nothing: the name means the same with it. */
function* imports(module: Module, rules: ReadonlySet<string>): Iterable<Diagnostic> {
  for (const imp of module.imports) {
    const name = importedName(imp);
    if (name !== undefined && rules.has(name) && !isRuleOf(module, imp, name))
      yield bugDiagnostic("bugs/import-shadows-rule", { name }, imp.span);
  }
}

function isRuleOf(module: Module, { path }: Import, name: string): boolean {
  const words = [...module.package.path.args.map((arg) => arg.kind === "String" && arg.value), name];
  const isData = path.head.kind === "Var" && path.head.name === "data" && path.args.length === words.length;
  return isData && path.args.every((arg, i) => arg.kind === "String" && arg.value === words[i]);
}

/** `rego.v1` and keywords of the future name nothing. */
function importedName({ alias, path }: Import): string | undefined {
  const root = path.head.kind === "Var" ? path.head.name : "";
  if (root !== "data" && root !== "input") return undefined;
  const last = path.args.at(-1);
  return alias?.name ?? (last?.kind === "String" ? last.value : root);
}

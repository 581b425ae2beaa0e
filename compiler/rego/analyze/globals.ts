/** What a module sees of the rest: the rules of its package, and its imports. */

import type { Diagnostic } from "../diagnostics/index.ts";
import type { Import, Module, Rule } from "../syntax/index.ts";
import { analyzeDiagnostic } from "./codes.ts";
import { importText } from "./text.ts";
import type { Unit } from "./work.ts";

/** What a name of the module stands for: a document's path, and whether anything used it. */
export interface Global {
  readonly root: string;
  readonly path: readonly string[];
  used: boolean;
}

/**
 * Whether a name that nothing defines may be defined where the text could not be read. `called`: the whole name of a call that
 * it begins.
 */
export type MayName = (name: string, called?: string) => boolean;

/** What a module sees. */
export class Globals {
  private readonly known = new Map<string, Global>();
  private readonly path: readonly string[];
  private readonly mayName: MayName;

  /** `path`: of the module's package. */
  constructor(path: readonly string[], mayName: MayName) {
    this.path = path;
    this.mayName = mayName;
  }

  add(name: string, root: string, path: readonly string[]): void {
    this.known.set(name, { root, path, used: false });
  }

  get(name: string, called?: string): Global | undefined {
    const found = this.known.get(name);
    if (found !== undefined || !this.mayName(name, called)) return found;
    return { root: "data", path: [...this.path, name], used: true };
  }

  /** Those imports whose name nothing used; of several that give one name, all. */
  unused(imports: readonly Import[]): Import[] {
    return imports.filter((imp) => this.known.get(importName(imp))?.used === false && !isLanguageImport(imp));
  }
}

/** All of the text was read. */
export const noGaps: MayName = () => false;

/** The names that a package's rules define, over all of its modules: package path → first parts of rule names. */
export type Exports = ReadonlyMap<string, ReadonlySet<string>>;

export function packagePath(module: Module): string[] {
  return module.package.path.args.map((a) => (a.kind === "String" ? a.value : ""));
}

const packageKey = (path: readonly string[]): string => JSON.stringify(path);

export function ruleName(rule: Rule): string {
  const { head } = rule.head.ref;
  return head.kind === "Var" ? head.name : "";
}

export function exportsOf(units: readonly Unit[]): Exports {
  const exports = new Map<string, Set<string>>();
  for (const { module, path } of units) {
    const key = packageKey(path);
    const names = exports.get(key) ?? new Set<string>();
    for (const rule of module.rules) names.add(ruleName(rule));
    exports.set(key, names);
  }
  return exports;
}

/** The name an import gives: its alias, or the last part of its path. */
export function importName(imp: Import): string {
  if (imp.alias) return imp.alias.name;
  const last = imp.path.args.at(-1);
  if (last?.kind === "String") return last.value;
  return imp.path.head.kind === "Var" ? imp.path.head.name : "";
}

/** `rego.v1` and `future.keywords` say how to read the file; they name nothing. */
function isLanguageImport(imp: Import): boolean {
  return imp.path.head.kind === "Var" && (imp.path.head.name === "rego" || imp.path.head.name === "future");
}

/** What a module's package and imports give. */
export function globalsOf(unit: Unit, exports: Exports, mayName: MayName): Globals {
  const globals = new Globals(unit.path, mayName);
  for (const name of exports.get(packageKey(unit.path)) ?? []) {
    globals.add(name, "data", [...unit.path, name]);
  }
  for (const imp of unit.module.imports) {
    if (isLanguageImport(imp) || imp.path.head.kind !== "Var") continue;
    const path = imp.path.args.map((a) => (a.kind === "String" ? a.value : ""));
    globals.add(importName(imp), imp.path.head.name, path);
  }
  return globals;
}

export function checkImports(module: Module, out: Diagnostic[]): void {
  const seen = new Map<string, Import>();
  for (const imp of module.imports) {
    const name = importName(imp);
    const before = seen.get(name);
    if (before) {
      const related = [{ message: "imported first here", span: before.span }];
      out.push(analyzeDiagnostic("analyze/duplicate-import", { import: importText(before) }, imp.span, { related }));
    } else seen.set(name, imp);
  }
}

/** The rules of a bundle by their path below `data`, and the meaning of names in its modules. */

import type { SourceFile } from "@portcullis/rego/diagnostics";
import {
  type Body,
  children,
  type Module,
  type Node,
  parseModule,
  type Ref,
  type Rule,
  type Term,
  type Var,
} from "@portcullis/rego/syntax";

export interface IndexedModule {
  readonly file: SourceFile;
  readonly module: Module;
  readonly packagePath: readonly string[];
  /** Alias to path, `data` or `input` first. */
  readonly imports: ReadonlyMap<string, readonly string[]>;
}

/** All rules of one path, defaults apart. */
export interface RuleGroup {
  /** `pkg/rule`, as entrypoints are called. */
  readonly name: string;
  readonly kind: "complete" | "partial" | "function";
  readonly rules: readonly IndexedRule[];
  readonly defaults: readonly IndexedRule[];
}

export interface IndexedRule {
  readonly module: IndexedModule;
  readonly rule: Rule;
  /** Names that the rule binds itself. */
  readonly locals: ReadonlySet<string>;
}

/** A reference by its place: `data` or `input`, the names that are certain, and the terms that follow them. */
export interface Resolved {
  readonly root: "data" | "input";
  readonly fixed: readonly string[];
  readonly rest: readonly Term[];
}

/** A file is indexed alone, and then with others. */
const indexed = new WeakMap<SourceFile, IndexedModule | "broken">();

export class RegoIndex {
  readonly groups: ReadonlyMap<string, RuleGroup>;
  readonly modules: readonly Module[];

  /** Modules that do not parse are left out: they were not compiled. */
  constructor(files: readonly SourceFile[]) {
    const modules = files.map(indexedModule).filter((m) => m !== "broken");
    this.modules = modules.map((m) => m.module);
    const groups = new Map<string, IndexedRule[]>();
    for (const module of modules) {
      for (const rule of module.module.rules) {
        const name = [...module.packagePath, ...headPath(rule)].join("/");
        const locals = rule.isDefault ? new Set<string>() : localsOf(rule);
        groups.set(name, [...(groups.get(name) ?? []), { module, rule, locals }]);
      }
    }
    this.groups = new Map([...groups].map(([name, rules]) => [name, groupOf(name, rules)]));
  }

  /** The path of a name or reference in a rule; `undefined` for the rule's own variables and for builtins. */
  resolve({ module, locals }: Pick<IndexedRule, "module" | "locals">, term: Ref | Var): Resolved | undefined {
    const [head, args] = term.kind === "Var" ? [term, []] : [term.head, term.args];
    if (head.kind !== "Var" || locals.has(head.name)) return undefined;
    const imported = module.imports.get(head.name);
    if (head.name === "input" || head.name === "data") return extend(head.name, [], args);
    if (imported !== undefined) return extend(imported[0] === "input" ? "input" : "data", imported.slice(1), args);
    const own = [...module.packagePath, head.name];
    return this.hasBelow(own.join("/")) ? extend("data", own, args) : undefined;
  }

  /** The rules that a reference reaches into: the longest path of names that has rules. */
  groupAt({ root, fixed }: Resolved): RuleGroup | undefined {
    if (root === "input") return undefined;
    for (let length = fixed.length; length > 0; length--) {
      const group = this.groups.get(fixed.slice(0, length).join("/"));
      if (group !== undefined) return group;
    }
    return undefined;
  }

  /** The place that a reference means where rules only name another: `record.result`, with `record := input.record`, is the input's. */
  throughNames(reference: Resolved): Resolved {
    const group = this.groupAt(reference);
    const [only, ...others] = group?.kind === "complete" && group.defaults.length === 0 ? group.rules : [];
    if (group === undefined || only === undefined || others.length > 0) return reference;
    const { head, body, else: otherwise } = only.rule;
    const below = reference.fixed.slice(group.name.split("/").length);
    const isBelow = below.length > 0 || reference.rest.length > 0;
    if (!isBelow || head.value?.kind !== "Ref" || body.length > 0 || otherwise !== undefined) return reference;
    const named = this.resolve(only, head.value);
    if (named === undefined || named.rest.length > 0) return reference;
    return this.throughNames({ ...named, fixed: [...named.fixed, ...below], rest: reference.rest });
  }

  private hasBelow(name: string): boolean {
    return this.groups.has(name) || [...this.groups.keys()].some((known) => known.startsWith(`${name}/`));
  }
}

/**
 * Every reference in some nodes of a rule, calls' functions among them. A variable stands for the rule of its name only outside of the
 * scope that declares it. `isLeftOut`: parts that are not looked at.
 */
export function referencesIn(
  index: RegoIndex,
  { module, rule }: IndexedRule,
  nodes: readonly Node[],
  isLeftOut: (node: Node) => boolean = () => false,
): Resolved[] {
  const found: Resolved[] = [];
  const visit = (node: Node, locals: ReadonlySet<string>): void => {
    if (isLeftOut(node)) return;
    const named = node.kind === "Call" ? node.operator : node.kind === "Ref" || node.kind === "Var" ? node : undefined;
    const resolved = named && index.resolve({ module, locals }, named);
    if (resolved !== undefined) found.push(resolved);
    // The head of a reference has been seen with it.
    const parts = node.kind === "Ref" && node.head.kind === "Var" ? node.args : children(node);
    const within = scopeOf(node, locals);
    for (const part of parts) visit(part, isOutside(node, part) ? locals : within);
  };
  const args = namesIn(rule.head.args ?? []);
  let own: ReadonlySet<string> = args;
  for (let branch: Rule | undefined = rule; branch !== undefined; branch = branch.else)
    own = new Set([...own, ...declaredIn(branch.body)]);
  // A whole rule says itself what is declared where.
  for (const node of nodes) visit(node, node.kind === "Rule" ? args : own);
  return found;
}

/** The names that are bound in a node, beside those around it. */
function scopeOf(node: Node, locals: ReadonlySet<string>): ReadonlySet<string> {
  if (node.kind === "Logical") return new Set([...locals, ...declaredIn(node.left), ...declaredIn(node.right)]);
  if (!("body" in node) || !Array.isArray(node.body)) return locals;
  const bound = node.kind === "Every" ? [node.key, node.value] : node.kind === "Rule" ? (node.head.args ?? []) : [];
  return new Set([...locals, ...namesIn(bound), ...declaredIn(node.body)]);
}

/** Parts that a node's own variables are not bound in. */
function isOutside(node: Node, part: Node): boolean {
  return (node.kind === "Every" && part === node.domain) || (node.kind === "Rule" && part === node.else);
}

/** What the statements of a body declare, and not those of a body within. */
function declaredIn(body: Body): Set<string> {
  return namesIn(
    body.flatMap(({ body: said }) => {
      if (said.kind === "SomeDecl") return [...said.vars, said.key, said.value];
      const isAssigned = said.kind === "Call" && said.operator.kind === "Var" && said.operator.name === "assign";
      return isAssigned ? said.args.slice(0, 1) : [];
    }),
  );
}

/** Variables of patterns: `[x, {"k": y}]`. */
function namesIn(patterns: readonly (Node | undefined)[]): Set<string> {
  const names = new Set<string>();
  const declare = (node: Node | undefined): void => {
    if (node === undefined) return;
    if (node.kind === "Var") names.add(node.name);
    else if (node.kind === "Array" || node.kind === "Object" || node.kind === "Set") children(node).forEach(declare);
  };
  patterns.forEach(declare);
  return names;
}

function extend(root: "data" | "input", fixed: readonly string[], args: readonly Term[]): Resolved {
  const names: string[] = [];
  for (const arg of args) {
    if (arg.kind !== "String") break;
    names.push(arg.value);
  }
  return { root, fixed: [...fixed, ...names], rest: args.slice(names.length) };
}

function indexedModule(file: SourceFile): IndexedModule | "broken" {
  let found = indexed.get(file);
  if (found === undefined) {
    const { module } = parseModule(file);
    found = module === undefined ? "broken" : indexModule(file, module);
    indexed.set(file, found);
  }
  return found;
}

function indexModule(file: SourceFile, module: Module): IndexedModule {
  const imports = module.imports.flatMap((i): [string, readonly string[]][] => {
    const path = [i.path.head.kind === "Var" ? i.path.head.name : "", ...stringsOf(i.path.args)];
    const alias = i.alias?.name ?? path.at(-1) ?? "";
    return path[0] === "data" || path[0] === "input" ? [[alias, path]] : [];
  });
  return { file, module, packagePath: stringsOf(module.package.path.args), imports: new Map(imports) };
}

function groupOf(name: string, rules: readonly IndexedRule[]): RuleGroup {
  const defaults = rules.filter(({ rule }) => rule.isDefault);
  const others = rules.filter(({ rule }) => !rule.isDefault);
  const isFunction = rules.some(({ rule }) => rule.head.args !== undefined);
  const isPartial = others.some(
    ({ rule: { head } }) => head.key !== undefined || headPath({ head }).length <= head.ref.args.length,
  );
  return { name, kind: isFunction ? "function" : isPartial ? "partial" : "complete", rules: others, defaults };
}

/** The part of a head that is certain: `p.q` of `p.q[x]`. */
function headPath({ head }: Pick<Rule, "head">): string[] {
  const name = head.ref.head.kind === "Var" ? head.ref.head.name : "";
  return [name, ...stringsOf(head.ref.args)];
}

function stringsOf(terms: readonly Term[]): string[] {
  const names: string[] = [];
  for (const term of terms) {
    if (term.kind !== "String") break;
    names.push(term.value);
  }
  return names;
}

/** Arguments, and the variables of `some`, `every` and `:=` anywhere in some nodes. */
export function localsOf(...nodes: readonly Node[]): Set<string> {
  const found: (Node | undefined)[] = [];
  const visit = (node: Node): void => {
    if (node.kind === "Rule") found.push(...(node.head.args ?? []));
    if (node.kind === "SomeDecl") found.push(...node.vars, node.key, node.value);
    if (node.kind === "Every") found.push(node.key, node.value);
    if (node.kind === "Call" && node.operator.kind === "Var" && node.operator.name === "assign")
      found.push(node.args[0]);
    children(node).forEach(visit);
  };
  nodes.forEach(visit);
  return namesIn(found);
}

/**
 * Semantic analysis of Rego v1, in the order of OPA's compiler: names, variables, hoisting, calls, conflicts, safety,
 * recursion, types. Rules in which a stage finds an error are left out of the later ones, the others go on, so that one
 * run tells as much as can be told.
 */

import { type Diagnostic, hasErrors, type Span, sortDiagnostics } from "../diagnostics/index.ts";
import {
  type Body,
  type Builtins,
  type Call,
  builtins as catalogue,
  type Language,
  type Module,
  type Rule,
  type Term,
} from "../syntax/index.ts";
import { calledBuiltins } from "./called-builtins.ts";
import { captureValues } from "./captures.ts";
import { checkLanguage } from "./check-language.ts";
import { TypeChecker } from "./check-types.ts";
import type { CheckedPolicy, CheckedQuery } from "./checked.ts";
import { analyzeDiagnostic, spoils } from "./codes.ts";
import { checkConflicts } from "./conflicts.ts";
import { flattenCalls, flattenOrdered, flattenQueryCalls } from "./flatten.ts";
import { CallChecker, callsVoid, checkVoidCalls } from "./functions.ts";
import { fuseCalls } from "./fuse.ts";
import { Gaps } from "./gaps.ts";
import { exportsOf, type MayName, packagePath, ruleName } from "./globals.ts";
import { DependencyGraph } from "./graph.ts";
import { groupRules, toRuleGraph } from "./groups.ts";
import { AnnotationSet, insertMetadata, type Schemas } from "./metadata.ts";
import { erasePrints, PrintRewriter } from "./prints.ts";
import { resolveModule, resolveQuery } from "./resolve.ts";
import { equalsToUnify } from "./rewrite-equal.ts";
import { RuleTree } from "./rule-tree.ts";
import { checkQuerySafety, checkRuleSafety } from "./safety.ts";
import { schemaType } from "./schema-types.ts";
import { nameQueryVariables, nameVariables, visibleVariables } from "./scopes.ts";
import { addVars } from "./walk.ts";
import { WithChecker } from "./with.ts";
import { NameSupply, type Unit, type WorkQuery, type WorkRule } from "./work.ts";

export type {
  CheckedPolicy,
  CheckedQuery,
  PlacedAnnotation,
  RuleDefinition,
  RuleGraph,
  RuleGroup,
  RuleKind,
} from "./checked.ts";
export { codes as analyzeCodes, codes } from "./codes.ts";
export { convertModule } from "./convert-v0.ts";
export { markingVariables } from "./marked-variables.ts";
export type { Schemas } from "./metadata.ts";
export { isGenerated, isWildcard, originalName } from "./names.ts";
export { pathText, refText } from "./text.ts";

/** A query to be checked beside the modules. */
export interface QuerySource {
  readonly name: string;
  readonly body: Body;
  readonly span: Span;
  /** The values of its expressions are asked for, too. */
  readonly captures?: boolean;
}

export interface AnalyzeOptions {
  readonly queries?: readonly QuerySource[];
  /** Whether the bundle's data has a value at a path below `data`: rules may not stand there. */
  readonly dataExists?: (path: readonly string[]) => boolean;
  /** Non-deterministic builtins that the author allows and the host supplies, by full name. */
  readonly allowNondeterministic?: readonly string[];
  /** Unused imports, variables and arguments are errors, too. */
  readonly strict?: boolean;
  /** JSON Schemas that annotations name: `schema.acme.input` is `acme/input`; `` is the schema of every rule's input. */
  readonly schemas?: Schemas | undefined;
  /** The author gave schemas: an annotation that names a missing one is an error. Else such an annotation says nothing. */
  readonly requireSchemas?: boolean;
  /** The builtins that can be evaluated; all of the catalogue when left out. */
  readonly availableBuiltins?: ReadonlySet<string>;
  /** The builtins that there are; OPA's when left out. */
  readonly builtins?: Builtins | undefined;
  /** The parts of the language that may be used; all when left out. */
  readonly language?: Language | undefined;
  /** There are modules beside these of which not even the package could be read: they may define anything. */
  readonly unknownModules?: boolean;
  /** Calls of `print` stay, as calls of `internal.print`: somebody hears them. Else they are left out. */
  readonly keepPrints?: boolean;
}

export interface AnalyzeResult {
  /** `undefined` when there are errors, here or in the text of a module. */
  readonly policy: CheckedPolicy | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

export function analyze(modules: readonly Module[], options: AnalyzeOptions = {}): AnalyzeResult {
  const out: Diagnostic[] = [];
  const strict = options.strict ?? false;
  const builtins = options.builtins ?? catalogue();
  const units = modules.map((module): Unit => ({ module, path: packagePath(module) }));
  const { language } = options;
  if (language !== undefined) for (const module of modules) out.push(...checkLanguage(module, language));
  const gaps = new Gaps(units, options.unknownModules ?? false);
  const byUnit = rulesByUnit(units, gaps, strict, builtins, out);
  const rules = [...byUnit.values()].flat();

  const tree = new RuleTree(units, rules);
  const annotations = new AnnotationSet(units, byUnit, options.schemas, options.requireSchemas ?? false, out);
  checkConflicts(tree, units, options.dataExists, out);
  const calls = new CallChecker(
    tree,
    {
      builtins,
      allowNondeterministic: new Set(options.allowNondeterministic),
      availableBuiltins: options.availableBuiltins,
      keepPrints: options.keepPrints ?? false,
    },
    gaps,
    out,
  );
  const queries = (options.queries ?? []).map((q) => prepareQuery(q, strict, calls, out));
  const names = new NamesInScope(units);
  const keepPrints = options.keepPrints ?? false;
  // Rule by rule, all that a rule needs no other's result for: what a stage makes for the next one is forgotten young.
  for (const rule of rules) {
    if (!rule.broken) checkCalls(rule, tree, calls, annotations, out);
    if (!rule.broken && calls.guessed !== "statement") checkRuleSafety(rule, names, out);
    // What follows rests on the types of all calls.
    if (calls.guessed !== undefined) rule.broken = true;
    if (!rule.broken) finishRule(rule, keepPrints);
  }
  for (const { work } of queries) {
    if (!work.broken) checkQueryCalls(work, tree, calls, out);
    if (!work.broken && calls.guessed !== "statement") checkQuerySafety(work, out);
    if (calls.guessed !== undefined) work.broken = true;
    if (!work.broken) finishQuery(work, keepPrints);
  }

  const graph = new DependencyGraph(tree, rules);
  graph.checkRecursion(out);
  const types = new TypeChecker(
    inputType(options.schemas, out),
    (rule) => annotations.schemasFor(rule),
    (replaced) => graph.dependents(replaced),
    builtins,
    (rule) => gaps.mayDefine(rule.path),
    out,
  );
  for (const { rule, branch } of graph.inOrder()) types.branch(rule, branch);
  for (const { work } of queries) if (!work.broken) types.query(work.body);

  const diagnostics = sortDiagnostics(out);
  // INVARIANT: no policy comes of modules that were read in part.
  if (hasErrors(diagnostics) || !gaps.none) return { policy: undefined, diagnostics };
  const { groups, finished } = groupRules(rules);
  const policy = {
    modules,
    groups,
    annotations: annotations.placed(),
    queries: queries.map(
      ({ work, bindings, expressions }): CheckedQuery => ({ name: work.name, body: work.final, bindings, expressions }),
    ),
    builtins: calledBuiltins(
      groups,
      queries.map((q) => q.work.final),
    ),
    graph: toRuleGraph(graph, finished),
  };
  return { policy: policy as unknown as CheckedPolicy, diagnostics };
}

/** The rules of each module, with all that does not need to know other rules. */
function rulesByUnit(
  units: readonly Unit[],
  gaps: Gaps,
  strict: boolean,
  builtins: Builtins,
  out: Diagnostic[],
): Map<Unit, WorkRule[]> {
  const exports = exportsOf(units);
  const finish = (rule: WorkRule): WorkRule => {
    if (!rule.broken) nameVariables(rule, strict, out);
    if (!rule.broken) prepare(rule, builtins, out);
    return rule;
  };
  const resolved = (unit: Unit): WorkRule[] => {
    const mayName: MayName = (name, called) => gaps.takesName(unit, name, called !== undefined && builtins.has(called));
    return resolveModule(unit, exports, strict, finish, out, mayName);
  };
  return new Map(units.map((unit) => [unit, resolved(unit)]));
}

function headTerms(rule: WorkRule): Term[] {
  const values = rule.branches.flatMap((b) => b.value ?? []);
  return [...(rule.args ?? []), ...rule.keys, ...(rule.key ? [rule.key] : []), ...values];
}

/** What does not need to know other rules. */
function prepare(rule: WorkRule, builtins: Builtins, out: Diagnostic[]): void {
  const found = out.length;
  if (callsVoid(rule, builtins))
    for (const [i, branch] of rule.branches.entries())
      checkVoidCalls(builtins, branch.body, i === 0 ? headTerms(rule) : [], out);
  if (rule.called.has("print")) rewritePrints(rule, out);
  if (spoils(out, found)) rule.broken = true;
  else flattenCalls(rule);
}

function rewritePrints(rule: WorkRule, out: Diagnostic[]): void {
  const bound = new Set<string>();
  for (const a of rule.args ?? []) addVars(a, bound, true);
  const prints = new PrintRewriter(rule.names, out);
  for (const branch of rule.branches) {
    branch.body = prints.body(branch.body, bound);
    branch.value = branch.value && prints.term(branch.value, bound);
  }
  rule.args = rule.args?.map((a) => prints.term(a, bound));
  rule.keys = rule.keys.map((k) => prints.term(k, bound));
  rule.key = rule.key && prints.term(rule.key, bound);
  rule.prints = prints.found;
  rule.closures ||= prints.found;
}

function prepareQuery(
  source: QuerySource,
  strict: boolean,
  calls: CallChecker,
  out: Diagnostic[],
): { work: WorkQuery } & Pick<CheckedQuery, "bindings" | "expressions"> {
  const { builtins } = calls;
  const names = new NameSupply();
  const resolved = resolveQuery(source.body, names);
  const arityOf = (call: Call): number | undefined => calls.arityOf(call);
  const captured = source.captures === true ? captureValues(resolved, { names, builtins, arityOf }) : undefined;
  const work: WorkQuery = {
    name: source.name,
    names,
    body: captured?.body ?? resolved,
    final: [],
    broken: false,
  };
  const found = out.length;
  if (source.body.length === 0) out.push(analyzeDiagnostic("analyze/empty-query", {}, source.span));
  nameQueryVariables(work, strict, out);
  const bindings = visibleVariables(work.body);
  checkVoidCalls(builtins, work.body, [], out);
  work.body = new PrintRewriter(names, out).body(work.body, new Set());
  if (spoils(out, found)) work.broken = true;
  else flattenQueryCalls(work);
  return { work, bindings, expressions: captured?.expressions };
}

function checkCalls(
  rule: WorkRule,
  tree: RuleTree,
  calls: CallChecker,
  annotations: AnnotationSet,
  out: Diagnostic[],
): void {
  const found = out.length;
  calls.guessed = undefined;
  const modifiers = new WithChecker(tree, calls, rule.names, rule.closures, out);
  for (const branch of rule.branches) branch.body = calls.body(modifiers.body(branch.body), rule.closures);
  insertMetadata(rule, annotations);
  if (spoils(out, found)) rule.broken = true;
}

function checkQueryCalls(query: WorkQuery, tree: RuleTree, calls: CallChecker, out: Diagnostic[]): void {
  const found = out.length;
  calls.guessed = undefined;
  const modifiers = new WithChecker(tree, calls, query.names, true, out);
  query.body = calls.body(modifiers.body(query.body), true);
  if (spoils(out, found)) query.broken = true;
}

/** The last rewriting. Calls of `print` that no host hears are kept for the type checker only. */
function finishRule(rule: WorkRule, keepPrints: boolean): void {
  for (const branch of rule.branches) {
    const ordered = rule.called.has("equal") ? equalsToUnify(branch.body) : branch.body;
    branch.body = flattenOrdered(ordered, rule.names);
    const final = rule.prints && !keepPrints ? flattenOrdered(erasePrints(ordered), rule.names) : branch.body;
    branch.final = fuseCalls(final, rule.closures);
  }
}

function finishQuery(query: WorkQuery, keepPrints: boolean): void {
  const ordered = query.body;
  query.body = flattenOrdered(ordered, query.names);
  query.final = fuseCalls(keepPrints ? query.body : flattenOrdered(erasePrints(ordered), query.names), true);
}

function inputType(schemas: Schemas | undefined, out: Diagnostic[]): ReturnType<TypeChecker["global"]["typeOf"]> {
  const schema = schemas?.get("");
  if (schema === undefined) return undefined;
  const result = schemaType(schema);
  if ("type" in result) return result.type;
  out.push(analyzeDiagnostic("analyze/invalid-schema", { path: "input", problem: result.problem }, undefined));
  return undefined;
}

function rowOf({ span }: Rule): number {
  return span.file.positionAt(span.start).line;
}

/** What an author may have meant by a misspelt name: rules of the package, and imports. Which rule a finding is in. */
class NamesInScope {
  private readonly units: readonly Unit[];
  /** The names of the rules that begin in each row of a module, where the rows were asked for. */
  private readonly rows = new Map<Unit, ReadonlyMap<number, ReadonlySet<string>>>();

  constructor(units: readonly Unit[]) {
    this.units = units;
  }

  /** ` in rule p` where rules of other names begin in the same row: there a place does not say which it is. */
  scopeOf({ unit, source, name }: WorkRule): string {
    const sharing = this.rowsOf(unit).get(rowOf(source))?.size ?? 0;
    return sharing > 1 ? ` in rule ${name.join(".")}` : "";
  }

  private rowsOf(unit: Unit): ReadonlyMap<number, ReadonlySet<string>> {
    const known = this.rows.get(unit);
    if (known) return known;
    const rows = new Map<number, Set<string>>();
    for (const rule of unit.module.rules) {
      const names = rows.get(rowOf(rule)) ?? new Set<string>();
      const dynamic = rule.head.ref.args.findIndex((part) => part.kind !== "String");
      names.add(
        JSON.stringify([
          ruleName(rule),
          ...rule.head.ref.args
            .slice(0, dynamic < 0 ? undefined : dynamic)
            .map((part) => part.kind === "String" && part.value),
        ]),
      );
      rows.set(rowOf(rule), names);
    }
    this.rows.set(unit, rows);
    return rows;
  }

  namesFor({ unit }: WorkRule): Iterable<string> {
    const imported = unit.module.imports
      .map((i) => i.alias?.name ?? i.path.args.at(-1))
      .flatMap((n) => (typeof n === "string" ? n : n?.kind === "String" ? n.value : []));
    const key = unit.path.join("\0");
    const sameUnits = this.units.filter(({ path }) => path.join("\0") === key);
    const rules = new Set(sameUnits.flatMap(({ module }) => module.rules.map(ruleName)));
    return [...rules, ...imported, "input", "data"];
  }
}

export { constantJson, denialsOf } from "./denials.ts";
export { chooseEntrypoints } from "./entrypoints.ts";
export { callsOf, eachStatement, eachTermDeep, originsOf } from "./flow.ts";
export { type NamedTests, nameTests, type TestRule } from "./test-rules.ts";
export { addExprVars, addVars, eachClosure, eachClosureOfTerm, eachExprDeep, isCallOf } from "./walk.ts";

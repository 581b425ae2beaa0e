/** Loops that say something else than they look like. */

import { callsOf, eachClosure, isCallOf, isGenerated, isWildcard, originalName, originsOf } from "../analyze/index.ts";
import { type Diagnostic, rewriting } from "../diagnostics/index.ts";
import {
  type Body,
  children,
  type Expr,
  eachTerm,
  type Node,
  type Ref,
  type Term,
  termKey,
  type Var,
} from "../syntax/index.ts";
import { bugDiagnostic } from "./codes.ts";
import { branchesOf, type Defined, type Looked, nameOf, pathKey, shownText, wholePath } from "./found.ts";

export function* checkLoops(looked: Looked): Iterable<Diagnostic> {
  const constants = constantRules(looked);
  for (const { rules } of looked.modules)
    for (const defined of rules) {
      const uses = usesOf(defined);
      const origins = originsOf(defined.rule);
      const size = (term: Term): number =>
        sizeOf((term.kind === "Var" ? origins.get(term.name) : undefined) ?? term, constants, looked);
      for (const { body } of branchesOf(defined.rule)) {
        yield* unequal(body, uses, size);
        yield* unusedOutputs(body, uses);
      }
      yield* topLevel(defined);
    }
}

/** How often each local stands in a rule. */
function usesOf({ rule, definition }: Defined): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  const count = (node: Node): void => {
    if (node.kind === "Var") uses.set(node.name, (uses.get(node.name) ?? 0) + 1);
    for (const part of children(node)) count(part);
  };
  for (const term of [...(rule.head.args ?? []), ...(definition?.keys ?? [])]) count(term);
  for (const { head, body } of branchesOf(rule)) {
    if (head.value !== undefined) count(head.value);
    for (const expr of body) count(expr);
  }
  return uses;
}

/** `some x in ["a", "b"]; y != x`, where `x` is used for nothing else. */
function* unequal(
  body: readonly Expr[],
  uses: ReadonlyMap<string, number>,
  size: (collection: Term) => number,
): Iterable<Diagnostic> {
  const elements = new Map<string, number>();
  for (const { body: call, negated, with: modifiers } of body) {
    if (negated || !isCallOf(call, "eq") || modifiers.length > 0) continue;
    const [element, source] = call.args as readonly [Term, Term];
    if (element.kind === "Var" && source.kind === "Ref") elements.set(element.name, sizeOfElements(source, uses, size));
  }
  for (const { body: call, negated } of body) {
    if (negated || !isCallOf(call, "neq")) continue;
    const element = call.args.find((arg) => arg.kind === "Var" && (elements.get(arg.name) ?? 0) > 1);
    if (element?.kind !== "Var" || uses.get(element.name) !== 2) continue;
    const other = call.args.find((arg) => arg !== element) as Term;
    const help = `write \`not ${shownText(other.span)} in …\``;
    yield bugDiagnostic("bugs/not-equals-in-loop", { condition: shownText(call.span) }, call.span, { help });
  }
}

/** How many different elements `xs[k]` goes over for a `k` that nothing else binds. */
function sizeOfElements(source: Ref, uses: ReadonlyMap<string, number>, size: (collection: Term) => number): number {
  const key = source.args.at(-1);
  if (key?.kind !== "Var" || uses.get(key.name) !== 1) return 0;
  return size(source.args.length === 1 ? source.head : { ...source, args: source.args.slice(0, -1) });
}

/** How many different elements a collection is known to have; 0 where nothing is known. */
function sizeOf(term: Term, constants: ReadonlyMap<string, Term>, { data }: Looked): number {
  const path = wholePath(term);
  const known = path === undefined ? term : constants.get(pathKey(path));
  if (known === undefined) {
    const value = path === undefined ? undefined : data(path);
    const items = value?.kind === "array" || value?.kind === "set" ? value.items : [];
    return new Set(items.map((item) => JSON.stringify(item))).size;
  }
  if (known.kind !== "Array" && known.kind !== "Set") return 0;
  const scalars = known.items.filter(({ kind }) => kind === "String" || kind === "Boolean" || kind === "Number");
  return new Set(scalars.map(termKey)).size;
}

/** Rules that are one list or set, written out, by path. */
function constantRules({ policy }: Looked): ReadonlyMap<string, Term> {
  return new Map(
    policy.groups.flatMap(({ path, kind, definitions, defaultRule }) => {
      const [only] = definitions;
      if (kind !== "complete" || definitions.length !== 1 || defaultRule !== undefined || only === undefined) return [];
      const { body, head, else: other } = only.rule;
      if (other !== undefined || body.length > 1 || head.value === undefined) return [];
      return [[pathKey(path), originsOf(only.rule).get(nameIn(head.value)) ?? head.value] as const];
    }),
  );
}

const nameIn = (term: Term): string => (term.kind === "Var" ? term.name : "");

/** `xs[i].a; xs[i].b; xs[j].c`: a second element, which nothing ties to the one that the other conditions are about. */
function* unusedOutputs(body: Body, uses: ReadonlyMap<string, number>): Iterable<Diagnostic> {
  const keys = writtenKeys(body);
  const isUsed = ({ key }: WrittenKey): boolean => (uses.get(key.name) ?? 0) > 1;
  for (const written of keys.filter((one) => !isUsed(one))) {
    const { key, over } = written;
    const beside = keys.find((other) => other.over === over && isUsed(other));
    if (beside === undefined || isTied(body, written, beside.key)) continue;
    const name = originalName(key.name);
    const other = originalName(beside.key.name);
    yield bugDiagnostic("bugs/unused-output-variable", { name, other }, key.span, {
      help: `did you mean \`${other}\`?`,
      fixes: rewriting(key.span, other),
    });
  }
  for (const expr of body) {
    const inner: Body[] = [];
    eachClosure(expr, (closure) => inner.push(closure.body));
    for (const closure of inner) yield* unusedOutputs(closure, uses);
  }
}

function isNamed({ name }: Var): boolean {
  return !isWildcard(name) && !isGenerated(name);
}

interface WrittenKey {
  readonly key: Var;
  readonly collection: readonly Term[];
  /** The collection, as text. */
  readonly over: string;
}

/** Whether statements lead from the element of one key to another key: `x := xs[i]; xs[x.next]`, `xs[i].a == xs[j].b`. */
function isTied(body: Body, { key, collection }: WrittenKey, other: Var): boolean {
  const shared = new Set(["data", "input", ...collection.flatMap(variablesOf)]);
  const reached = new Set([key.name]);
  const statements = body.map((expr) => variablesOf(expr).filter((name) => !shared.has(name)));
  for (let size = 0; size < reached.size; ) {
    size = reached.size;
    for (const names of statements.filter((some) => some.some((name) => reached.has(name))))
      for (const name of names) reached.add(name);
  }
  return reached.has(other.name);
}

/**
 * The named variables between the brackets of a body's references, as written, those of closures aside: not the key of
 * `some k, v in xs`, which stands before.
 */
function writtenKeys(body: Body): WrittenKey[] {
  const found: WrittenKey[] = [];
  const see = (term: Term): void => {
    if (term.kind === "Ref")
      for (const [i, key] of term.args.entries())
        if (key.kind === "Var" && key.span.start >= term.head.span.end && isNamed(key)) {
          const collection = [term.head, ...term.args.slice(0, i)];
          found.push({ key, collection, over: collection.map(termKey).join() });
        }
    eachTerm(term, see);
  };
  for (const expr of body) eachTerm(expr, see);
  return found;
}

/** `x := input.xs[_]` without a body. */
function* topLevel({ rule, group, definition }: Defined): Iterable<Diagnostic> {
  const { head } = rule;
  if (definition === undefined || definition.keys.length > 0 || rule.hasBody || rule.else !== undefined) return;
  if (group.kind !== "complete" && group.kind !== "function") return;
  const value =
    head.value?.kind === "Var" && isGenerated(head.value.name) ? originsOf(rule).get(head.value.name) : undefined;
  if (value?.kind !== "Ref") return;
  const given = new Set((head.args ?? []).flatMap(variablesOf));
  const bound = new Set(
    callsOf(rule).flatMap((call) => (isCallOf(call, "eq") ? variablesOf(call.args[0] as Term) : [])),
  );
  const isFree = (arg: Term): boolean => arg.kind === "Var" && !given.has(arg.name) && !bound.has(arg.name);
  if (value.args.some(isFree)) yield bugDiagnostic("bugs/top-level-iteration", { name: nameOf(rule) }, head.span);
}

/** The functions that are called aside. */
function variablesOf(node: Node): string[] {
  if (node.kind === "Var") return [node.name];
  return (node.kind === "Call" ? node.args : children(node)).flatMap(variablesOf);
}

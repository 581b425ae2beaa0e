/** Where the values of a rule's locals come from: paths of the input, and constant texts. Upper bounds, by name. */

import { type CheckedPolicy, callsOf, eachStatement, isCallOf, type RuleGroup } from "@portcullis/rego/analyze";
import { type Expr, type Ref, type Rule, type Term, terms, type Var } from "@portcullis/rego/syntax";
import type { InputPath } from "./input-schema.ts";

export { callsOf, eachStatement, eachTermDeep, originsOf } from "@portcullis/rego/analyze";

/** A local's sources; a path more than once does no harm. */
export type Locals = Map<string, InputPath[]>;

const MAX_PATHS = 8;

/** Every term of the statements of one body, inner ones too, and none of the bodies in it. */
export function termsOfBody(body: readonly Expr[]): Term[] {
  const found: Term[] = [];
  const visit = (term: Term): void => {
    found.push(term);
    for (const part of terms(term)) visit(part);
  };
  for (const expr of body) for (const term of terms(expr)) visit(term);
  return found;
}

/** The locals of every rule, those of functions by what their callers hand in. */
export function localsOf(policy: CheckedPolicy, rules: readonly Rule[]): ReadonlyMap<Rule, Locals> {
  const found = new Map<Rule, Locals>(rules.map((rule) => [rule, new Map()]));
  const functions = new Map(
    policy.groups.filter((g) => g.kind === "function").map((g): [string, RuleGroup] => [g.path.join("\0"), g]),
  );
  // Twice the depth of calls that anybody writes.
  for (let round = 0; round < 4; round++) {
    for (const rule of rules) {
      const locals = found.get(rule) as Locals;
      eachStatement(rule, ({ body }) => {
        if (body.kind === "Every") bindElement(locals, body.value, body.domain);
        if (!isCallOf(body, "eq")) return;
        const [a, b] = body.args as readonly [Term, Term];
        bind(locals, a, b);
        bind(locals, b, a);
      });
      for (const call of callsOf(rule)) {
        const path = dataPath(call.operator);
        const group = path === undefined ? undefined : functions.get(path.join("\0"));
        for (const { rule: called } of group?.definitions ?? []) {
          const inner = found.get(called);
          if (inner === undefined) continue;
          for (const [i, arg] of (called.head.args ?? []).entries()) bind(inner, arg, call.args[i], locals);
        }
      }
    }
  }
  return found;
}

function bind(into: Locals, name: Term, value: Term | undefined, from: Locals = into): void {
  if (name.kind === "Var" && value !== undefined) bindPaths(into, name.name, pathsOf(value, from));
}

/** `every x in xs`: what any element of the collection is. */
function bindElement(into: Locals, name: Var, domain: Term): void {
  bindPaths(
    into,
    name.name,
    pathsOf(domain, into).map((path) => [...path, undefined]),
  );
}

function bindPaths(into: Locals, name: string, paths: readonly InputPath[]): void {
  const known = into.get(name) ?? [];
  for (const path of paths) {
    if (known.length >= MAX_PATHS || known.some((k) => k.join("\0") === path.join("\0"))) continue;
    known.push(path);
  }
  if (known.length > 0) into.set(name, known);
}

/** The paths of the input that a term may be a value of. */
export function pathsOf(term: Term, locals: Locals): readonly InputPath[] {
  if (term.kind === "Var") return locals.get(term.name) ?? [];
  if (term.kind !== "Ref" || term.head.kind !== "Var") return [];
  const rest = term.args.map((arg) => (arg.kind === "String" ? arg.value : undefined));
  const heads = term.head.name === "input" ? [[]] : (locals.get(term.head.name) ?? []);
  return heads.map((head) => [...head, ...rest]);
}

/** The ground path of a reference into `data`, up to the first part that is not known; `undefined` for others. */
export function dataPath(term: Term): string[] | undefined {
  if (term.kind !== "Ref" || term.head.kind !== "Var" || term.head.name !== "data") return undefined;
  const path: string[] = [];
  for (const arg of (term satisfies Ref).args) {
    if (arg.kind !== "String") break;
    path.push(arg.value);
  }
  return path;
}

/**
 * Gives every variable a name of its own: first those that arguments and bodies declare, then the others, which belong
 * to the outermost level they occur at.
 * https://www.openpolicyagent.org/docs/policy-language#variables
 */

import type { Diagnostic } from "../diagnostics/index.ts";
import { type Body, type Mapper, mapChildren, type Term, type Var } from "../syntax/index.ts";
import { analyzeDiagnostic, spoils } from "./codes.ts";
import { Declarer, type Scope, shadowedCall } from "./declare.ts";
import { originalName } from "./names.ts";
import { ownQueryVariables, ownVariables } from "./own.ts";
import { isRootName } from "./root-names.ts";
import { addExprVars, addVars, isComprehension } from "./walk.ts";
import type { WorkQuery, WorkRule } from "./work.ts";

/** The comprehensions of a head declare on their own, before the body does. */
function declareHeadComprehensions(term: Term, rule: WorkRule, strict: boolean, out: Diagnostic[]): Term {
  if (!rule.closures) return term;
  if (isComprehension(term)) return new Declarer(rule.names, strict, out).term(term);
  return mapChildren(term, { term: (t) => declareHeadComprehensions(t, rule, strict, out), body: (b) => b });
}

/** Puts the locals of the body into the head. `key` says that it is a part of the rule's name, which the body evaluates. */
function renameHead(term: Term, declarer: Declarer, out: Diagnostic[], key = false): Term {
  const m: Mapper = {
    term: (t) => {
      if (t.kind === "Var") {
        const name = declarer.localOf(t.name) ?? t.name;
        return name === t.name ? t : { ...t, name };
      }
      if (t.kind === "Call" && declarer.callsLocal(t)) out.push(shadowedCall(t, key ? undefined : t.span));
      return mapChildren(t, m);
    },
    body: (b) => b.map((e) => mapChildren(e, m)),
  };
  return m.term(term);
}

function declareArguments(rule: WorkRule, scope: Scope): void {
  const variable = (v: Var): Var => {
    if (v.name.includes("#") || isRootName(v.name)) return v;
    const entry = scope.get(v.name);
    if (entry) entry.count++;
    else scope.set(v.name, { local: rule.names.fresh(v.name), occurrence: "argument", count: 1 });
    return { ...v, name: scope.get(v.name)?.local as string };
  };
  const argument = (t: Term): Term => {
    if (t.kind === "Var") return variable(t);
    if (t.kind === "Array") return { ...t, items: t.items.map(argument) };
    if (t.kind === "Object") return { ...t, entries: t.entries.map(([k, v]) => [k, argument(v)] as const) };
    return t;
  };
  rule.args = rule.args?.map(argument);
}

/** What arguments name: in sets and keys, too, where it is no variable of its own. */
function namesIn(args: readonly Term[]): Set<string> {
  const found = new Set<string>();
  for (const arg of args) addVars(arg, found, false);
  return new Set([...found].filter((name) => !name.includes("#") && !isRootName(name)));
}

function checkArguments(args: readonly Term[], out: Diagnostic[]): void {
  for (const arg of args) {
    if (arg.kind === "Call") out.push(analyzeDiagnostic("analyze/call-in-arguments", {}, arg.span));
    else if (arg.kind === "Array") checkArguments(arg.items, out);
    else if (arg.kind === "Object") {
      checkArguments(
        arg.entries.map(([, v]) => v),
        out,
      );
    }
  }
}

/** Names the variables of a rule. */
export function nameVariables(rule: WorkRule, strict: boolean, out: Diagnostic[]): void {
  const findings = out.length;
  const argumentScope: Scope = new Map();
  checkArguments(rule.args ?? [], out);
  rule.args = rule.args?.map((a) => declareHeadComprehensions(a, rule, strict, out));
  const unusedArgs = namesIn(rule.args ?? []);
  declareArguments(rule, argumentScope);
  const headUsed = new Set<string>();
  rule.keys = rule.keys.map((t) => declareHeadComprehensions(t, rule, strict, out));
  rule.key = rule.key && declareHeadComprehensions(rule.key, rule, strict, out);
  // What comprehensions declare has names of its own by now: it uses no variable of the body, nor an argument.
  for (const t of rule.key ? [...rule.keys, rule.key] : rule.keys) addVars(t, headUsed, true);
  for (const [i, branch] of rule.branches.entries()) {
    const used = new Set(headUsed);
    if (branch.value) {
      branch.value = declareHeadComprehensions(branch.value, rule, strict, out);
      addVars(branch.value, used, true);
    }
    const scope: Scope = new Map([...argumentScope].map(([name, e]) => [name, { ...e }]));
    const declarer = new Declarer(rule.names, strict, out, scope);
    branch.body = declarer.body(branch.body, used);
    branch.value = branch.value && renameHead(branch.value, declarer, out);
    if (i === 0) {
      rule.args = rule.args?.map((t) => renameHead(t, declarer, out));
      rule.keys = rule.keys.map((t) => renameHead(t, declarer, out, true));
      rule.key = rule.key && renameHead(rule.key, declarer, out);
    }
    for (const name of unusedArgs) {
      if (used.has(name) || declarer.countOf(name) > 1) unusedArgs.delete(name);
    }
  }
  if (strict) {
    for (const name of unusedArgs)
      out.push(analyzeDiagnostic("analyze/unused-argument", { name }, rule.source.head.span));
  }
  if (spoils(out, findings)) rule.broken = true;
  else ownVariables(rule);
}

export function nameQueryVariables(query: WorkQuery, strict: boolean, out: Diagnostic[]): void {
  const findings = out.length;
  query.body = new Declarer(query.names, strict, out).body(query.body, new Set());
  if (spoils(out, findings)) query.broken = true;
  else ownQueryVariables(query);
}

/** For queries: the variables an author can see, in order of first appearance. */
export function visibleVariables(body: Body): { name: string; local: string }[] {
  const seen = new Set<string>();
  for (const e of body) addExprVars(e, seen, false);
  const result: { name: string; local: string }[] = [];
  for (const local of seen) {
    const name = originalName(local);
    if (name !== "" && name !== "_" && !isRootName(local)) result.push({ name, local });
  }
  return result;
}

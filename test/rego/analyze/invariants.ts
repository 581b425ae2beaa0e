/** The promises of `analyze/checked.ts`, stated a second time: what is broken in a policy, as text. */

import type { CheckedPolicy } from "../../../compiler/rego/analyze/index.ts";
import type { Body, Expr, Rule, Term } from "../../../compiler/rego/syntax/ast.ts";
import { builtin } from "../../../compiler/rego/syntax/builtins.ts";
import { showExpr, showTerm } from "./helpers.ts";

const roots = new Set(["input", "data"]);

export function brokenPromises(policy: CheckedPolicy): string[] {
  const checker = new Checker(policy);
  for (const group of policy.groups) {
    for (const { rule, keys } of group.definitions) checker.rule(rule, keys);
    if (group.defaultRule) checker.rule(group.defaultRule, []);
  }
  for (const q of policy.queries) checker.query(q.body, q.bindings);
  checker.groups();
  return checker.problems;
}

class Checker {
  readonly problems: string[] = [];
  private readonly policy: CheckedPolicy;
  private readonly arity: ReadonlyMap<string, number | undefined>;
  private where = "";

  constructor(policy: CheckedPolicy) {
    this.policy = policy;
    this.arity = new Map(policy.groups.map((g) => [g.path.join("\0"), g.arity]));
  }

  private say(problem: string): void {
    this.problems.push(`${this.where}: ${problem}`);
  }

  rule(rule: Rule, keys: readonly Term[]): void {
    this.where = showTerm(rule.head.ref);
    for (let r: Rule | undefined = rule; r; r = r.else) {
      const bound = new Set(roots);
      for (const a of r.head.args ?? []) {
        this.simple(a, "argument");
        addVars(a, bound);
      }
      this.body(r.body, bound);
      const head = [...(r === rule ? keys : []), ...(r.head.value ? [r.head.value] : [])];
      if (!r.head.value && !r.head.key) this.say("no value");
      for (const t of head) {
        this.simple(t, "head");
        this.needs(t, bound, "head");
      }
    }
  }

  query(body: Body, bindings: readonly { readonly local: string }[]): void {
    this.where = "query";
    const bound = new Set(roots);
    this.body(body, bound);
    for (const { local } of bindings) if (!bound.has(local)) this.say(`${local} is reported, not bound`);
  }

  private body(body: Body, bound: Set<string>): void {
    for (const expr of body) this.statement(expr, bound);
  }

  private statement(expr: Expr, bound: Set<string>): void {
    const { body } = expr;
    for (const w of expr.with) {
      if (!w.target.args.every((a) => a.kind === "String")) this.say(`target ${showTerm(w.target)}`);
      if (w.value.kind !== "Ref") {
        this.simple(w.value, "with");
        this.needs(w.value, bound, showExpr(expr));
      }
    }
    if (body.kind === "SomeDecl") this.say("some is left");
    else if (body.kind === "Every") {
      this.simple(body.domain, "domain");
      this.needs(body.domain, bound, showExpr(expr));
      const inner = new Set(bound).add(body.value.name);
      if (body.key) inner.add(body.key.name);
      this.body(body.body, inner);
    } else if (body.kind === "Not") this.body(body.body, new Set(bound));
    else if (body.kind === "Logical") {
      for (const operand of [body.left, body.right]) this.body(operand, new Set(bound));
    } else if (body.kind === "Call" && this.isEq(body)) this.equality(expr, body.args, bound);
    else if (body.kind === "Call") {
      this.call(body, bound);
      this.needs(body, bound, showExpr(expr));
    } else this.operand(body, expr, bound, true);
  }

  private isEq(term: Term): boolean {
    return term.kind === "Call" && term.operator.kind === "Var" && term.operator.name === "eq";
  }

  private equality(expr: Expr, args: readonly Term[], bound: Set<string>): void {
    if (args.length !== 2) return this.say(`eq of ${args.length}`);
    const [a, b] = args as [Term, Term];
    const ready = (t: Term): boolean => {
      const vars = new Set<string>();
      if (t.kind === "Ref") addVars(t.head, vars);
      else addVars(t, vars);
      return [...vars].every((v) => bound.has(v));
    };
    if (!ready(a) && !ready(b) && a.kind !== "Array" && a.kind !== "Object")
      this.say(`neither side is bound: ${showExpr(expr)}`);
    if (b.kind === "Call") {
      this.simple(a, "result");
      this.call(b, bound);
      this.needs(b, bound, showExpr(expr));
    } else this.operand(b, expr, bound, false);
    this.operand(a, expr, bound, false);
    if (expr.negated) {
      this.needs(a, bound, showExpr(expr));
      this.needs(b, bound, showExpr(expr));
    } else {
      addVars(a, bound);
      addVars(b, bound);
    }
  }

  private operand(term: Term, expr: Expr, bound: Set<string>, statement: boolean): void {
    switch (term.kind) {
      case "Ref":
        if (term.head.kind !== "Var") this.say(`head of ${showTerm(term)}`);
        this.needs(term.head, bound, showExpr(expr));
        for (const a of term.args) this.simple(a, "reference");
        if (expr.negated) this.needs(term, bound, showExpr(expr));
        else if (statement) addVars(term, bound);
        break;
      case "ArrayComprehension":
      case "SetComprehension":
      case "ObjectComprehension":
        this.comprehension(term, bound);
        break;
      case "TemplateString":
        for (const part of term.parts) {
          if (typeof part === "string") continue;
          if (part.with.length > 0) this.say("with in a template");
          if (part.body.kind === "SetComprehension") this.comprehension(part.body, bound);
          else if (part.body.kind === "Var") this.needs(part.body, bound, showExpr(expr));
          else if (!["Null", "Boolean", "Number", "String"].includes(part.body.kind))
            this.say(`template part ${showExpr(part)}`);
        }
        break;
      case "Var":
        if (statement) this.needs(term, bound, showExpr(expr));
        break;
      default:
        this.simple(term, "operand");
        if (statement) this.needs(term, bound, showExpr(expr));
    }
  }

  private comprehension(
    term: Extract<Term, { kind: "ArrayComprehension" | "SetComprehension" | "ObjectComprehension" }>,
    bound: Set<string>,
  ): void {
    const inner = new Set(bound);
    this.body(term.body, inner);
    for (const t of term.kind === "ObjectComprehension" ? [term.key, term.value] : [term.term]) {
      this.simple(t, "comprehension");
      this.needs(t, inner, showTerm(term));
    }
  }

  private call(term: Term, bound: ReadonlySet<string>): void {
    if (term.kind !== "Call") return;
    for (const a of term.args) this.simple(a, "call");
    const { operator } = term;
    const arity =
      operator.kind === "Var"
        ? builtin(operator.name)?.parameters.length
        : this.arity.get(operator.args.map((a) => (a.kind === "String" ? a.value : "")).join("\0"));
    if (arity !== term.args.length) this.say(`${showTerm(term)} has ${term.args.length} arguments, not ${arity}`);
    if (operator.kind === "Var" && operator.name === "print") this.say("print is left");
    if (operator.kind === "Var" && bound.has(operator.name)) this.say(`${operator.name} is a local`);
  }

  private simple(term: Term, what: string): void {
    switch (term.kind) {
      case "Array":
      case "Set":
        for (const i of term.items) this.simple(i, what);
        break;
      case "Object":
        for (const [k, v] of term.entries) {
          this.simple(k, what);
          this.simple(v, what);
        }
        break;
      case "Var":
        if (roots.has(term.name)) this.say(`${what}: ${term.name} is not simple`);
        break;
      case "Null":
      case "Boolean":
      case "Number":
      case "String":
      case "Constant":
        break;
      default:
        this.say(`${what}: ${showTerm(term)} is not simple`);
    }
  }

  private needs(term: Term, bound: ReadonlySet<string>, where: string): void {
    const vars = new Set<string>();
    addVars(term, vars);
    for (const v of vars) if (!bound.has(v)) this.say(`${v} is not bound in ${where}`);
  }

  groups(): void {
    this.where = "groups";
    const paths = this.policy.groups.map((g) => g.path.join("\0"));
    for (const [i, p] of paths.entries()) if (i > 0 && (paths[i - 1] as string) > p) this.say("not sorted");
    const objects = this.policy.groups.filter((g) => g.kind === "partial-object");
    for (const g of this.policy.groups) {
      const inside = objects.some(
        (o) => o !== g && o.path.length < g.path.length && o.path.every((p, i) => p === g.path[i]),
      );
      if (inside && g.kind !== "function") this.say(`${g.path.join(".")} is inside of an object`);
      if ((g.kind === "function") !== (g.arity !== undefined)) this.say(`arity of ${g.path.join(".")}`);
      for (const d of g.definitions) {
        if (d.isDefault !== d.rule.isDefault) this.say("default");
        const keyless = g.kind === "complete" || g.kind === "function";
        if (keyless !== (d.keys.length === 0)) this.say(`keys of ${g.path.join(".")}`);
      }
    }
  }
}

/** Variables at the level of a term; those of closures are theirs. */
function addVars(term: Term, into: Set<string>): void {
  switch (term.kind) {
    case "Var":
      into.add(term.name);
      break;
    case "Ref":
      addVars(term.head, into);
      for (const a of term.args) addVars(a, into);
      break;
    case "Call":
      for (const a of term.args) addVars(a, into);
      break;
    case "Array":
    case "Set":
      for (const i of term.items) addVars(i, into);
      break;
    case "Object":
      for (const [k, v] of term.entries) {
        addVars(k, into);
        addVars(v, into);
      }
      break;
    default:
  }
}

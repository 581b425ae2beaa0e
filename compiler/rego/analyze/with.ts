/** `with`: that its target can be replaced, and that its value is there before the statement is evaluated. */

import type { Diagnostic } from "../diagnostics/index.ts";
import {
  type Body,
  type Builtins,
  type Expr,
  type Mapper,
  mapChildren,
  mapStatement,
  type Ref,
  type Term,
  type Var,
  type With,
} from "../syntax/index.ts";
import { analyzeDiagnostic } from "./codes.ts";
import { needsEvaluation } from "./flatten.ts";
import type { CallChecker } from "./functions.ts";
import { equals } from "./resolve.ts";
import { isRootName } from "./root-names.ts";
import type { RuleTree } from "./rule-tree.ts";
import { refText } from "./text.ts";
import { dottedName } from "./walk.ts";
import type { NameSupply } from "./work.ts";

/** A builtin as target or value: a Ref without arguments, headed by its full name. */
function builtinRef(builtins: Builtins, term: Term): Ref | undefined {
  if (term.kind !== "Ref" && term.kind !== "Var") return undefined;
  const name = dottedName(term);
  if (name === undefined || !builtins.has(name)) return undefined;
  const head: Var = { kind: "Var", span: term.span, name };
  return { kind: "Ref", span: term.span, head, args: [] };
}

function builtinProblem(builtins: Builtins, ref: Ref): string | undefined {
  const name = ref.head.kind === "Var" ? ref.head.name : "";
  const entry = builtins.get(name);
  if (name === "eq" || name === "assign" || name.startsWith("rego.metadata."))
    return `replacement of "${name}" invalid`;
  if (name.startsWith("internal.")) return `replacement of internal function "${name}" invalid`;
  if (entry?.relation) return "target must not be a relation";
  if (entry && entry.result === undefined) return "target must not be a void function";
  return undefined;
}

export class WithChecker {
  private readonly tree: RuleTree;
  private readonly calls: CallChecker;
  private readonly names: NameSupply;
  private readonly closures: boolean;
  private readonly out: Diagnostic[];
  /** Statements hoisted from one share its modifiers, whose values are evaluated once. */
  private readonly done = new Map<readonly With[], readonly With[]>();
  private readonly mapper: Mapper = { term: (t) => this.term(t), body: (b) => this.body(b) };

  /** `closures` says whether there may be any in what is checked: no other terms have statements inside. */
  constructor(tree: RuleTree, calls: CallChecker, names: NameSupply, closures: boolean, out: Diagnostic[]) {
    this.tree = tree;
    this.calls = calls;
    this.names = names;
    this.closures = closures;
    this.out = out;
  }

  body(body: Body): Body {
    const result: Expr[] = [];
    let changed = false;
    for (const expr of body) {
      const checked = this.statement(expr, result);
      changed ||= checked !== expr;
      result.push(checked);
    }
    return changed ? result : body;
  }

  private term(term: Term): Term {
    return this.closures ? mapChildren(term, this.mapper) : term;
  }

  /** Puts the statements that the values of `with` need into `before`. */
  private statement(expr: Expr, before: Expr[]): Expr {
    const body = this.closures ? mapStatement(expr.body, this.mapper) : expr.body;
    if (expr.with.length === 0) return body === expr.body ? expr : { ...expr, body };
    let modifiers = this.done.get(expr.with);
    if (!modifiers) {
      modifiers = expr.with.map((w) => this.modifier(w, before));
      this.done.set(expr.with, modifiers);
    }
    if (body.kind === "Every" || body.kind === "Logical") for (const w of modifiers) this.refuseFunctions(w);
    return { ...expr, body, with: modifiers };
  }

  private modifier(w: With, before: Expr[]): With {
    const { builtins } = this.calls;
    const value = builtinRef(builtins, w.value) ?? w.value;
    const builtin = builtinRef(builtins, w.target);
    const head = w.target.head.kind === "Var" ? w.target.head.name : "";
    if (builtin) {
      const problem = builtinProblem(builtins, builtin);
      if (problem) this.out.push(analyzeDiagnostic("analyze/with-builtin", { problem }, w.target.span));
      if (this.isFunction(value)) return { ...w, target: builtin, value: this.replacement(value) };
      return { ...w, target: builtin, value: this.hoisted(value, before) };
    }
    if (!isRootName(head)) {
      this.out.push(analyzeDiagnostic("analyze/with-target", {}, w.target.span));
      return w;
    }
    if (!w.target.args.every((a) => a.kind === "String")) {
      this.out.push(analyzeDiagnostic("analyze/with-path", {}, w.target.span));
      return w;
    }
    if (head === "data") {
      if (this.isInsideRule(w.target)) this.out.push(analyzeDiagnostic("analyze/with-virtual-part", {}, w.target.span));
      const mayReplace = this.calls.gaps.mayDefineRef(w.target);
      const replacesFunction = mayReplace || (this.tree.findRef(w.target)?.rules.some((r) => r.args) ?? false);
      if ((replacesFunction && this.isFunction(value)) || this.isUserFunction(value))
        return { ...w, value: this.replacement(value) };
    }
    return { ...w, value: this.hoisted(value, before) };
  }

  /** OPA takes the functions that a `with` of an `every`, an `and` or an `or` names for values. */
  private refuseFunctions({ target, value }: With): void {
    for (const term of [target, value]) {
      if (term.kind !== "Ref" || !(this.isUserFunction(term) || builtinRef(this.calls.builtins, term))) continue;
      this.out.push(analyzeDiagnostic("analyze/function-as-value", { ref: refText(term) }, term.span));
    }
  }

  private isInsideRule(target: Ref): boolean {
    return target.args.some(
      (_, i) => i > 0 && (this.tree.findRef({ ...target, args: target.args.slice(0, i) })?.rules.length ?? 0) > 0,
    );
  }

  private isUserFunction(value: Term): boolean {
    return value.kind === "Ref" && this.tree.rulesAt(value).some((r) => r.args);
  }

  private isFunction(value: Term): boolean {
    return this.isUserFunction(value) || (value.kind === "Ref" && value.args.length === 0);
  }

  private replacement(value: Term): Term {
    if (value.kind === "Ref" && value.args.length === 0 && value.head.kind === "Var")
      this.calls.checkReplacement(value.head.name, value.span);
    return value;
  }

  /** A value that has to be evaluated is, before the statement and without its `with`. */
  private hoisted(value: Term, before: Expr[]): Term {
    if (!needsEvaluation(value)) return value;
    const { span } = value;
    const local: Var = { kind: "Var", span, name: this.names.generated() };
    before.push({ kind: "Expr", span, negated: false, with: [], body: equals(local, this.term(value), span) });
    return local;
  }
}

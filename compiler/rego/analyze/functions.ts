/**
 * Calls: that there is such a function, that it may be called here, and with how many arguments. A call with one argument
 * more than the function takes, as a statement, binds that argument to the result: `f(x, y)` is `y = f(x)`.
 */

import { type Diagnostic, didYouMean, meaning, type Span } from "../diagnostics/index.ts";
import {
  type Body,
  type Builtin,
  type Builtins,
  type Call,
  type Expr,
  eachTerm,
  type Mapper,
  mapChildren,
  mapList,
  type Term,
} from "../syntax/index.ts";
import { signatureOf } from "./builtin-signatures.ts";
import { analyzeDiagnostic } from "./codes.ts";
import { callOfEquality } from "./flatten.ts";
import type { Gaps } from "./gaps.ts";
import { isPrint, PRINT } from "./prints.ts";
import { equals } from "./resolve.ts";
import type { RuleTree } from "./rule-tree.ts";
import { operatorText, pathText } from "./text.ts";
import { argumentsText } from "./type-text.ts";
import { typeOfScalar } from "./types.ts";
import { builtinOf, eachClosure, eachClosureOfTerm, eachExprDeep, walkLevel } from "./walk.ts";
import type { WorkRule } from "./work.ts";

export interface FunctionOptions {
  readonly builtins: Builtins;
  readonly allowNondeterministic: ReadonlySet<string>;
  readonly availableBuiltins: ReadonlySet<string> | undefined;
  readonly keepPrints: boolean;
}

/** The name before a call, as the author would look for it. */
function suggestions(builtins: Builtins, tree: RuleTree): string[] {
  const names = [...builtins.values()]
    .filter((b) => !b.deprecated && !b.infix && !b.name.startsWith("internal."))
    .map((b) => b.name);
  for (const node of tree.nodes) {
    if (node.rules.some((r) => r.args)) names.push(pathText("data", tree.pathOfNode(node)));
  }
  return names;
}

/** Functions that evaluation does without: unification is a statement, printing is left out, metadata are constants. */
const NEVER_CALLED = new Set(["eq", "assign", PRINT, "rego.metadata.rule", "rego.metadata.chain"]);

/** What other languages call builtins of Rego. */
const HABITS: { readonly [name: string]: string } = {
  len: "count",
  length: "count",
  size: "count",
  toLowerCase: "lower",
  lowercase: "lower",
  toUpperCase: "upper",
  uppercase: "upper",
  includes: "contains",
  has: "contains",
  now: "time.now_ns",
  join: "concat",
};

export class CallChecker {
  readonly builtins: Builtins;
  private readonly tree: RuleTree;
  private readonly options: FunctionOptions;
  private readonly out: Diagnostic[];
  /** Inside of `print`, which is only checked: functions need not be there. */
  private printing = false;
  readonly gaps: Gaps;
  /**
   * What was called that only a broken part may define: nothing, or a function whose value is used, or one that is a statement
   * of its own, whose last argument may be its value.
   */
  guessed: "value" | "statement" | undefined;
  private known: string[] | undefined;
  private readonly mapper: Mapper = { term: (t) => mapChildren(t, this.mapper), body: (b) => this.body(b, true) };

  constructor(tree: RuleTree, options: FunctionOptions, gaps: Gaps, out: Diagnostic[]) {
    this.tree = tree;
    this.gaps = gaps;
    this.builtins = options.builtins;
    this.options = options;
    this.out = out;
  }

  /** How many arguments a call's function takes; `undefined` when there is no such function. */
  arityOf(call: Call): number | undefined {
    const name = builtinOf(call);
    if (name !== undefined) return this.builtins.get(name)?.parameters.length;
    const rule = call.operator.kind === "Ref" ? this.tree.rulesAt(call.operator)[0] : undefined;
    // A rule that is not a function takes nothing. Types tell whether it may be called so.
    return rule && (rule.args?.length ?? 0);
  }

  /**
   * Checks the calls of a flat body; calls with a result as argument become equalities. `closures` says whether there may be
   * any in it: no other terms have calls inside.
   */
  body(body: Body, closures: boolean): Body {
    return mapList(body, (e) => this.statement(e, closures));
  }

  private statement(expr: Expr, closures: boolean): Expr {
    const outside = this.printing;
    this.printing ||= isPrint(expr) && !this.options.keepPrints;
    const mapped = closures ? mapChildren(expr, this.mapper) : expr;
    this.printing = outside;
    const b = mapped.body;
    if (b.kind !== "Call") return mapped;
    const result = callOfEquality(b);
    if (result) this.check(result.call, result.call.span, false);
    const call = result ? b : this.check(b, expr.span, true);
    return call === b ? mapped : { ...mapped, body: call };
  }

  private check(call: Call, span: Span, isStatement: boolean): Call {
    const arity = this.arityOf(call);
    const name = builtinOf(call);
    const count = call.args.length;
    if (call.operator.kind === "Ref" && this.gaps.mayDefineRef(call.operator)) {
      if (arity !== undefined && arity === count) return call;
      this.guessed = isStatement ? "statement" : (this.guessed ?? "value");
      return call;
    }
    if (arity === undefined) {
      const text = operatorText(call.operator);
      this.known ??= suggestions(this.builtins, this.tree);
      const full = call.operator.kind === "Ref" ? text : undefined;
      const names = this.known.filter((k) => (full === undefined) !== k.startsWith("data.") || full === undefined);
      const local =
        full === undefined ? names.map((k) => (k.startsWith("data.") ? k.slice(k.lastIndexOf(".") + 1) : k)) : names;
      const near = didYouMean(text, local);
      const habit = HABITS[text];
      const help = near.meant === undefined && habit !== undefined ? meaning(habit) : near;
      this.out.push(analyzeDiagnostic("analyze/undefined-function", { name: text }, span, help));
      return call;
    }
    if (name !== undefined) this.checkBuiltin(name, span);
    const variadic = name !== undefined && this.builtins.get(name)?.variadic !== undefined;
    if (count === arity || variadic) return call;
    if (isStatement && count === arity + 1 && name !== "eq" && name !== "assign") {
      const target = call.args[arity] as Term;
      return equals(target, { ...call, args: call.args.slice(0, arity) }, call.span);
    }
    this.out.push(this.arityFinding(call, span, name, arity));
    return call;
  }

  private arityFinding(call: Call, span: Span, name: string | undefined, arity: number): Diagnostic {
    if (name === undefined) {
      const rule = call.operator.kind === "Ref" ? this.tree.rulesAt(call.operator)[0] : undefined;
      const related = rule ? [{ message: "defined here", span: rule.source.head.span }] : [];
      const count = `${call.args.length} argument${call.args.length === 1 ? "" : "s"}`;
      return analyzeDiagnostic("analyze/function-arity", { name: operatorText(call.operator), arity, count }, span, {
        related,
      });
    }
    const signature = signatureOf(this.builtins.get(name) as Builtin);
    const have = `(${argumentsText(call.args.map(typeOfScalar))})`;
    const want = `(${argumentsText(signature.args, signature.variadic)})`;
    return analyzeDiagnostic("analyze/builtin-arguments", { name, problem: "arity mismatch", have, want }, span);
  }

  private checkBuiltin(name: string, span: Span): void {
    const entry = this.builtins.get(name) as Builtin;
    if (entry.deprecated) this.out.push(analyzeDiagnostic("analyze/deprecated-builtin", { name }, span));
    if (entry.deprecated || this.printing || NEVER_CALLED.has(name)) return;
    if (entry.nondeterministic && !this.options.allowNondeterministic.has(name)) {
      const help = `pass the value in \`input\`, or allow it: \`rego: { allow_builtins: [${name}] }\` in portcullis.yaml`;
      this.out.push(analyzeDiagnostic("analyze/nondeterministic-builtin", { name }, span, { help }));
    } else if (this.options.availableBuiltins?.has(name) === false) {
      this.out.push(analyzeDiagnostic("analyze/unavailable-builtin", { name }, span));
    }
  }

  /** A builtin that a `with` puts in the place of another function is called, too. */
  checkReplacement(name: string, span: Span): void {
    this.checkBuiltin(name, span);
  }
}

/** Whether a rule calls a function without a result. */
export function callsVoid({ called }: WorkRule, builtins: Builtins): boolean {
  for (const name of called) {
    const entry = builtins.get(name);
    if (entry && entry.result === undefined) return true;
  }
  return false;
}

/** Functions without a result that are called for one: `x := print(1)`. To be asked before calls are hoisted. */
export function checkVoidCalls(builtins: Builtins, body: Body, heads: readonly Term[], out: Diagnostic[]): void {
  const check = (call: Call): void => {
    const name = builtinOf(call);
    const entry = name === undefined ? undefined : builtins.get(name);
    if (name !== undefined && entry && entry.result === undefined)
      out.push(analyzeDiagnostic("analyze/void-call", { name }, call.span));
  };
  const see = (term: Term): void =>
    walkLevel(term, (t) => {
      if (t.kind === "Call") check(t);
      return true;
    });
  for (const t of heads) {
    see(t);
    eachClosureOfTerm(t, (c) => checkVoidCalls(builtins, c.body, c.terms, out));
  }
  const seeExpr = (expr: Expr): void => {
    if (expr.body.kind === "Call") {
      for (const a of expr.body.args) see(a);
      for (const w of expr.with) see(w.value);
    } else eachTerm(expr, see);
    eachClosure(expr, (c) => c.terms.forEach(see));
  };
  eachExprDeep(body, seeExpr);
}

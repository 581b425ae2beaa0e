/**
 * Modules in canonical form, as `opa fmt` prints them: tabs, one blank line between rules, imports sorted within their
 * groups, `if` and `contains` and `:=` everywhere, comments where they were. Printing again changes nothing.
 */

import { assert, type Diagnostic, SourceFile } from "../diagnostics/index.ts";
import type { Expr, Head, Import, Module, Package, Rule, Term } from "./ast.ts";
import { partBelow } from "./height.ts";
import { maxDepth } from "./parse-base.ts";
import { parseModule } from "./parser.ts";
import { compareImports, type LanguageImports, planImports } from "./print-imports.ts";
import { beginsWithBrace, infixOf } from "./print-operators.ts";
import { StatementPrinter } from "./print-statements.ts";
import { quote } from "./print-strings.ts";
import { isCollection, isScalar } from "./term-kinds.ts";
import { terms } from "./visit.ts";

/** A module's text as `opa fmt` would write it. */
export interface FormattedModule {
  /** `undefined` for a text that is not a module. */
  readonly text: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** How often at most a text is printed until printing changes nothing. */
const maxRounds = 5;

/** Canonical text of a source of v1. */
export function formatModule(file: SourceFile, imports: LanguageImports = "keep"): FormattedModule {
  const { module, diagnostics } = parseModule(file, "comments");
  if (module === undefined) return { text: undefined, diagnostics };
  const { text, diagnostics: refused } = formatted(module, imports);
  return { text, diagnostics: [...diagnostics, ...refused] };
}

/**
 * Canonical text of a tree of v1. A comment that was moved is a comment in another place: it may take a second round. A long
 * chain of operators has no canonical text: parentheses around each of its operators would nest deeper than a text may.
 */
export function formatted(module: Module, imports: LanguageImports): FormattedModule {
  const { file } = module.span;
  let text = printModule(module, imports);
  for (let round = 1; round < maxRounds; round++) {
    const again = parseModule(new SourceFile(file.name, text, file.regoVersion), "comments");
    const deep = again.diagnostics.find(({ code }) => code === "rego/too-deep");
    if (deep !== undefined) return { text: undefined, diagnostics: [unprintable(deep, module)] };
    const printed = again.module;
    assert(printed !== undefined, "what was printed is no module");
    const next = printModule(printed);
    if (next === text) break;
    text = next;
  }
  return { text, diagnostics: [] };
}

/** What is wrong with canonical text, said of the text that was given. */
function unprintable(deep: Diagnostic, module: Module): Diagnostic {
  const help = "canonical text has parentheses around each operator of a chain: name a part of it with a variable";
  const part = module.rules.map((rule) => partBelow(rule, maxDepth)).find((found) => found !== undefined);
  return { ...deep, span: (part ?? module.package).span, help };
}

/** Canonical text of a tree; line breaks and comments come from the source its spans point to. */
export function printModule(module: Module, imports: LanguageImports = "keep"): string {
  return new ModulePrinter(module.span.file, module.comments).module(module, imports);
}

class ModulePrinter extends StatementPrinter {
  /** Whether names of rules are printed as references; else their one part stands in brackets, as in `opa fmt`. */
  private refHeads = false;

  module(module: Module, languageImports: LanguageImports): string {
    const all = module.rules.flatMap(withElse);
    this.refHeads = all.some(
      ({ head }) => head.ref.args.length > 1 || (head.ref.args.length === 1 && head.key !== undefined),
    );
    this.package(module.package);
    const { imports, leading } = planImports(module, languageImports);
    if (leading.length > 0) this.imports(leading);
    for (const group of runs(imports, module.rules)) {
      if (group.imports.length > 0) this.imports(group.imports);
      this.rules(group.rules);
    }
    return this.finish();
  }

  private package(node: Package): void {
    this.reach(this.rowOf(node));
    this.write("package ");
    const [first, ...parts] = node.path.args;
    if (first?.kind === "String")
      this.ref({ ...node.path, head: { kind: "Var", span: first.span, name: first.value }, args: parts });
    this.blankLine();
  }

  // ---- imports ----

  private imports(imports: readonly Import[]): void {
    const groups: Import[][] = [];
    let last: number | undefined;
    for (const node of imports) {
      if (last === undefined || this.rowOf(node) - last > 1) groups.push([]);
      groups.at(-1)?.push(node);
      last = this.rowOf(node);
    }
    for (const group of groups) {
      this.importGroup(group);
      this.blankLine();
    }
  }

  /** Sorted; each takes the comment behind it along. */
  private importGroup(group: readonly Import[]): void {
    this.comeTo(this.rowOf(group[0] as Import));
    const commented = group.map((node) => ({ node, comments: this.takeComments(this.endRowOf(node)) }));
    commented.sort((a, b) => compareImports(a.node, b.node));
    for (const { node, comments } of commented) {
      for (const text of comments.slice(0, -1)) {
        this.write(text);
        this.endLine();
      }
      this.write("import ");
      this.ref(node.path);
      if (node.alias) this.write(` as ${node.alias.name}`);
      const comment = comments.at(-1);
      if (comment) this.write(` ${comment}`);
      this.endLine();
    }
  }

  // ---- rules ----

  /** Where the rule after the one being printed begins. */
  private nextRow: number | undefined;

  private rules(rules: readonly Rule[]): void {
    for (const [i, rule] of rules.entries()) {
      const next = rules[i + 1];
      this.nextRow = next && this.rowOf(next);
      this.reach(this.rowOf(rule));
      this.rule(rule);
      const together = next && isGroupable(rule) && isGroupable(next) && this.rowOf(next) === this.rowOf(rule) + 1;
      if (together) this.endLine();
      else this.blankLine();
    }
  }

  private rule(rule: Rule): void {
    if (rule.isDefault) this.write("default ");
    const constant = isConstant(rule);
    this.head(rule.head);
    this.headValue(rule, constant);
    this.ruleBody(rule, constant, false);
  }

  private ruleBody(rule: Rule, constant: boolean, isElse: boolean): void {
    if (!rule.hasBody || constant) {
      // What was said in a body that is left out comes behind the rule.
      this.reach(this.endRowOf(rule.hasBody ? rule.head : rule));
      return this.endLine();
    }
    this.write(" if");
    const [first, ...more] = rule.body;
    const headEnd = isElse ? this.rowOf(rule) : this.endRowOf(rule.head);
    if (first && more.length === 0 && this.rowOf(first) === headEnd && !readAsBlock(first, isElse)) {
      this.write(" ");
      this.expr(first);
      this.reach(this.endRowOf(first));
      this.endLine();
    } else {
      this.write(" {");
      this.endLine();
      this.indent();
      // The braces of an `else` always hold a body; elsewhere a union at their beginning reads as a comprehension.
      if (isElse) this.body(rule.body);
      else this.block(rule.body);
      const closing = this.row(closingBrace(rule));
      // A comment behind the brace of one body is about the next, if that begins there.
      if (this.nextRow === closing) this.comeTo(closing);
      else this.reach(closing);
      this.outdent();
      this.write("}");
    }
    if (rule.else) this.elseRule(rule, rule.else);
  }

  /** On the line of the closing brace if it was, or after a blank line. */
  private elseRule(rule: Rule, next: Rule): void {
    const row = this.rowOf(next);
    const { text } = next.span.file;
    const lineStart = text.lastIndexOf("\n", next.span.start - 1) + 1;
    const first = text.slice(lineStart, next.span.start).trim() === "";
    const joined = row > this.rowOf(rule) && !first && !this.hasCommentBefore(row);
    if (joined) this.write(" ");
    else this.blankLine();
    this.reach(row);
    this.write("else");
    const constant = isConstant(next);
    const { value } = next.head;
    if (value && (!isTrue(value) || constant)) this.assigned(value);
    else if (constant) this.write(" := true");
    this.ruleBody(next, constant, true);
  }

  private head({ ref, args, key, span }: Head): void {
    const [part, ...more] = ref.args;
    this.reach(this.rowOf(ref));
    if (part && more.length === 0 && !this.refHeads && ref.head.kind === "Var") {
      this.write(`${ref.head.name}[`);
      if (part.kind === "String") this.write(quote(part.value));
      else this.term(part);
      this.write("]");
    } else {
      this.ref(ref);
    }
    if (args && args.length > 0) {
      this.write("(");
      const last = args.at(-1) as Term;
      this.grouped(this.items(args, false), this.row(span.file.text.indexOf(")", last.span.end)), { span });
      this.write(")");
    }
    if (key) {
      this.write(" contains ");
      this.term(key);
    }
  }

  /** The value, unless it is the `true` that a rule with a body has anyway. */
  private headValue(rule: Rule, constant: boolean): void {
    const { value, ref, args, key } = rule.head;
    if (rule.isDefault) return this.assigned(value ?? rule.head);
    if (value) {
      const keyed = ref.args.length === 1 && args === undefined && !(rule.hasBody && isGround(ref.args[0] as Term));
      if (!isTrue(value) || constant || keyed) this.assigned(value);
    } else if (constant && key === undefined && (rule.hasBody || args === undefined)) {
      this.write(" := true");
    }
  }

  private assigned(value: Term | Head): void {
    this.write(" := ");
    if (value.kind === "Head") this.write("true");
    else this.term(value);
  }
}

function withElse(rule: Rule): readonly Rule[] {
  const rules: Rule[] = [];
  for (let next: Rule | undefined = rule; next; next = next.else) rules.push(next);
  return rules;
}

/** Imports and rules in the order of the text, in runs of the one and the other. */
function runs(imports: readonly Import[], rules: readonly Rule[]): { imports: Import[]; rules: Rule[] }[] {
  const all = [...imports, ...rules].sort((a, b) => a.span.start - b.span.start);
  const found: { imports: Import[]; rules: Rule[] }[] = [];
  for (const node of all) {
    const last = found.at(-1);
    if (node.kind === "Rule") {
      if (last) last.rules.push(node);
      else found.push({ imports: [], rules: [node] });
    } else if (last && last.rules.length === 0) last.imports.push(node);
    else found.push({ imports: [node], rules: [] });
  }
  return found;
}

function isTrue(term: Term): boolean {
  return term.kind === "Boolean" && term.value;
}

/** A body that says only `true` is not printed, unless the rule would change its kind without. */
function isConstant(rule: Rule): boolean {
  if (!rule.hasBody) return true;
  const [only, ...more] = rule.body;
  if (rule.else || !only || more.length > 0 || only.negated || only.with.length > 0) return false;
  if (only.body.kind !== "Boolean" || !only.body.value) return false;
  const { ref, args, key, value } = rule.head;
  return !(
    ref.args.length === 1 &&
    args === undefined &&
    key === undefined &&
    value === undefined &&
    !isGround(ref.args[0] as Term)
  );
}

function isGroupable(rule: Rule): boolean {
  // A lone set keeps the braces of its body, and an `else` has a line of its own.
  const [only] = rule.body;
  return rule.body.length <= 1 && !rule.isDefault && rule.else === undefined && !(only && isLoneSet(only));
}

/**
 * Whether a statement needs braces of its own: `if {x}` is a block with the statement x, and not a set, and behind
 * `else if` every brace begins a block.
 */
function readAsBlock(expr: Expr, isElse: boolean): boolean {
  return isElse ? beginsWithBrace(expr) : isLoneSet(expr);
}

function isLoneSet({ body, negated }: Expr): boolean {
  return body.kind === "Set" && !negated;
}

/** The offset of the brace that closes a rule's block, or where its last statement ends if it was written without braces. */
function closingBrace(rule: Rule): number {
  const last = rule.body.at(-1);
  const { text } = rule.span.file;
  if (!last) return rule.span.end;
  for (let at = last.span.end; at < text.length; at++) {
    const c = text[at] as string;
    if (c === "}") return at;
    if (c === "#") at = (text.indexOf("\n", at) + 1 || text.length + 1) - 1;
    // A parenthesis around the statement is no part of it.
    else if (!/[\s;)]/.test(c)) return last.span.end;
  }
  return last.span.end;
}

function isGround(term: Term): boolean {
  if (isCollection(term) || (term.kind === "Call" && infixOf(term) !== undefined)) return terms(term).every(isGround);
  return isScalar(term);
}

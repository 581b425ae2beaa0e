/**
 * Terms and statements in the layout of `opa fmt`: a list stays on one line if its items did, operators inside of
 * operators are put in parentheses, strings are kept as they were written. Where that layout would change what is said
 * (`a == (b == c)`), parentheses are kept.
 */

import { unreachable } from "../base/assert.ts";
import type {
  Body,
  Call,
  Every,
  Expr,
  ExprBody,
  Ref,
  SomeDecl,
  StringTerm,
  TemplateString,
  Term,
  Var,
  With,
} from "./ast.ts";
import { builtin } from "./builtins.ts";
import { Writer } from "./print-writer.ts";
import { isKeyword } from "./tokens.ts";

type Located = { readonly span: Term["span"] };

/** The place of something that can be grouped by rows: an object's entry stands where its key does. */
interface Item {
  readonly row: number;
  readonly endRow: number;
  readonly write: () => void;
}

const levels: Readonly<Record<string, number>> = {
  ...{
    in: 1,
    "==": 2,
    "!=": 2,
    "<": 2,
    ">": 2,
    "<=": 2,
    ">=": 2,
    "|": 3,
    "&": 4,
    "+": 5,
    "-": 5,
    "*": 6,
    "/": 6,
    "%": 6,
  },
};

export class TermPrinter extends Writer {
  protected rowOf(node: Located): number {
    return this.row(node.span.start);
  }

  protected endRowOf(node: Located): number {
    return this.row(Math.max(node.span.start, node.span.end - 1));
  }

  // ---- terms ----

  /** `operand`: the term is an operand of an operator, which puts it in parentheses if it is an operation itself. */
  term(term: Term, operand = false): void {
    this.reach(this.rowOf(term));
    switch (term.kind) {
      case "Null":
        return this.write("null");
      case "Boolean":
        return this.write(String(term.value));
      case "Number":
        return this.write(term === this.lineMinus ? `(${term.text})` : term.text);
      case "String":
        return this.write(stringText(term));
      case "Var":
        return this.write(term.name);
      case "Ref":
        return this.ref(term);
      case "Call":
        return this.call(term, operand);
      case "Array":
        return this.bracketed("[", "]", this.items(term.items), term);
      case "Set":
        if (term.items.length === 0) return this.write("set()");
        return this.bracketed("{", "}", this.items(term.items), term);
      case "Object":
        return this.bracketed("{", "}", this.entries(term.entries), term);
      case "ArrayComprehension":
      case "SetComprehension": {
        const [open, close] = term.kind === "ArrayComprehension" ? ["[", "]"] : ["{", "}"];
        this.write(open as string);
        return this.comprehension(term.term, term.body, close as string, term);
      }
      case "ObjectComprehension":
        this.write("{");
        this.term(term.key, isUnion(term.key));
        this.write(": ");
        this.term(term.value, infixOf(term.value) !== undefined);
        return this.comprehensionRest(term.body, "}", term, this.rowOf(term.key));
      case "TemplateString":
        return this.template(term);
      case "Constant":
        return this.write("<constant>");
      default:
        return unreachable(term);
    }
  }

  protected ref(ref: Ref): void {
    this.term(ref.head, ref.head.kind === "Call" && infixOf(ref.head) !== undefined);
    for (const part of ref.args) this.refPart(part);
  }

  private refPart(part: Term): void {
    if (part.kind === "String" && isPlainName(part)) return this.write(`.${part.value}`);
    if (part.kind === "String") return this.write(`[${quote(part.value)}]`);
    this.write("[");
    this.term(part);
    this.write("]");
  }

  private call(call: Call, operand: boolean): void {
    const infix = infixOf(call);
    if (infix === undefined || infix === "=" || infix === ":=") return this.plainCall(call);
    // Two operands of `in` stand without parentheses in OPA's layout, which changes what is said inside of operators.
    const enclosed = operand || call === this.blockUnion || (infix === "in" && call.args.length === 3);
    if (enclosed) this.write("(");
    this.operation(call, infix);
    if (enclosed) this.write(")");
  }

  /** Operands that are operations themselves get parentheses, needed or not, but for `in` on the left of `in`. */
  private operation({ args }: Call, infix: string): void {
    const [first, ...more] = args as [Term, ...Term[]];
    const chained = infix === "in" && args.length === 2 && infixOf(first) === "in" && (first as Call).args.length === 2;
    this.term(first, !chained);
    const last = more.pop() as Term;
    for (const arg of more) {
      this.write(", ");
      this.term(arg, true);
    }
    this.write(` ${infix} `);
    this.term(last, true);
  }

  private plainCall({ operator, args, span }: Call): void {
    if (operator.kind === "Var") this.write(operator.name);
    else this.ref(operator);
    this.write("(");
    this.grouped(this.items(args, false), this.endRowOf({ span }));
    this.write(")");
  }

  private template({ raw, parts }: TemplateString): void {
    this.write(raw ? "$`" : '$"');
    for (const part of parts) {
      if (typeof part !== "string") {
        this.write("{");
        this.expr(part);
        this.write("}");
      } else {
        this.write(raw ? part.replaceAll("{", "\\{") : quote(part).slice(1, -1).replaceAll("{", "\\{"));
      }
    }
    this.write(raw ? "`" : '"');
  }

  // ---- collections ----

  /** `first`: the first could be taken for the head of a comprehension. */
  protected items(terms: readonly Term[], first = true): Item[] {
    return terms.map((term, i) => ({
      row: this.rowOf(term),
      endRow: this.endRowOf(term),
      write: () => this.term(term, startsWithUnion(term) || (first && i === 0 && looksLikeComprehension(term))),
    }));
  }

  private entries(entries: readonly (readonly [Term, Term])[]): Item[] {
    return entries.map(([key, value], i) => ({
      row: this.rowOf(key),
      endRow: this.endRowOf(value),
      write: () => {
        this.term(key, startsWithUnion(key) || (i === 0 && isUnion(key)));
        this.write(": ");
        this.term(value, startsWithUnion(value) || (i === 0 && looksLikeComprehension(value)));
      },
    }));
  }

  private bracketed(open: string, close: string, items: readonly Item[], whole: Located): void {
    this.write(open);
    this.grouped(items, this.endRowOf(whole));
    this.write(close);
  }

  /** Items in lines as in the source; with more than one line, each on a line of its own below the bracket. */
  protected grouped(items: readonly Item[], closingRow: number): void {
    const lines: Item[][] = [];
    let last: number | undefined;
    for (const item of items) {
      if (last === undefined || item.row > last) lines.push([]);
      lines.at(-1)?.push(item);
      last = item.row;
    }
    const several = lines.length > 1;
    if (several) {
      this.endLine(true);
      this.indent();
    }
    for (const line of lines) {
      for (const [i, item] of line.entries()) {
        if (i > 0) this.write(", ");
        item.write();
      }
      if (!several) continue;
      this.reach(line.at(-1)?.endRow ?? closingRow);
      this.write(",");
      this.endLine();
    }
    if (!several) return;
    this.reach(closingRow);
    this.outdent();
  }

  private comprehension(head: Term, body: Body, close: string, whole: Located): void {
    if (this.rowOf(head) > this.rowOf(whole)) this.endLine();
    this.term(head, infixOf(head) !== undefined);
    this.comprehensionRest(body, close, whole, this.rowOf(head));
  }

  private comprehensionRest(body: Body, close: string, whole: Located, headRow: number): void {
    this.write(" |");
    this.closureBody(body, headRow, this.endRowOf(whole));
    this.write(close);
  }

  /** The body of a comprehension or `every`, on the line it begins on or on lines of its own. */
  protected closureBody(body: Body, beginRow: number, closingRow: number): boolean {
    const rows = body.map((expr) => this.rowOf(expr));
    const oneLine = rows.every((row, i) => (i === 0 ? row <= beginRow : row <= (rows[i - 1] as number)));
    if (oneLine) {
      this.write(" ");
      for (const [i, expr] of body.entries()) {
        if (i > 0) this.write("; ");
        this.expr(expr);
      }
      return true;
    }
    this.endLine();
    this.indent();
    this.body(body);
    this.reach(closingRow);
    this.outdent();
    return false;
  }

  // ---- statements ----

  /** A negative number at the beginning of a line would be subtracted from the line before. */
  private lineMinus: Term | undefined;
  /** A union at the beginning of a rule's block would make a comprehension of the block. */
  private blockUnion: Term | undefined;

  /** The body of a rule, between its braces. */
  protected block(body: Body): void {
    this.blockUnion = body[0] && leadingUnion(body[0]);
    this.body(body);
    this.blockUnion = undefined;
  }

  /** Statements on lines of their own; a gap between two stays, as one blank line. */
  body(body: Body): void {
    let end: number | undefined;
    for (const expr of body) {
      if (end !== undefined && this.rowOf(expr) > end + 1) this.blankLine();
      this.lineMinus = end === undefined ? undefined : leadingMinus(expr);
      this.expr(expr);
      this.lineMinus = undefined;
      end = this.endRowOf(expr);
      this.reach(end);
      this.endLine();
    }
  }

  expr(expr: Expr): void {
    this.reach(this.rowOf(expr));
    if (expr.negated) this.write("not ");
    const { body } = expr;
    if (body.kind === "SomeDecl") this.some(body);
    else if (body.kind === "Every") this.every(body);
    else if (body.kind === "Call") this.callStatement(body);
    else this.term(body);
    this.withs(expr.with);
  }

  /** Operands of the outermost operator go without parentheses, where they can. */
  private callStatement(call: Call): void {
    const infix = infixOf(call);
    const { args } = call;
    if (infix === undefined) {
      if (!this.resultCall(call)) this.plainCall(call);
      return;
    }
    if (infix === "in") return this.operation(call, infix);
    if (call === this.blockUnion) return this.call(call, true);
    const [left, right] = args as [Term, Term];
    this.term(left, needsParentheses(left, infix, "left"));
    this.write(` ${infix} `);
    this.term(right, needsParentheses(right, infix, "right"));
  }

  /** `plus(a, b, c)` is written `c = a + b`. */
  private resultCall({ operator, args }: Call): boolean {
    const sign = operator.kind === "Var" ? builtin(operator.name)?.infix : undefined;
    const [left, right, result] = args;
    if (!sign || sign === "in" || sign === "=" || sign === ":=" || args.length !== 3) return false;
    this.term(result as Term, needsParentheses(result as Term, "=", "left"));
    this.write(" = ");
    this.term(left as Term, needsParentheses(left as Term, sign, "left"));
    this.write(` ${sign} `);
    this.term(right as Term, needsParentheses(right as Term, sign, "right"));
    return true;
  }

  private some({ vars, key, value, domain, span }: SomeDecl): void {
    this.write("some ");
    if (domain !== undefined) {
      if (key) {
        this.term(key, true);
        this.write(", ");
      }
      this.term(value as Term, true);
      this.write(" in ");
      return this.term(domain, true);
    }
    let row = this.rowOf({ span });
    for (const [i, name] of vars.entries()) {
      if (this.rowOf(name) > row) {
        this.endLine();
        this.write("\t");
        row = this.rowOf(name);
      } else if (i > 0) this.write(" ");
      this.term(name);
      if (i < vars.length - 1) this.write(",");
    }
  }

  private every(every: Every): void {
    const row = this.rowOf(every);
    this.write("every ");
    if (every.key) {
      this.term(every.key);
      this.write(", ");
    }
    this.term(every.value);
    this.write(" in ");
    this.term(every.domain, infixOf(every.domain) === "in");
    this.write(" {");
    this.closureBody(every.body, row, this.endRowOf(every));
    const [first, second] = every.body;
    // As in `opa fmt`: one statement on the line has a space on either side, several have not.
    this.write(first && !second && this.rowOf(first) === row ? " }" : "}");
  }

  private withs(withs: readonly With[]): void {
    let indented = false;
    for (const [i, item] of withs.entries()) {
      const before = withs[i - 1];
      const newLine = before !== undefined && this.rowOf(item) !== this.rowOf(before);
      if (newLine) {
        if (!indented) this.indent();
        indented = true;
        this.endLine();
        this.startLine();
      }
      this.reach(this.rowOf(item));
      this.write(newLine ? "with " : " with ");
      this.ref(item.target);
      this.write(" as ");
      this.term(item.value);
    }
    if (indented) this.outdent();
  }
}

/** The sign with which a call is written: that of the builtin, however the call was written. */
export function infixOf(term: Term): string | undefined {
  if (term.kind !== "Call") return undefined;
  const { operator, args } = term;
  const name =
    operator.kind === "Var" ? operator.name : isMember(operator) ? `internal.member_${args.length}` : undefined;
  const known = name === undefined ? undefined : builtin(name);
  return known && known.parameters.length === args.length ? known.infix : undefined;
}

function isMember({ head, args }: Ref): boolean {
  const [name, ...more] = args;
  return (
    head.kind === "Var" &&
    head.name === "internal" &&
    more.length === 0 &&
    name?.kind === "String" &&
    name.value.startsWith("member_")
  );
}

/** The negative number that a statement begins with. */
function leadingMinus({ negated, body }: Expr): Term | undefined {
  let first: ExprBody = body;
  while (first.kind === "Call" && infixOf(first) !== undefined) first = first.args[0] as Term;
  return !negated && first.kind === "Number" && first.text.startsWith("-") ? first : undefined;
}

/** The union that a statement begins with. */
function leadingUnion({ negated, body }: Expr): Term | undefined {
  let first: ExprBody = body;
  while (!negated && first.kind === "Call" && infixOf(first) !== undefined) {
    if (isUnion(first)) return first;
    first = first.args[0] as Term;
  }
  return undefined;
}

function isUnion(term: Term): boolean {
  return infixOf(term) === "|";
}

/** Whether the text of an operation begins with a parenthesis; of unions OPA takes that for parentheses around the whole. */
function startsWithUnion(term: Term): boolean {
  return isUnion(term) && beginsWithParenthesis(term);
}

function beginsWithParenthesis(term: Term): boolean {
  if (term.kind !== "Call") return false;
  return term.parenthesized || (infixOf(term) !== undefined && beginsWithParenthesis(term.args[0] as Term));
}

/**
 * `[(a & b) | c]` would be read as a comprehension, and `[a | b]`, too. `[a | b, c]` would not, which is the one way in
 * which a source can have a union without parentheses there, unless its left side is an operation.
 */
function looksLikeComprehension(term: Term): boolean {
  if (!isUnion(term)) return false;
  const written = term.span.end > term.span.start;
  return !written || infixOf((term as Call).args[0] as Term) !== undefined;
}

/** Whether an operand of a statement's operator must have parentheses to stay its operand. */
function needsParentheses(term: Term, sign: string, side: "left" | "right"): boolean {
  const inner = levels[infixOf(term) ?? ""];
  const outer = levels[sign];
  if (inner === undefined || outer === undefined) return false;
  return side === "left" ? inner < outer : inner <= outer;
}

/** Whether a part of a reference is written `.name`. A keyword in quotes keeps them. */
function isPlainName(part: StringTerm): boolean {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(part.value)) return false;
  return !(isKeyword(part.value) && part.span.file.text[part.span.start] === '"');
}

/** A string as it was written, or in quotes if it was not written as a string. */
function stringText(term: StringTerm): string {
  const { file, start, end } = term.span;
  const text = file.text.slice(start, end);
  return /^(?:".*"|`[^`]*`)$/s.test(text) ? text : quote(term.value);
}

/** Between double quotes, with JSON's escapes. */
export function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export function isVar(term: Term): term is Var {
  return term.kind === "Var";
}

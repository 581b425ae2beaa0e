/**
 * Terms in the layout of `opa fmt`: a list stays on one line if its items did, operators inside of
 * operators are put in parentheses, strings are kept as they were written. Where that layout would change what is said
 * (`a == (b == c)`), parentheses are kept.
 */

import { unreachable } from "../diagnostics/index.ts";
import type { Body, Call, Expr, Ref, TemplateString, Term } from "./ast.ts";
import { infixOf, isUnion, startsWithUnion } from "./print-operators.ts";
import { isPlainName, numberText, quote, stringText } from "./print-strings.ts";
import { Writer } from "./print-writer.ts";
import { writtenEntries } from "./term-key.ts";

export type Located = { readonly span: Term["span"] };

/** The place of something that can be grouped by rows: an object's entry stands where its key does. */
interface Item {
  readonly node: Located;
  readonly row: number;
  readonly endRow: number;
  readonly write: () => void;
}

export abstract class TermPrinter extends Writer {
  protected rowOf(node: Located): number {
    return this.row(node.span.start);
  }

  protected endRowOf(node: Located): number {
    return this.row(Math.max(node.span.start, node.span.end - 1));
  }

  /** One statement. */
  abstract expr(expr: Expr): void;
  /** Statements on lines of their own. */
  abstract body(body: Body): void;

  /** A negative number at the beginning of a line would be subtracted from the line before. */
  protected lineMinus: Term | undefined;
  /** A union at the beginning of a rule's block would make a comprehension of the block. */
  protected blockUnion: Term | undefined;

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
        return this.write(term === this.lineMinus ? `(${numberText(term)})` : numberText(term));
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
        return this.bracketed("{", "}", this.entries(writtenEntries(term)), term);
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
        // As in `opa fmt`, the row of the brace counts: a body below it has lines of its own.
        return this.comprehensionRest(term.body, "}", term, this.rowOf(term));
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

  protected call(call: Call, operand: boolean): void {
    const infix = infixOf(call);
    if (infix === undefined || infix === "=" || infix === ":=") return this.plainCall(call);
    // Two operands of `in` stand without parentheses in OPA's layout, which changes the meaning inside of operators.
    const enclosed = operand || call === this.blockUnion || (infix === "in" && call.args.length === 3);
    if (enclosed) this.write("(");
    this.operation(call, infix);
    if (enclosed) this.write(")");
  }

  /** Operands that are operations themselves get parentheses, needed or not, but for `in` on the left of `in`. */
  protected operation({ args }: Call, infix: string): void {
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

  protected plainCall({ operator, args, span }: Call): void {
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

  /** `enclosed`: in a collection, where a union could be taken for the head of a comprehension. */
  protected items(terms: readonly Term[], enclosed = true): Item[] {
    return terms.map((term) => ({
      node: term,
      row: this.rowOf(term),
      endRow: this.endRowOf(term),
      write: () => this.term(term, enclosed ? isUnion(term) : startsWithUnion(term)),
    }));
  }

  private entries(entries: readonly (readonly [Term, Term])[]): Item[] {
    return entries.map(([key, value]) => ({
      node: key,
      row: this.rowOf(key),
      endRow: this.endRowOf(value),
      write: () => {
        this.term(key, isUnion(key));
        this.write(": ");
        this.term(value, isUnion(value));
      },
    }));
  }

  private bracketed(open: string, close: string, items: readonly Item[], whole: Located): void {
    this.write(open);
    this.grouped(items, this.endRowOf(whole), whole);
    this.write(close);
  }

  /**
   * Items in lines as in the source; with more than one line, or where the bracket of `whole` had a line of its own, each on
   * a line of its own below the bracket.
   */
  protected grouped(items: readonly Item[], closingRow: number, whole?: Located): void {
    const lines: Item[][] = [];
    let last: number | undefined;
    for (const item of items) {
      if (last === undefined || item.row > last) lines.push([]);
      lines.at(-1)?.push(item);
      last = item.row;
    }
    const several =
      lines.length > 1 || (whole !== undefined && items[0] !== undefined && beginsBelow(items[0].node, whole));
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
}

/** Whether a line ends between the beginning of `whole` and the first place that reads like its first item. */
function beginsBelow(first: Located, whole: Located): boolean {
  const { text } = whole.span.file;
  const all = text.slice(whole.span.start, whole.span.end);
  const at = all.indexOf(text.slice(first.span.start, first.span.end));
  return at > 0 && all.slice(0, at).indexOf("\n") > 0;
}

/**
 * The parts that queries and schemas share: names, types, values, arguments, directives.
 *
 * GraphQL is read and judged by hand, because OPA's answers are those of gqlparser, the library that it has, whose trees it
 * shows with their comments. graphql-js 16.15 judges 40 of the 122 recorded schemas otherwise (it wants a query type), and 6 of
 * 113 queries; of the texts 7 of 120 (`enum E{true}`, `1a`, an empty document). One of the queries OPA refuses and it does not.
 */

import { fail, giveUp } from "../family.ts";
import {
  type Argument,
  type ChildValue,
  type CommentGroup,
  type Directive,
  type Type,
  type Value,
  valueKinds,
} from "./ast.ts";
import { Lexer, type Token } from "./lexer.ts";

const maxDepth = 300;

export class Parser {
  private readonly lexer: Lexer;
  private peeked: Token | undefined;
  private depth = 0;

  constructor(text: string) {
    this.lexer = new Lexer(text);
  }

  protected peek(): Token {
    return (this.peeked ??= this.lexer.next());
  }

  /** The comments before the token that was looked at, if one was. */
  protected comment(): CommentGroup | undefined {
    const comments = this.peeked?.comments ?? [];
    return comments.length === 0 ? undefined : { List: comments.map((Value) => ({ Value })) };
  }

  protected next(): Token {
    const token = this.peek();
    this.peeked = undefined;
    return token;
  }

  protected at(kind: Token["kind"], value?: string): boolean {
    const token = this.peek();
    return token.kind === kind && (value === undefined || token.value === value);
  }

  protected skip(kind: Token["kind"], value?: string): boolean {
    if (!this.at(kind, value)) return false;
    this.next();
    return true;
  }

  protected expect(kind: Token["kind"], value?: string): Token {
    return this.at(kind, value) ? this.next() : fail(`expected ${value ?? kind}`);
  }

  protected name(): string {
    return this.expect("NAME").value;
  }

  protected nested<T>(read: () => T): T {
    if (++this.depth > maxDepth) giveUp("nested too deep");
    const value = read();
    this.depth--;
    return value;
  }

  /** Items between brackets, at least one where there are brackets at all. */
  protected some<T>(
    open: Token["kind"],
    close: Token["kind"],
    read: () => T,
  ): { items: T[]; comment: CommentGroup | undefined } {
    const items: T[] = [];
    if (!this.skip(open)) return { items, comment: undefined };
    while (!this.at(close)) items.push(this.nested(read));
    if (items.length === 0) fail("expected at least one definition");
    const comment = this.comment();
    this.next();
    return { items, comment };
  }

  protected type(): Type {
    return this.nested(() => {
      if (!this.skip("[")) return { NamedType: this.name(), NonNull: this.skip("!") };
      const Elem = this.type();
      this.expect("]");
      return { NamedType: "", Elem, NonNull: this.skip("!") };
    });
  }

  protected directives(constant: boolean): readonly Directive[] {
    const found: Directive[] = [];
    while (this.skip("@")) found.push({ Name: this.name(), Arguments: this.arguments(constant), Location: "" });
    return found;
  }

  protected arguments(constant: boolean): readonly Argument[] {
    return this.some("(", ")", () => this.pair(constant)).items;
  }

  private pair(constant: boolean): ChildValue {
    this.peek();
    const Comment = this.comment();
    const Name = this.name();
    this.expect(":");
    return { Name, Value: this.value(constant), Comment };
  }

  protected value(constant: boolean): Value {
    return this.nested(() => this.anyValue(constant));
  }

  private anyValue(constant: boolean): Value {
    const { kind, value } = this.peek();
    const Comment = this.comment();
    const scalar = (Kind: number): Value => {
      this.next();
      return { Raw: value, Children: [], Kind, ExpectedTypeHasDefault: false };
    };
    switch (kind) {
      case "[":
        return {
          Raw: "",
          Children: this.list(constant),
          Kind: valueKinds.list,
          ExpectedTypeHasDefault: false,
          Comment,
        };
      case "{":
        return {
          Raw: "",
          Children: this.object(constant),
          Kind: valueKinds.object,
          ExpectedTypeHasDefault: false,
          Comment,
        };
      case "$":
        if (constant) fail("variable in a constant");
        this.next();
        return { Raw: this.name(), Children: [], Kind: valueKinds.variable, ExpectedTypeHasDefault: false };
      case "INT":
        return scalar(valueKinds.int);
      case "FLOAT":
        return scalar(valueKinds.float);
      case "STRING":
        return scalar(valueKinds.string);
      case "BLOCK":
        return scalar(valueKinds.block);
      case "NAME":
        if (value === "true" || value === "false") return scalar(valueKinds.boolean);
        return scalar(value === "null" ? valueKinds.null : valueKinds.enum);
      case "END":
      case "!":
      case "&":
      case "(":
      case ")":
      case "...":
      case ":":
      case "=":
      case "@":
      case "]":
      case "}":
      case "|":
        return fail("value expected");
    }
  }

  private list(constant: boolean): readonly ChildValue[] {
    const items: ChildValue[] = [];
    this.expect("[");
    while (!this.skip("]")) items.push({ Name: "", Value: this.value(constant) });
    return items;
  }

  private object(constant: boolean): readonly ChildValue[] {
    const fields: ChildValue[] = [];
    this.expect("{");
    while (!this.skip("}")) fields.push(this.pair(constant));
    return fields;
  }
}

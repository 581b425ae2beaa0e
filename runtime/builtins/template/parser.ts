/**
 * The tree of a template. What is left out of Go's templates: `define`, `template` and `block`. By hand: no library for
 * JavaScript reads the language of Go's text/template.
 */

import { fail, giveUp } from "../family.ts";
import { type Piece, splitTemplate, type Token } from "./lexer.ts";

export type Node =
  | { readonly kind: "Text"; readonly text: string }
  | { readonly kind: "Output"; readonly pipe: Pipe }
  | {
      readonly kind: "If" | "With";
      readonly pipe: Pipe;
      readonly body: readonly Node[];
      readonly otherwise: readonly Node[];
    }
  | { readonly kind: "Range"; readonly pipe: Pipe; readonly body: readonly Node[]; readonly otherwise: readonly Node[] }
  | { readonly kind: "Break" | "Continue" };

export interface Pipe {
  readonly variables: readonly string[];
  /** `=` instead of `:=`: the variable is there already. */
  readonly assigns: boolean;
  readonly commands: readonly (readonly Operand[])[];
}

export type Operand =
  | { readonly kind: "Dot" | "Nil" }
  | { readonly kind: "Constant"; readonly value: string | boolean | bigint | number }
  | { readonly kind: "Function"; readonly name: string }
  | {
      readonly kind: "Chain";
      readonly base: "dot" | "pipe" | string;
      readonly pipe?: Pipe;
      readonly fields: readonly string[];
    };

const keywords = new Set(["if", "else", "end", "range", "with", "define", "template", "block", "break", "continue"]);
const maxDepth = 200;

/** Names that Go knows, if we have the function or not: any other is refused when a template is read. */
const functionNames = new Set(
  "and call eq ge gt html index js le len lt ne not or print printf println slice urlquery".split(" "),
);

const stringEscapes: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["a", "\x07"],
  ["b", "\b"],
  ["f", "\f"],
  ["v", "\v"],
  ["\\", "\\"],
  ['"', '"'],
]);

function unquote(text: string): string {
  if (text.startsWith("`")) return text.slice(1, -1).replaceAll("\r", "");
  return text
    .slice(1, -1)
    .replace(/\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{3}|.)/gu, (_, escaped: string) => {
      if (/^[xuU]./.test(escaped) && escaped.length > 1) {
        const code = Number.parseInt(escaped.slice(1), 16);
        return code <= 0x10ffff && !(escaped.startsWith("x") && code > 127)
          ? String.fromCodePoint(code)
          : fail("bad escape");
      }
      return stringEscapes.get(escaped) ?? fail("bad escape");
    });
}

function number(text: string): bigint | number {
  if (/^[+-]?(?:0|[1-9][0-9]*)$/.test(text)) return BigInt(text.replace("+", ""));
  const value = Number(text);
  return /^[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?$/.test(text) && Number.isFinite(value) && !/^[+-]?0[0-9]/.test(text)
    ? value
    : giveUp("number form not supported");
}

class Parser {
  private readonly pieces: readonly Piece[];
  private next = 0;
  private tokens: readonly Token[] = [];
  private at = 0;
  private depth = 0;
  private loops = 0;
  private scope: string[] = ["$"];

  constructor(source: string) {
    this.pieces = splitTemplate(source);
  }

  all(): readonly Node[] {
    const { nodes, end } = this.nodes();
    return end === undefined ? nodes : fail("unexpected end of a block");
  }

  /** Nodes up to `end` or `else`, whichever keyword stops them, or to the end of the template. */
  private nodes(): { readonly nodes: readonly Node[]; readonly end: "end" | "else" | undefined } {
    if (++this.depth > maxDepth) giveUp("nested too deep");
    const nodes: Node[] = [];
    for (;;) {
      const piece = this.pieces[this.next++];
      if (
        piece === undefined ||
        (piece.kind === "Action" && (this.starts(piece, "end") || this.starts(piece, "else")))
      ) {
        this.depth--;
        if (piece !== undefined && this.starts(piece, "end") && piece.tokens.length > 1)
          fail("unexpected word after end");
        return { nodes, end: piece === undefined ? undefined : this.starts(piece, "end") ? "end" : "else" };
      }
      if (piece.kind === "Text") nodes.push(piece);
      else nodes.push(this.action(piece.tokens));
    }
  }

  private starts(piece: Piece & { readonly kind: "Action" }, word: string): boolean {
    const [first] = piece.tokens;
    return first?.kind === "Word" && first.text === word;
  }

  private action(tokens: readonly Token[]): Node {
    [this.tokens, this.at] = [tokens, 0];
    const [first] = tokens;
    const word = first?.kind === "Word" ? first.text : "";
    if (word === "if" || word === "with" || word === "range") return this.block(word);
    if (word === "break" || word === "continue") {
      if (tokens.length > 1 || this.loops === 0) fail(`${word} outside of a range`);
      return { kind: word === "break" ? "Break" : "Continue" };
    }
    if (keywords.has(word)) fail(`${word} is not supported here`);
    return { kind: "Output", pipe: this.wholePipe(1) };
  }

  private block(word: "if" | "with" | "range"): Node {
    this.at = 1;
    const saved = [...this.scope];
    const pipe = this.wholePipe(word === "range" ? 2 : 1);
    if (word === "range") this.loops++;
    const body = this.nodes();
    if (word === "range") this.loops--;
    const otherwise = body.end === "else" ? this.otherwise(word, saved) : [];
    if (body.end === undefined) fail("block does not end");
    this.scope = saved;
    const kind = word === "if" ? "If" : word === "with" ? "With" : "Range";
    return { kind, pipe, body: body.nodes, otherwise };
  }

  /** After `else`: nothing, or another `if` or `with`, which ends with the whole. */
  private otherwise(word: "if" | "with" | "range", scope: readonly string[]): readonly Node[] {
    const { tokens } = this.pieces[this.next - 1] as Piece & { readonly kind: "Action" };
    const [, again] = tokens;
    if (again === undefined) {
      this.scope = word === "range" ? [...scope] : this.scope;
      const rest = this.nodes();
      return rest.end === "end" ? rest.nodes : fail("end expected");
    }
    if (again.kind !== "Word" || again.text !== word || word === "range") fail("unexpected word after else");
    return [this.action(tokens.slice(1))];
  }

  private wholePipe(most: number): Pipe {
    const pipe = this.pipe(most);
    return this.at === this.tokens.length ? pipe : fail("unexpected token in an action");
  }

  private mark(text: string): boolean {
    const token = this.tokens[this.at];
    if (token?.kind !== "Mark" || token.text !== text) return false;
    this.at++;
    return true;
  }

  private pipe(most: number): Pipe {
    if (++this.depth > maxDepth) giveUp("nested too deep");
    const { variables, assigns } = this.declaration(most);
    const commands: Operand[][] = [];
    do commands.push(this.command());
    while (this.mark("|"));
    for (const command of commands.slice(1)) {
      const [first] = command;
      if (first?.kind === "Constant" || first?.kind === "Dot" || first?.kind === "Nil")
        fail("non executable command in a pipeline");
    }
    this.depth--;
    if (!assigns) this.scope.push(...variables);
    return { variables, assigns, commands };
  }

  private declaration(most: number): { readonly variables: readonly string[]; readonly assigns: boolean } {
    const start = this.at;
    const names: string[] = [];
    do {
      const token = this.tokens[this.at];
      if (token?.kind !== "Variable") break;
      names.push(token.text);
      this.at++;
    } while (this.mark(","));
    const declares = names.length > 0 && this.mark(":=");
    const assigns = names.length > 0 && !declares && this.mark("=");
    if (declares || assigns) {
      if (names.length > most) fail("too many declarations");
      if (assigns && names.some((name) => !this.scope.includes(name))) fail("undefined variable");
      return { variables: names, assigns };
    }
    this.at = start;
    return { variables: [], assigns: false };
  }

  private command(): Operand[] {
    const operands: Operand[] = [];
    for (;;) {
      const token = this.tokens[this.at];
      if (token === undefined || (token.kind === "Mark" && [")", "|"].includes(token.text))) break;
      if (operands.length > 0 && "attached" in token && token.attached) fail("blank expected between operands");
      operands.push(this.operand());
    }
    return operands.length === 0 ? fail("missing value in an action") : operands;
  }

  private operand(): Operand {
    const token = this.tokens[this.at++] ?? fail("operand expected");
    switch (token.kind) {
      case "Field":
        return { kind: "Chain", base: "dot", fields: [token.text.slice(1), ...this.fields()] };
      case "Variable":
        if (!this.scope.includes(token.text)) fail("undefined variable");
        return { kind: "Chain", base: token.text, fields: this.fields() };
      case "String":
        return { kind: "Constant", value: unquote(token.text) };
      case "Number":
        return { kind: "Constant", value: number(token.text) };
      case "Char":
        return giveUp("characters are not supported");
      case "Word":
        if (token.text === "true" || token.text === "false") return { kind: "Constant", value: token.text === "true" };
        if (token.text === "nil") return { kind: "Nil" };
        return functionNames.has(token.text) ? { kind: "Function", name: token.text } : fail("function not defined");
      case "Mark": {
        if (token.text === ".")
          return this.fields().length === 0 ? { kind: "Dot" } : fail("unexpected field after a dot");
        if (token.text !== "(") return fail("operand expected");
        const pipe = this.pipe(0);
        if (!this.mark(")")) fail("unclosed parenthesis");
        return { kind: "Chain", base: "pipe", pipe, fields: this.fields() };
      }
    }
  }

  private fields(): readonly string[] {
    const names: string[] = [];
    for (;;) {
      const token = this.tokens[this.at];
      if (token?.kind !== "Field" || !token.attached) return names;
      names.push(token.text.slice(1));
      this.at++;
    }
  }
}

export function parseTemplate(source: string): readonly Node[] {
  if (/\{\{(?:- )?\s*(?:define|block)\b/.test(source)) giveUp("definitions are not supported");
  return new Parser(source).all();
}

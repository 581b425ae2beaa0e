/** What is left of a module with errors, and what its broken statements may define. */

import { type SourceFile, type Span, span } from "../diagnostics/index.ts";
import type { Module, PartialModule, Unread } from "./ast.ts";
import type { TokenType } from "./chevrotain.ts";
import { isClosing, isOpening } from "./parse-collections.ts";
import type { BrokenRange, Statements } from "./parse-module.ts";
import * as T from "./token.ts";

/** From the first token to the end of the last. */
export function spanOf(file: SourceFile, tokens: readonly T.Token[], { first, end }: BrokenRange): Span {
  return span(file, (tokens[first] as T.Token).startOffset, T.endOf(tokens[end - 1] as T.Token));
}

/**
 * The statements without a fault, and the names of the others; `unknown` where rules may belong to another package.
 * INVARIANT: every rule and import that the text defines, as its author means it, is kept or may be one of `unread`.
 */
export function partialModule(
  file: SourceFile,
  module: Module,
  tokens: readonly T.Token[],
  { packages, broken }: Statements,
): PartialModule | "unknown" {
  const readers = broken.map(
    (range) => new BrokenStatement(file.text, tokens.slice(range.first, range.end), range.name),
  );
  if (packages.length > 1 || readers.some((reader) => reader.holds(T.Package))) return "unknown";
  return { ...module, unread: unreadIn(readers) };
}

function unreadIn(statements: readonly BrokenStatement[]): Unread {
  const heads = statements.map((statement) => statement.head());
  return {
    names: new Set(statements.flatMap((statement, i) => [...(heads[i] ?? []), ...statement.swallowed()])),
    anyRule: statements.some((statement, i) => heads[i] === undefined || statement.hidesLines()),
    anyImport: statements.some((statement, i) => heads[i] === undefined || statement.holds(T.Import)),
  };
}

/** The tokens from the first of a statement with a fault to the next statement. */
class BrokenStatement {
  private readonly text: string;
  private readonly tokens: readonly T.Token[];
  private readonly name: string | undefined;

  constructor(text: string, tokens: readonly T.Token[], name: string | undefined) {
    this.name = name;
    this.text = text;
    this.tokens = tokens;
  }

  holds(type: TokenType): boolean {
    return this.tokens.some(({ tokenType }) => tokenType === type);
  }

  /** The name that the statement defines, or none for an import; `undefined` where it cannot be told. */
  head(): readonly string[] | undefined {
    if (this.tokens[0]?.tokenType === T.Import) return [];
    return this.name === undefined ? undefined : [this.name];
  }

  /** Names that begin rules of their own, where the statement before them was never closed. */
  swallowed(): string[] {
    const margin = this.columnOf(this.tokens[0] as T.Token);
    const names: string[] = [];
    let depth = 0;
    for (const [i, token] of this.tokens.entries()) {
      const { tokenType } = token;
      if (isOpening(tokenType)) depth++;
      else if (isClosing(tokenType)) depth--;
      else if (tokenType === T.Identifier && this.mayBegin(i, depth, margin)) names.push(token.image);
    }
    return names;
  }

  private mayBegin(i: number, depth: number, margin: number): boolean {
    const token = this.tokens[i] as T.Token;
    const before = this.tokens[i - 1];
    if (before?.tokenType === T.Default) return true;
    const isFirst = before === undefined || this.text.slice(T.endOf(before), token.startOffset).includes("\n");
    return isFirst ? depth <= 0 || this.columnOf(token) <= margin : depth <= 0 && this.isDefinition(i + 1);
  }

  private isDefinition(i: number): boolean {
    const next = this.tokens[i]?.tokenType;
    return next === T.Assign || next === T.If || next === T.Contains;
  }

  /** Whether a string takes in lines that may be rules: it may begin with the quote that was to end another. */
  hidesLines(): boolean {
    return this.tokens.some(({ tokenType, image }) => stringsOfLines.has(tokenType) && image.includes("\n"));
  }

  private columnOf({ startOffset }: T.Token): number {
    return startOffset - (this.text.lastIndexOf("\n", startOffset - 1) + 1);
  }
}

const stringsOfLines: ReadonlySet<TokenType> = new Set([T.RawStringLiteral, T.RawTemplateText]);

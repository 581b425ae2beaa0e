/**
 * The grammar of modules: statements, one after the other. One that is no Rego is reported and skipped up to the next
 * line that begins where statements begin.
 */

import type { RegoVersion, SourceFile, Span } from "../diagnostics/index.ts";
import type { Import, Package, Rule } from "./ast.ts";
import { versionKeywords } from "./parse-imports.ts";
import { RuleParser } from "./parse-rules.ts";
import { isKeywordKind, type Token, type TokenKind } from "./token.ts";

/** What a module holds before its comments are added. */
export interface Statements {
  readonly packages: Package[];
  readonly imports: Import[];
  readonly rules: Rule[];
  /** The first statement of all, if it is no package. */
  misplaced: Span | undefined;
}

/** Keywords that go on with a statement rather than begin one. */
const continuing: ReadonlySet<TokenKind> = new Set<TokenKind>(["else", "if", "with", "as", "in", "contains"]);

/** The grammar, complete: for one text, and to be used once. */
export class RegoParser extends RuleParser {
  protected override readonly oldRules: boolean;

  constructor(file: SourceFile, tokens: readonly Token[], version: RegoVersion) {
    super(file, tokens, version);
    this.oldRules = version === 0 && !importsVersion(tokens);
    if (version === 0) this.forgetKeywords();
    if (version === 2) for (const word of versionKeywords) this.addKeyword(word);
  }

  statements(): Statements {
    const into: Statements = { packages: [], imports: [], rules: [], misplaced: undefined };
    while (!this.at("end of text")) {
      const first = this.next;
      const { place } = this;
      this.resetDepth();
      this.nameKeywordRef();
      if (place === 0 && !this.at("package")) into.misplaced = this.spanOf(first);
      const tried = this.attempt(() => this.moduleStatement(into));
      if ("problem" in tried) {
        this.noteProblem(tried.problem);
        this.moveTo(Math.max(tried.place, place + 1));
        this.recover(first);
      }
    }
    return into;
  }

  private moduleStatement(into: Statements): void {
    if (this.at("package")) into.packages.push(this.package());
    else if (this.at("import")) into.imports.push(this.import());
    else this.rule(into.rules);
  }

  /** Moves to the next token that begins a line no further right than the failed statement, and can begin a statement. */
  private recover(first: Token): void {
    const margin = this.columnOf(first);
    while (!this.at("end of text")) {
      if (this.onNewLine && startsStatement(this.next.kind) && this.columnOf(this.next) <= margin) return;
      this.take();
    }
  }

  private columnOf({ start }: Token): number {
    return start - (this.file.text.lastIndexOf("\n", start - 1) + 1);
  }
}

function startsStatement(kind: TokenKind): boolean {
  return kind === "identifier" || (isKeywordKind(kind) && !continuing.has(kind));
}

/** Whether a module of v0 says that it is written as a later version. */
export function importsVersion(tokens: readonly Token[]): boolean {
  return tokens.some(({ kind }, i) => {
    if (kind !== "import" || tokens[i + 1]?.text !== "rego" || tokens[i + 2]?.kind !== ".") return false;
    const version = tokens[i + 3]?.text;
    return version === "v1" || version === "v2";
  });
}

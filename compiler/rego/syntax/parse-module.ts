/**
 * The grammar of modules: statements, one after the other. One that is not Rego is reported and skipped up to the next
 * line that begins where statements begin.
 */

import type { RegoVersion, SourceFile, Span } from "../diagnostics/index.ts";
import type { Import, Node, Package, Rule } from "./ast.ts";
import { EOF, type ParserMethod, type TokenType } from "./chevrotain.ts";
import { partBelow } from "./height.ts";
import type { Lexed } from "./lexer.ts";
import { maxHeight, noFile } from "./parse-base.ts";
import { versionKeywords } from "./parse-imports.ts";
import { RuleParser } from "./parse-rules.ts";
import * as T from "./token.ts";

/** What a module holds before its comments are added. */
export interface Statements {
  readonly packages: Package[];
  readonly imports: Import[];
  readonly rules: Rule[];
  /** The first statement of all, if it is no package. */
  misplaced: Span | undefined;
  /** Statements with a finding; of these nothing else is kept. */
  readonly broken: BrokenRange[];
}

/** A statement by its places in the list of tokens; `end` is behind the last. */
export interface BrokenRange {
  readonly first: number;
  readonly end: number;
  /** The name of its rule, where its head could be read. */
  readonly name: string | undefined;
}

function nothingYet(): Statements {
  return { packages: [], imports: [], rules: [], misplaced: undefined, broken: [] };
}

/** Keywords that go on with a statement rather than begin one. */
export const continuing: ReadonlySet<TokenType> = new Set([T.Else, T.If, T.With, T.As, T.In, T.Contains]);

/** The grammar, complete. Chevrotain looks it over once, when it is made. */
export class RegoParser extends RuleParser {
  /** `skipValidations`: the grammar is known to be sound; a test looks it over. */
  constructor(skipValidations = true) {
    super(skipValidations);
    this.performSelfAnalysis();
  }

  /** The statements of a module and what was found; no statements where the stack ran out. */
  readModule(file: SourceFile, { tokens, diagnostics }: Lexed, version: RegoVersion) {
    this.faults = diagnostics.map(({ span }) => span?.start ?? 0);
    return this.run(
      file,
      tokens,
      version,
      () => this.module(),
      (module) => module.rules,
    );
  }

  readQuery(file: SourceFile, tokens: T.Token[]) {
    return this.run(
      file,
      tokens,
      1,
      () => this.queryText(),
      (body) => body ?? [],
    );
  }

  private run<X>(
    file: SourceFile,
    tokens: T.Token[],
    version: RegoVersion,
    grammar: () => X,
    statements: (result: X) => readonly Node[],
  ) {
    this.begin(file, tokens, version);
    this.oldRules = version === 0 && !importsVersion(tokens);
    this.bars.clear();
    this.forgetKeywords();
    if (version === 2) for (const word of versionKeywords) this.addKeyword(word);
    let result: X | undefined;
    try {
      result = grammar();
      if (this.mayBeHigh) this.limitHeight(statements(result));
    } catch (error) {
      // The limits on nesting keep the stack from running out; should a small one do so all the same, it is the text's fault.
      if (!(error instanceof RangeError)) throw error;
      this.note("rego/too-deep", { limit: "the stack's" }, this.spanOf(this.LA(1)));
    }
    const { found } = this;
    this.begin(noFile, [], 1);
    return { result, found };
  }

  private limitHeight(statements: readonly Node[]): void {
    for (const statement of statements) {
      const part = partBelow(statement, maxHeight);
      if (part !== undefined) this.note("rego/too-deep", { limit: maxHeight }, part.span);
    }
  }

  /** Where words are wrong. */
  private faults: readonly number[] = [];

  private hasFault(start: number): boolean {
    const end = T.endOf(this.LA(0));
    return this.faults.some((at) => start <= at && at < end);
  }

  /** What was read of a module. */
  private read = nothingYet();

  private readonly module: ParserMethod<[], Statements> = this.define("module", () => {
    this.read = nothingYet();
    if (this.RECORDING_PHASE) this.MANY(() => this.SUBRULE(this.moduleStatement));
    while (!this.at(EOF)) {
      this.resetDepth();
      this.nameKeywordRef();
      const isContinued = this.continuesStatement();
      this.first = this.place;
      this.findings = this.found.length;
      if (this.first === 0 && !this.at(T.Package)) this.read.misplaced = this.spanOf(this.LA(1));
      const { imports, rules } = this.read;
      const before = isContinued ? this.begun : { first: this.first, imports: imports.length, rules: rules.length };
      // A line further right may be what is left of a rule without its head.
      if (!isContinued || this.onNewLine) this.told = undefined;
      this.begun = before;
      this.SUBRULE(this.moduleStatement);
      const { startOffset } = this.input[this.first] as T.Token;
      if (this.found.length === this.findings && !this.hasFault(startOffset)) continue;
      this.giveUp(before);
    }
    return this.read;
  });

  /** Where the statement begins that is read, and what there was before it. */
  private begun = { first: 0, imports: 0, rules: 0 };

  /** Whether what comes next stands in the line of the statement before, or further right than that one. */
  private continuesStatement(): boolean {
    const before = this.input[this.begun.first];
    if (this.place === 0 || before === undefined) return false;
    return !this.onNewLine || this.columnOf(this.LA(1)) > this.marginOf(before);
  }

  /** Keeps nothing of a statement with a fault, nor of what it seems to go on with. */
  private giveUp({ first, ...before }: typeof this.begun): void {
    const { imports, rules, broken } = this.read;
    if (broken.at(-1)?.first === first) broken.pop();
    broken.push({ first, end: this.place, name: this.told });
    imports.length = before.imports;
    rules.length = before.rules;
    // An import that was to bring keywords may have brought any.
    const [word, root] = this.input.slice(first, first + 2);
    if (word?.tokenType !== T.Import || (root?.image !== "future" && root?.image !== "rego")) return;
    for (const keyword of versionKeywords) this.addKeyword(keyword);
  }

  private readonly moduleStatement: ParserMethod<[], void> = this.define(
    "moduleStatement",
    () => {
      const { packages, imports, rules } = this.read;
      this.OR([
        { ALT: () => packages.push(this.SUBRULE(this.package)) },
        { ALT: () => imports.push(this.SUBRULE(this.import)) },
        { ALT: () => rules.push(this.SUBRULE(this.defaultRule)) },
        {
          ALT: () => {
            const added = this.SUBRULE(this.rule);
            this.ACTION(() => rules.push(...added));
          },
        },
      ]);
    },
    {
      resyncEnabled: true,
      recoveryValueFunc: (problem) => {
        this.found.length = this.findings;
        this.noteProblem(problem);
      },
    },
  );

  // ---- recovery ----

  /** The place of the first token of a statement, and the number of findings before it. */
  private first = 0;
  private findings = 0;

  /** Chevrotain asks for a type to go on with. Types do not tell where the next statement is, so any that begins one will do. */
  protected findReSyncTokenType(): TokenType {
    return T.Identifier;
  }

  /**
   * Chevrotain's step from a wrong statement to the next, which begins a line no further right than the line where the wrong
   * one begins, with a token that can begin a statement.
   */
  protected reSyncTo(): T.Token[] {
    const margin = this.marginOf(this.input[this.first] as T.Token);
    if (this.place === this.first) this.take();
    while (!this.at(EOF)) {
      if (this.onNewLine && startsStatement(this.LA(1)) && this.columnOf(this.LA(1)) <= margin) break;
      this.take();
    }
    return [];
  }

  /** The column where the line of a token begins. */
  private marginOf({ startOffset }: T.Token): number {
    const { text } = this.file;
    const line = text.lastIndexOf("\n", startOffset - 1) + 1;
    return text.slice(line, startOffset).search(/[^ \t\r]|$/);
  }

  private columnOf({ startOffset }: T.Token): number {
    return startOffset - (this.file.text.lastIndexOf("\n", startOffset - 1) + 1);
  }
}

function startsStatement(token: T.Token): boolean {
  return token.tokenType === T.Identifier || (T.isKeywordToken(token) && !continuing.has(token.tokenType));
}

/** Whether a module of v0 says that it is written as a later version. */
export function importsVersion(tokens: readonly T.Token[]): boolean {
  return tokens.some(({ tokenType }, i) => {
    if (tokenType !== T.Import || tokens[i + 1]?.image !== "rego" || tokens[i + 2]?.tokenType !== T.Dot) return false;
    const version = tokens[i + 3]?.image;
    return version === "v1" || version === "v2";
  });
}

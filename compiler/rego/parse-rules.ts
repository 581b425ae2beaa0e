/**
 * The grammar of modules: package, imports, rules. A statement that is no Rego is reported and skipped up to the next
 * line that begins where statements begin. What Rego v0 allowed and v1 does not is parsed and then refused by name.
 */

import type { Diagnostic } from "../base/diagnostic.ts";
import { type Span, span } from "../base/span.ts";
import type { Body, Head, Import, Package, Ref, Rule, StringTerm, Term, Var } from "./ast.ts";
import { EOF, type IToken, type ParserMethod, type TokenType } from "./chevrotain.ts";
import { BodyParser } from "./parse-bodies.ts";
import { checkDefault, checkElse, checkRule } from "./rule-shape.ts";
import * as T from "./tokens.ts";

/** What a module holds before its comments are added. */
export interface Statements {
  readonly packages: readonly Package[];
  readonly imports: readonly Import[];
  readonly rules: readonly Rule[];
  /** The first statement of all, if it is no package. */
  readonly misplaced: Span | undefined;
}

interface Collected extends Statements {
  readonly packages: Package[];
  readonly imports: Import[];
  readonly rules: Rule[];
  misplaced: Span | undefined;
}

function nothingYet(): Collected {
  return { packages: [], imports: [], rules: [], misplaced: undefined };
}

const importRoots: ReadonlySet<string> = new Set(["data", "input", "future", "rego"]);
/** Keywords to be imported, and those that every module has anyway, whose import says nothing. */
const futureKeywords: readonly string[] = ["and", "not", "or"];
const grownUpKeywords: readonly string[] = ["contains", "every", "if", "in"];
const maxElse = 400;
/** Keywords that go on with a statement rather than begin one. */
const continuing: readonly TokenType[] = [T.Else, T.If, T.With, T.As, T.In, T.Contains];

/** The keywords that an import adds to those of the language. */
function keywordsOf({ head, args }: Ref): readonly string[] {
  const root = head.kind === "Var" ? head.name : "";
  const last = args.at(-1);
  const name = last?.kind === "String" ? last.value : "";
  if (root === "rego") return name === "v2" ? futureKeywords : [];
  if (root !== "future") return [];
  return args.length === 1 ? futureKeywords : [name];
}

export abstract class RuleParser extends BodyParser {
  readonly statements: ParserMethod<[], Statements> = this.RULE("statements", (): Statements => {
    const into = nothingYet();
    if (this.RECORDING_PHASE) {
      this.MANY(() => this.SUBRULE(this.moduleStatement));
      return into;
    }
    while (!this.at(EOF)) {
      const first = this.LA(1);
      const place = this.place();
      this.resetDepth();
      this.nameKeywordRef();
      if (place === 0 && !this.at(T.Package)) into.misplaced = this.spanOf(first);
      const tried = this.attempt(() => this.SUBRULE2(this.moduleStatement, { ARGS: [into] }));
      if ("error" in tried) {
        this.found.push(this.toDiagnostic(tried.error));
        this.moveTo(Math.max(tried.place, place + 1));
        this.recover(first);
      }
    }
    return into;
  });

  readonly moduleStatement: ParserMethod<[into?: Collected], void> = this.RULE(
    "moduleStatement",
    (into = nothingYet()): void => {
      this.OR([
        { ALT: () => into.packages.push(this.SUBRULE(this.package)) },
        { ALT: () => into.imports.push(this.SUBRULE(this.import)) },
        { ALT: () => this.SUBRULE(this.rule, { ARGS: [into.rules] }) },
      ]);
    },
  );

  /** Moves to the next token that begins a line no further right than the failed statement, and can begin a statement. */
  private recover(first: IToken): void {
    const column = (token: IToken) => token.startOffset - (this.file.text.lastIndexOf("\n", token.startOffset - 1) + 1);
    const margin = column(first);
    const starts = (token: IToken) =>
      token.tokenType === T.Identifier || (T.isKeywordToken(token) && !continuing.includes(token.tokenType));
    while (!this.at(EOF)) {
      const next = this.LA(1);
      if (this.onNewLine() && column(next) <= margin && starts(next)) return;
      this.moveTo(this.place() + 1);
    }
  }

  // ---- package and import ----

  /** A path of names and strings; any keyword may be a part of it, the first too. */
  readonly path: ParserMethod<[], Term> = this.RULE("path", (): Term => {
    const name = this.CONSUME(T.Name, { ERR_MSG: "path" });
    const head: Var = { kind: "Var", span: this.spanOf(name), name: name.image };
    return this.SUBRULE(this.reference, { ARGS: [head, false] });
  });

  readonly package: ParserMethod<[], Package> = this.RULE("package", (): Package => {
    const first = this.CONSUME(T.Package);
    const written = this.SUBRULE(this.path);
    return this.ACTION(() => {
      if (written.kind !== "Ref" && written.kind !== "Var") {
        this.fail("rego/illegal-package", { reason: "expected a path" }, written.span);
      }
      const { head, args } = written.kind === "Ref" ? written : { head: written, args: [] };
      if (head.kind !== "Var") this.fail("rego/illegal-package", { reason: "expected a name" }, head.span);
      for (const part of args) {
        if (part.kind !== "String") this.fail("rego/illegal-package", { reason: "expected string" }, part.span);
      }
      const name: StringTerm = { kind: "String", span: head.span, value: head.name, raw: false };
      const root: Var = { kind: "Var", span: head.span, name: "data" };
      const path: Ref = { kind: "Ref", span: written.span, head: root, args: [name, ...args] };
      return { kind: "Package", span: this.spanFrom(first), path };
    });
  });

  readonly import: ParserMethod<[], Import> = this.RULE("import", (): Import => {
    const first = this.CONSUME(T.Import);
    const written = this.SUBRULE(this.path);
    let alias: Var | undefined;
    this.OPTION(() => {
      this.CONSUME(T.As);
      const name = this.CONSUME(T.Identifier, { ERR_MSG: "variable" });
      alias = { kind: "Var", span: this.spanOf(name), name: name.image };
      this.ACTION(() => {
        if (alias?.name === "input" || alias?.name === "data") {
          this.fail("rego/illegal-import", { reason: `\`${alias.name}\` cannot be an alias` }, alias.span);
        }
      });
    });
    return this.ACTION(() => {
      const path = this.importPath(written, alias);
      for (const word of keywordsOf(path)) this.addKeyword(word);
      return { kind: "Import", span: this.spanFrom(first), path, alias };
    });
  });

  private importPath(written: Term, alias: Var | undefined): Ref {
    const bad = (reason: string, at: Term, help?: string) =>
      this.fail("rego/illegal-import", { reason }, at.span, help);
    const path: Ref = written.kind === "Ref" ? written : { kind: "Ref", span: written.span, head: written, args: [] };
    const { head, args } = path;
    const root = head.kind === "Var" ? head.name : undefined;
    const names = args.map((part) => (part.kind === "String" ? part.value : bad("expected string", part)));
    if (root === undefined || !importRoots.has(root)) {
      return bad(`path must begin with \`data\`, \`input\`, \`future\` or \`rego\`, got \`${root ?? "a call"}\``, head);
    }
    if (root === "rego") {
      if (names.length !== 1 || (names[0] !== "v1" && names[0] !== "v2"))
        return bad("must be one of: `rego.v1`, `rego.v2`", path);
      return alias ? bad("`rego` imports cannot be aliased", alias) : path;
    }
    if (root === "future") {
      if (names[0] !== "keywords") return bad("must be `future.keywords`", path);
      if (alias) return bad("`future` imports cannot be aliased", alias);
      const [, word] = names;
      const known = [...futureKeywords, ...grownUpKeywords];
      if (names.length === 2 && word !== undefined && !known.includes(word)) {
        return bad(`unexpected keyword \`${word}\`, must be one of ${known.sort().join(", ")}`, path);
      }
      return path;
    }
    const last = names.at(-1) ?? root;
    if (!alias && T.isKeyword(last)) {
      return bad(
        `path must not end with a keyword, got \`${last}\``,
        args.at(-1) ?? head,
        "import a different path or use an alias",
      );
    }
    return path;
  }

  // ---- rules ----

  /** One rule with its `else` rules, added to `rules`; of several bodies each makes a rule. */
  readonly rule: ParserMethod<[rules?: Rule[]], void> = this.RULE("rule", (rules: Rule[] = []): void => {
    const first = this.LA(1);
    const isDefault = this.at(T.Default);
    this.OPTION(() => {
      this.CONSUME(T.Default);
      this.nameKeywordRef();
    });
    const { head, gap } = this.SUBRULE(this.head);
    if (isDefault) {
      const rule: Rule = {
        kind: "Rule",
        span: this.spanFrom(first),
        isDefault,
        head,
        body: [],
        hasBody: false,
        else: undefined,
      };
      this.found.push(...checkDefault(rule));
      rules.push(rule);
      return;
    }
    const hasIf = this.at(T.If);
    const hasBody = hasIf || this.at(T.LBrace);
    const bare = !hasBody && head?.value === undefined && head?.key === undefined && head?.args === undefined;
    if (!this.RECORDING_PHASE && bare && !this.at(EOF) && !this.onNewLine()) {
      this.unexpected("`:=`, `if` or `contains` after the name of a rule");
    }
    let body: Body = [];
    this.OPTION2(() => {
      this.CONSUME(T.If);
      body = this.SUBRULE(this.ifBody);
    });
    if (!hasIf && hasBody) body = this.SUBRULE(this.block);
    const main: Rule = { kind: "Rule", span: this.spanFrom(first), isDefault, head, body, hasBody, else: undefined };
    this.ACTION(() => this.found.push(...checkRule(main, { hasIf, gap })));
    if (hasBody && this.at(T.Else) && !this.atKeywordRef()) {
      const chain = this.SUBRULE(this.elseChain, { ARGS: [head] });
      rules.push({ ...main, span: this.spanFrom(first), else: chain });
      return;
    }
    rules.push(main);
    while (hasBody && this.at(T.LBrace)) {
      const open = this.LA(1);
      const next = this.SUBRULE2(this.block);
      rules.push({ ...main, span: this.spanFrom(open), body: next });
    }
  });

  /** A name, perhaps with arguments, and then `contains key`, or a value, or neither. */
  readonly head: ParserMethod<[], { head: Head; gap: Span | undefined }> = this.RULE(
    "head",
    (): { head: Head; gap: Span | undefined } => {
      const first = this.LA(1);
      const token = this.OR([{ ALT: () => this.CONSUME(T.Identifier) }, { ALT: () => this.CONSUME(T.Contains) }]);
      const name: Var = { kind: "Var", span: this.spanOf(token), name: token.image };
      // OPA allows a space between name and first part of a rule that has a body: `f (x) := x if …`.
      const part = this.at(T.LParen) || this.at(T.Dot) || this.at(T.LBracket);
      const spaced = part && !this.adjacent();
      const gap = spaced ? span(this.file, name.span.end, this.LA(1).startOffset) : undefined;
      const parts: Term[] = [];
      let args: readonly Term[] | undefined;
      this.MANY({
        GATE: () => parts.length === 0 || this.adjacent(),
        DEF: () =>
          parts.push(
            this.OR2([{ ALT: () => this.SUBRULE(this.dotPart) }, { ALT: () => this.SUBRULE(this.bracketPart) }]),
          ),
      });
      this.OPTION({
        GATE: () => (spaced && parts.length === 0) || this.adjacent(),
        DEF: () => {
          args = this.SUBRULE(this.args);
        },
      });
      const ref: Ref = { kind: "Ref", span: this.spanFrom(first), head: name, args: parts };
      let key: Term | undefined;
      let value: Term | undefined;
      let operator: Head["operator"];
      this.OPTION2(() => {
        this.OR3([
          {
            ALT: () => {
              const word = this.CONSUME2(T.Contains);
              if (args) {
                const reason = "the contains keyword can only be used with multi-value rules, not with functions";
                this.note("rego/illegal-rule", { reason }, this.spanOf(word));
              }
              key = this.SUBRULE(this.term);
            },
          },
          {
            ALT: () => {
              const sign = this.OR4([{ ALT: () => this.CONSUME(T.Assign) }, { ALT: () => this.CONSUME(T.Unify) }]);
              operator = sign.tokenType === T.Assign ? ":=" : "=";
              value = this.SUBRULE2(this.term);
            },
          },
        ]);
      });
      return { head: { kind: "Head", span: this.spanFrom(first), ref, args, key, value, operator }, gap };
    },
  );

  /**
   * What stands behind `if`: one statement, or a block. Braces are a block unless they are an object or comprehension
   * (`p if {"a": x}` asks whether x is defined), or the beginning of a longer term (`p if {x} == s`).
   */
  readonly ifBody: ParserMethod<[], Body> = this.RULE("ifBody", (): Body => {
    if (this.at(T.LBrace)) {
      if (this.active || this.mayBeTerm()) {
        const place = this.place();
        const asTerm = this.attempt(() => this.SUBRULE2(this.literal));
        if ("value" in asTerm && asTerm.value.body.kind !== "Set") return [asTerm.value];
        this.moveTo(place);
        const asBlock = this.attempt(() => this.SUBRULE2(this.block));
        if ("value" in asBlock) return asBlock.value;
        // Of two ways to fail, the one that got further was meant.
        throw "error" in asTerm && asTerm.place > asBlock.place ? asTerm.error : asBlock.error;
      }
      return this.SUBRULE(this.block);
    }
    return [this.SUBRULE(this.literal)];
  });

  /** A quick look at the tokens of `{…}`, so that ordinary blocks are parsed once: could this be more than a block? */
  private mayBeTerm(): boolean {
    const opens: readonly TokenType[] = [T.LBracket, T.LBrace, T.LParen];
    const closes: readonly TokenType[] = [T.RBracket, T.RBrace, T.RParen];
    const ofBlocks: readonly TokenType[] = [T.Semicolon, T.Assign, T.Unify, T.Some, T.Every, T.Not];
    const joins: readonly TokenType[] = [T.In, T.Assign, T.Unify];
    let depth = 0;
    let separated = false;
    for (let n = 1; n <= this.input.length; n++) {
      const type = this.LA(n).tokenType;
      if (opens.includes(type)) depth++;
      else if (closes.includes(type)) depth--;
      else if (depth === 1 && (type === T.Colon || type === T.Or)) separated = true;
      else if (depth === 1 && !separated && ofBlocks.includes(type)) return false;
      if (depth > 0) continue;
      const next = this.LA(n + 1).tokenType;
      const joined = joins.includes(next) || (next.CATEGORIES?.includes(T.InfixOperator) ?? false);
      const touching = (next === T.LBracket || next === T.Dot) && this.adjacent(n + 1);
      return n === 2 || separated || joined || touching;
    }
    return false;
  }

  readonly elseChain: ParserMethod<[Head], Rule> = this.RULE("elseChain", (head: Head): Rule => {
    const links: Rule[] = [];
    this.AT_LEAST_ONE({
      GATE: () => links.at(-1)?.hasBody !== false && !this.atKeywordRef(),
      DEF: () => {
        const first = this.CONSUME(T.Else);
        this.ACTION(() => this.refuseElse(checkElse(head, this.spanOf(first))));
        if (links.length >= maxElse) this.fail("rego/too-deep", { limit: maxElse }, this.spanOf(first));
        let value: Term | undefined;
        let operator: Head["operator"];
        this.OPTION(() => {
          const sign = this.OR([{ ALT: () => this.CONSUME(T.Assign) }, { ALT: () => this.CONSUME(T.Unify) }]);
          operator = sign.tokenType === T.Assign ? ":=" : "=";
          value = this.SUBRULE(this.term);
        });
        const headSpan = this.spanFrom(first);
        const hasIf = this.at(T.If);
        const hasBody = hasIf || this.at(T.LBrace);
        if (!this.RECORDING_PHASE && !hasBody && value === undefined) this.unexpected("else value term or rule body");
        let body: Body = [];
        this.OPTION2(() => this.CONSUME(T.If));
        if (this.RECORDING_PHASE || this.at(T.LBrace)) body = this.SUBRULE(this.block);
        else if (hasIf) body = [this.SUBRULE(this.literal)];
        if (hasBody && !hasIf) {
          const help = `write \`else${value ? " := …" : ""} if { … }\``;
          this.note("rego/missing-if", { what: head.args?.length ? "function" : "rule" }, this.spanOf(first), help);
        }
        const elseHead: Head = { ...head, span: headSpan, value, operator };
        links.push({
          kind: "Rule",
          span: this.spanFrom(first),
          isDefault: false,
          head: elseHead,
          body,
          hasBody,
          else: undefined,
        });
      },
    });
    return this.ACTION(() => {
      const end = links.at(-1)?.span.end ?? 0;
      const chained = links.reduceRight<Rule | undefined>(
        (next, link) => ({ ...link, span: span(this.file, link.span.start, Math.max(link.span.end, end)), else: next }),
        undefined,
      );
      return chained as Rule;
    });
  });

  private refuseElse(problem: Diagnostic | undefined): void {
    if (problem) this.failWith(problem);
  }
}

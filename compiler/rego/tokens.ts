/**
 * The words of Rego: token types and the lexer. Whitespace is dropped, since every rule about it (a ref part must touch
 * the part before it, a statement ends at a line end) can be told from the offsets of two tokens.
 *
 * The lexer has three modes. `code` is ordinary Rego; `template` and `rawTemplate` are the insides of `$"…"` and `` $`…` ``.
 * Every `{` enters `code` and every `}` leaves it again, so that the `}` which ends an interpolation returns to its string.
 */

import { createToken, type IToken, type ITokenConfig, Lexer, type TokenType } from "./chevrotain.ts";

/** Categories: what may stand after a dot; what joins two terms. */
export const Name = createToken({ name: "Name", pattern: Lexer.NA });
export const Keyword = createToken({ name: "Keyword", pattern: Lexer.NA, categories: [Name] });
export const InfixOperator = createToken({ name: "InfixOperator", pattern: Lexer.NA });

// Chevrotain drops the `u` flag of patterns, which the digits of other scripts need.
const identifier = /[A-Za-z_][A-Za-z0-9_\p{Nd}]*/uy;

function matchAt(pattern: RegExp, text: string, offset: number): RegExpExecArray | null {
  pattern.lastIndex = offset;
  return pattern.exec(text);
}

export const Identifier = createToken({
  name: "Identifier",
  label: "identifier",
  pattern: { exec: (text: string, offset: number) => matchAt(identifier, text, offset) },
  start_chars_hint: [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"],
  line_breaks: false,
  categories: [Name],
});

const keywords: TokenType[] = [];

function keyword(word: string, more: Partial<ITokenConfig> = {}): TokenType {
  const name = word[0]?.toUpperCase() + word.slice(1);
  const type = createToken({
    name,
    label: word,
    pattern: word,
    longer_alt: Identifier,
    categories: [Keyword],
    ...more,
  });
  keywords.push(type);
  return type;
}

export const Package = keyword("package");
export const Import = keyword("import");
export const As = keyword("as");
export const Default = keyword("default");
export const Else = keyword("else");
export const Not = keyword("not");
export const Some = keyword("some");
export const With = keyword("with");
export const Null = keyword("null");
export const True = keyword("true");
export const False = keyword("false");
export const In = keyword("in");
export const Every = keyword("every");
export const Contains = keyword("contains");
export const If = keyword("if");

/** Words that are keywords only where a module imports them: the lexer gives identifiers, the parser makes these of them. */
export const LogicalAnd = createToken({ name: "LogicalAnd", label: "and", pattern: Lexer.NA, categories: [Keyword] });
export const LogicalOr = createToken({ name: "LogicalOr", label: "or", pattern: Lexer.NA, categories: [Keyword] });
export const importedKeywords: ReadonlyMap<string, TokenType> = new Map([
  ["and", LogicalAnd],
  ["or", LogicalOr],
  ["in", In],
  ["every", Every],
  ["contains", Contains],
  ["if", If],
]);
/** What v1 made keywords of every module; in v0 a module has to import them. */
export const v1Keywords: readonly string[] = ["contains", "every", "if", "in"];

function sign(name: string, pattern: string, more: Partial<ITokenConfig> = {}): TokenType {
  return createToken({ name, label: pattern, pattern, ...more });
}
const operator = { categories: [InfixOperator] };

export const LBracket = sign("LBracket", "[");
export const RBracket = sign("RBracket", "]");
export const LBrace = sign("LBrace", "{", { push_mode: "code" });
export const RBrace = sign("RBrace", "}", { pop_mode: true });
export const LParen = sign("LParen", "(");
export const RParen = sign("RParen", ")");
export const Comma = sign("Comma", ",");
export const Semicolon = sign("Semicolon", ";");
export const Dot = sign("Dot", ".");
export const Assign = sign("Assign", ":=");
export const Colon = sign("Colon", ":");
export const Equal = sign("Equal", "==", operator);
export const Unify = sign("Unify", "=");
export const NotEqual = sign("NotEqual", "!=", operator);
export const AtMost = sign("AtMost", "<=", operator);
export const Less = sign("Less", "<", operator);
export const AtLeast = sign("AtLeast", ">=", operator);
export const Greater = sign("Greater", ">", operator);
export const Plus = sign("Plus", "+", operator);
export const Minus = sign("Minus", "-", operator);
export const Times = sign("Times", "*", operator);
export const Divide = sign("Divide", "/", operator);
export const Remainder = sign("Remainder", "%", operator);
export const And = sign("And", "&", operator);
export const Or = sign("Or", "|", operator);

const digits = [..."0123456789"];

/** Everything that a reader takes for one number (`0a2b`, `1.`, `007`); `checkNumber` finds the fault. */
export const NumberLiteral = createToken({
  name: "NumberLiteral",
  label: "number",
  pattern: /[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]*)?[A-Za-z0-9_]*/,
  start_chars_hint: digits,
});
/** Up to the closing quote or, unclosed, the end of the line; `decodeString` judges it. */
export const StringLiteral = createToken({
  name: "StringLiteral",
  label: "string",
  pattern: /"(?:[^"\\\n]|\\[^\n])*(?:"|\\)?/,
  start_chars_hint: ['"'],
  line_breaks: false,
});
export const RawStringLiteral = createToken({
  name: "RawStringLiteral",
  label: "string",
  pattern: /`[^`]*`?/,
  start_chars_hint: ["`"],
  line_breaks: true,
});

export const TemplateOpen = createToken({
  name: "TemplateOpen",
  label: "template string",
  pattern: '$"',
  push_mode: "template",
});
export const RawTemplateOpen = createToken({
  name: "RawTemplateOpen",
  label: "template string",
  pattern: "$`",
  push_mode: "rawTemplate",
});
export const TemplateText = createToken({
  name: "TemplateText",
  label: "text",
  pattern: /(?:[^"\\{\n]|\\[^\n])+/,
  line_breaks: false,
});
export const RawTemplateText = createToken({
  name: "RawTemplateText",
  label: "text",
  pattern: /(?:[^`\\{]|\\\{?)+/,
  line_breaks: true,
});
export const TemplateClose = createToken({ name: "TemplateClose", label: '"', pattern: '"', pop_mode: true });
export const RawTemplateClose = createToken({ name: "RawTemplateClose", label: "`", pattern: "`", pop_mode: true });
/** A template string left open at the end of its line. */
export const TemplateBreak = createToken({
  name: "TemplateBreak",
  pattern: /\\?\n/,
  line_breaks: true,
  pop_mode: true,
});

/** Characters that begin no word of Rego. The lexer passes over them; `lexRego` puts them back. */
export const Illegal = createToken({ name: "Illegal", label: "illegal character", pattern: Lexer.NA });

export const Comment = createToken({
  name: "Comment",
  pattern: /#[^\n]*/,
  start_chars_hint: ["#"],
  line_breaks: false,
  group: "comments",
});
const Whitespace = createToken({ name: "Whitespace", pattern: /[ \t\r\n]+/, line_breaks: true, group: Lexer.SKIPPED });
/** Allowed, and meaningless, before the first character. */
const ByteOrderMark = createToken({
  name: "ByteOrderMark",
  pattern: {
    exec: (text: string, offset: number) => (offset === 0 && text.startsWith("\ufeff") ? /^\ufeff/.exec(text) : null),
  },
  start_chars_hint: ["\ufeff"],
  line_breaks: false,
  group: Lexer.SKIPPED,
});

const code: TokenType[] = [
  Whitespace,
  ...keywords,
  Identifier,
  ...[NumberLiteral, StringLiteral, RawStringLiteral, TemplateOpen, RawTemplateOpen, Comment],
  ...[Dot, Comma, LParen, RParen, LBracket, RBracket, LBrace, RBrace, Semicolon, Assign, Colon, Equal, Unify, NotEqual],
  ...[AtMost, Less, AtLeast, Greater, Plus, Minus, Times, Divide, Remainder, And, Or],
  ByteOrderMark,
];

const modes = {
  code,
  template: [TemplateText, LBrace, TemplateClose, TemplateBreak],
  rawTemplate: [RawTemplateText, LBrace, RawTemplateClose],
};

/** What the parser must know of: every type that the lexer gives, and the categories. */
export const vocabulary: TokenType[] = [
  ...new Set([
    Name,
    Keyword,
    InfixOperator,
    Illegal,
    LogicalAnd,
    LogicalOr,
    ...modes.code,
    ...modes.template,
    ...modes.rawTemplate,
  ]),
];

let lexer: Lexer | undefined;

/** Made on first use: a command that reads no Rego does not pay for it. */
export function regoLexer(): Lexer {
  lexer ??= new Lexer(
    { modes, defaultMode: "code" },
    { positionTracking: "onlyOffset", skipValidations: true, ensureOptimizations: false },
  );
  return lexer;
}

/** The words that cannot name a rule or variable by themselves. */
export const keywordNames: ReadonlySet<string> = new Set(keywords.map((type) => type.LABEL as string));

export function isKeyword(name: string): boolean {
  return keywordNames.has(name);
}

export function isKeywordOfV0(name: string): boolean {
  return keywordNames.has(name) && !v1Keywords.includes(name);
}

const keywordTypes: ReadonlySet<TokenType> = new Set([...keywords, LogicalAnd, LogicalOr]);

export function isKeywordToken(token: IToken): boolean {
  return keywordTypes.has(token.tokenType);
}

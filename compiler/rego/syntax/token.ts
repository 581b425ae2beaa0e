/**
 * The vocabulary of Rego: chevrotain's token types, and the lexer made of them. Whitespace is no token: every rule about it
 * (a part of a reference touches the part before it, a statement ends with its line) is a question of the text between
 * two tokens.
 *
 * The lexer has three modes: `code` is ordinary Rego; `template` and `rawTemplate` are the insides of `$"…"` and `` $`…` ``.
 * Every `{` enters `code` and every `}` leaves it again, so that the `}` which ends an interpolation returns to its string.
 */

import { createToken, EOF, type IToken, type ITokenConfig, Lexer, type TokenType } from "./chevrotain.ts";
import { isKeyword } from "./keywords.ts";

export type Token = IToken;

// ---- categories ----

/** What may stand behind a dot: an identifier, or any keyword. */
export const Name = createToken({ name: "Name", label: "name", pattern: Lexer.NA });
export const Keyword = createToken({ name: "Keyword", label: "keyword", pattern: Lexer.NA, categories: [Name] });
/** What joins two terms, `in`, `:=` and `=` aside. */
export const InfixOperator = createToken({ name: "InfixOperator", label: "operator", pattern: Lexer.NA });
/** `:=` and `=`. */
export const Assignment = createToken({ name: "Assignment", label: "assignment", pattern: Lexer.NA });

// ---- words ----

/** Digits of other scripts may follow the first letter, too; chevrotain's own patterns have no `u` flag. */
const word = /[A-Za-z_][A-Za-z0-9_\p{Nd}]*/uy;

export const Identifier = createToken({
  name: "Identifier",
  label: "identifier",
  pattern: {
    exec: (text: string, at: number): [string] | null => {
      word.lastIndex = at;
      return word.test(text) ? [text.slice(at, word.lastIndex)] : null;
    },
  },
  start_chars_hint: [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"],
  line_breaks: false,
  categories: [Name],
});

function keyword(text: string, more: Partial<ITokenConfig> = {}): TokenType {
  const name = `${text[0]?.toUpperCase()}${text.slice(1)}`;
  return createToken({ name, label: text, pattern: text, longer_alt: Identifier, categories: [Keyword], ...more });
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

const keywords = [
  ...[Package, Import, As, Default, Else, Not, Some, With],
  ...[Null, True, False, In, Every, Contains, If],
] as const;

/** Keywords only where a module imports them: the lexer gives identifiers, and the parser makes keywords of them. */
export const And = keyword("and", { name: "And", pattern: Lexer.NA });
export const Or = keyword("or", { name: "Or", pattern: Lexer.NA });

// ---- signs ----

function sign(name: string, pattern: string, more: Partial<ITokenConfig> = {}): TokenType {
  return createToken({ name, label: pattern, pattern, ...more });
}
const operator = { categories: [InfixOperator] };
const assignment = { categories: [Assignment] };

export const LBracket = sign("LBracket", "[");
export const RBracket = sign("RBracket", "]");
export const LBrace = sign("LBrace", "{", { push_mode: "code" });
export const RBrace = sign("RBrace", "}", { pop_mode: true });
export const LParen = sign("LParen", "(");
export const RParen = sign("RParen", ")");
export const Comma = sign("Comma", ",");
export const Semicolon = sign("Semicolon", ";");
export const Dot = sign("Dot", ".");
export const Assign = sign("Assign", ":=", assignment);
export const Colon = sign("Colon", ":");
export const Equal = sign("Equal", "==", operator);
export const Unify = sign("Unify", "=", assignment);
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
export const Intersection = sign("Intersection", "&", operator);
export const Bar = sign("Bar", "|", operator);

// ---- literals ----

/** Everything that a reader takes for one number (`0a2b`, `1.`, `007`); `checkNumber` finds the fault. */
export const NumberLiteral = createToken({
  name: "NumberLiteral",
  label: "number",
  pattern: /[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]*)?[A-Za-z0-9_]*/,
  start_chars_hint: [..."0123456789"],
});
/**
 * A token that ends where `endFrom` says, if that is behind its beginning. A regular expression with a repeated choice (a
 * character, or an escape) would need a stack as deep as a text has escapes.
 */
function scanned(name: string, endFrom: (text: string, at: number) => number, more: Partial<ITokenConfig>): TokenType {
  const exec = (text: string, at: number): [string] | null => {
    const end = endFrom(text, at);
    return end > at ? [text.slice(at, end)] : null;
  };
  return createToken({ name, pattern: { exec }, ...more });
}

const BACKSLASH = 92;
const LINE_FEED = 10;

const plain = { string: /[^"\\\n]*/y, template: /[^"{\\\n]*/y };

/** Where a text ends that `characters` and escapes make up; an escape stays on its line. */
function endOfText(text: string, from: number, characters: RegExp): number {
  for (let at = from; ; at += 2) {
    characters.lastIndex = at;
    characters.test(text);
    at = characters.lastIndex;
    if (text.charCodeAt(at) !== BACKSLASH) return at;
    if (at + 1 === text.length || text.charCodeAt(at + 1) === LINE_FEED) return at;
  }
}

/** Up to the closing quote or, unclosed, the end of the line; `decodeString` judges it. */
function endOfString(text: string, at: number): number {
  if (text[at] !== '"') return at;
  const end = endOfText(text, at + 1, plain.string);
  return text[end] === '"' || text[end] === "\\" ? end + 1 : end;
}

/** Up to a back-tick or a brace that no backslash escapes; a backslash before anything else is itself. */
function endOfRawText(text: string, from: number): number {
  let at = from;
  for (; at < text.length && text[at] !== "`" && text[at] !== "{"; at++)
    if (text[at] === "\\" && text[at + 1] === "{") at++;
  return at;
}

export const StringLiteral = scanned("StringLiteral", endOfString, {
  label: "string",
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

export const TemplateOpen = sign("TemplateOpen", '$"', { label: "template string", push_mode: "template" });
export const RawTemplateOpen = sign("RawTemplateOpen", "$`", { label: "template string", push_mode: "rawTemplate" });
export const TemplateText = scanned("TemplateText", (text, at) => endOfText(text, at, plain.template), {
  label: "text",
  line_breaks: false,
});
export const RawTemplateText = scanned("RawTemplateText", endOfRawText, { label: "text", line_breaks: true });
export const TemplateClose = sign("TemplateClose", '"', { pop_mode: true });
export const RawTemplateClose = sign("RawTemplateClose", "`", { pop_mode: true });
/** A template string left open at the end of its line. */
export const TemplateBreak = createToken({
  name: "TemplateBreak",
  label: "template break",
  pattern: /\\?\n/,
  line_breaks: true,
  pop_mode: true,
});

// ---- what the grammar does not read ----

/** Characters that begin no token. The lexer passes over them; `lexRego` puts them back. */
export const Illegal = createToken({ name: "Illegal", label: "illegal character", pattern: Lexer.NA });
const Comment = createToken({
  name: "Comment",
  pattern: /#[^\n]*/,
  start_chars_hint: ["#"],
  line_breaks: false,
  group: "comments",
});
const Whitespace = createToken({
  name: "Whitespace",
  pattern: /[ \t\r\n]+/,
  start_chars_hint: [..." \t\r\n"],
  line_breaks: true,
  group: Lexer.SKIPPED,
});

const code: TokenType[] = [
  ...[Whitespace, ...keywords, Identifier, NumberLiteral, StringLiteral, RawStringLiteral],
  ...[TemplateOpen, RawTemplateOpen, Comment],
  ...[Dot, Comma, LParen, RParen, LBracket, RBracket, LBrace, RBrace, Semicolon, Assign, Colon, Equal, Unify, NotEqual],
  ...[AtMost, Less, AtLeast, Greater, Plus, Minus, Times, Divide, Remainder, Intersection, Bar],
];
const template = [TemplateText, LBrace, TemplateClose, TemplateBreak];
const rawTemplate = [RawTemplateText, LBrace, RawTemplateClose];

/** Every type that the parser must know of, the categories included. */
export const vocabulary: TokenType[] = [
  ...new Set([Name, Keyword, InfixOperator, Assignment, Illegal, And, Or, ...code, ...template, ...rawTemplate]),
];

let lexer: Lexer | undefined;

/** Made on first use: a command that reads no Rego does not pay for it. */
export function regoLexer(): Lexer {
  lexer ??= new Lexer(
    { modes: { code, template, rawTemplate }, defaultMode: "code" },
    { positionTracking: "onlyOffset", skipValidations: true },
  );
  return lexer;
}

// ---- questions about tokens and words ----

/** The offset behind a token. */
export function endOf({ startOffset, image }: Token): number {
  return startOffset + image.length;
}

/** How a token is called in messages: keywords as keywords, literals by their kind, signs as themselves. */
export function describeToken(token: Token): string {
  const { tokenType, image } = token;
  if (tokenType === EOF) return "end of text";
  if (isKeywordToken(token)) return `\`${image}\` keyword`;
  if (tokenType === Identifier) return `identifier \`${image}\``;
  const label = tokenType.LABEL ?? tokenType.name;
  return label === image ? `\`${label}\` token` : label;
}

export function isKeywordToken({ tokenType }: Token): boolean {
  return tokenType.CATEGORIES?.[0] === Keyword;
}

/** Whether a token joins two terms, `in`, `:=` and `=` aside. */
export function isInfixOperator({ tokenType }: Token): boolean {
  return tokenType.CATEGORIES?.[0] === InfixOperator;
}

const textOfType = (type: TokenType): string => type.LABEL ?? type.name;

/** The keyword of a type that every module has; `undefined` for any other type. */
export function keywordOf(type: TokenType): string | undefined {
  const text = textOfType(type);
  return isKeyword(text) ? text : undefined;
}

const importedKeywords: ReadonlyMap<string, TokenType> = new Map(
  [Contains, Every, If, In, And, Or].map((type) => [textOfType(type), type]),
);

/** The keyword that a word becomes where a module imports it. (`not` is one anyhow: an import changes what it means.) */
export function importedKeyword(name: string): TokenType | undefined {
  return importedKeywords.get(name);
}

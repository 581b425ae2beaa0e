/**
 * The tokens of Rego. A sign or keyword is its own kind, so that the grammar reads `this.at("{")`; the other kinds have
 * names. Whitespace is no token: every rule about it (a part of a reference touches the part before it, a statement ends
 * with its line) is a question of what stands before a token.
 */

const KEYWORDS = [
  ...(["package", "import", "as", "default", "else", "not", "some", "with"] as const),
  ...(["null", "true", "false", "in", "every", "contains", "if"] as const),
] as const;

/** Keywords only where a module imports them. To the lexer they are identifiers; the parser makes keywords of them. */
type ImportedKeyword = "and" | "or";
export type Keyword = (typeof KEYWORDS)[number] | ImportedKeyword;

export type ClosingBracket = ")" | "]" | "}";
export type InfixOperator = "==" | "!=" | "<" | "<=" | ">" | ">=" | "+" | "-" | "*" | "/" | "%" | "&" | "|";
export type Sign = "(" | "[" | "{" | ClosingBracket | InfixOperator | "," | ";" | "." | ":" | ":=" | "=";

/**
 * Inside of a template string a text is one token. What opens and closes such a string is its own kind. One that is left
 * open at the end of its line ends with a `template break`.
 */
type TemplatePart = '$"' | "$`" | "template text" | "raw template text" | '"' | "`" | "template break";

export type TokenKind =
  | Keyword
  | Sign
  | TemplatePart
  | "identifier"
  | "number"
  | "string"
  | "raw string"
  | "illegal character"
  | "end of text";

export interface Token {
  /** The parser may change it: a keyword that a part of a reference touches is a name. */
  kind: TokenKind;
  readonly text: string;
  /** UTF-16 offsets. */
  readonly start: number;
  readonly end: number;
  /** What stands between the token before it and this one, comments aside. Before the first token stands a space at least. */
  readonly before: "nothing" | "space" | "line end";
}

/** How messages call kinds that are neither signs nor keywords, where their own names will not do. */
const LABELS: Readonly<Partial<Record<TokenKind, string>>> = {
  "raw string": "string",
  '$"': "template string",
  "$`": "template string",
  "template text": "text",
  "raw template text": "text",
};

/** How a token is called in messages: keywords as keywords, literals by their kind, signs as themselves. */
export function describeToken({ kind, text }: Token): string {
  if (isKeywordKind(kind)) return `\`${text}\` keyword`;
  if (kind === "identifier") return `identifier \`${text}\``;
  return LABELS[kind] ?? (kind === text ? `\`${kind}\` token` : kind);
}

const keywordKinds: ReadonlySet<TokenKind> = new Set<TokenKind>([...KEYWORDS, "and", "or"]);

export function isKeywordKind(kind: TokenKind): kind is Keyword {
  return keywordKinds.has(kind);
}

const keywordsByName: ReadonlyMap<string, Keyword> = new Map(KEYWORDS.map((word) => [word, word]));

/** The keyword that a word is in every module of v1. */
export function keywordOf(word: string): Keyword | undefined {
  return keywordsByName.get(word);
}

/** What v1 made keywords of every module; in v0 a module has to import them. */
export const v1Keywords = ["contains", "every", "if", "in"] as const;

const importedKeywords: ReadonlySet<string> = new Set<Keyword>([...v1Keywords, "and", "or"]);

/** Whether a word is a keyword where a module imports it. (`not` is one anyhow: an import changes what it means.) */
export function isImportedKeyword(word: string): word is Keyword {
  return importedKeywords.has(word);
}

/** Whether a word cannot name a rule or variable by itself. */
export function isKeyword(name: string): boolean {
  return keywordsByName.has(name);
}

export function isKeywordOfV0(name: string): boolean {
  return keywordsByName.has(name) && !(v1Keywords as readonly string[]).includes(name);
}

const infixOperators: ReadonlySet<TokenKind> = new Set<InfixOperator>([
  ...(["==", "!=", "<", "<=", ">", ">="] as const),
  ...(["+", "-", "*", "/", "%", "&", "|"] as const),
]);

/** Whether a token joins two terms, `in`, `:=` and `=` aside. */
export function isInfixOperator(kind: TokenKind): kind is InfixOperator {
  return infixOperators.has(kind);
}

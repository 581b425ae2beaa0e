/** The keywords of Rego, as words: what can name no rule and no variable. The tokens of them are in `token.ts`. */

/** What v1 made keywords of every module; in v0 a module has to import them. */
export const V1_KEYWORDS: readonly string[] = ["contains", "every", "if", "in"];
/** What a module of v2 has as well; in v1 a module has to import them. Without its import `not` says something else. */
export const V2_KEYWORDS: readonly string[] = ["and", "not", "or"];

const V0_KEYWORDS: ReadonlySet<string> = new Set([
  ...["package", "import", "as", "default", "else", "not", "some", "with"],
  ...["null", "true", "false"],
]);

/** Whether a word cannot name a rule or variable by itself. */
export function isKeyword(name: string): boolean {
  return V0_KEYWORDS.has(name) || V1_KEYWORDS.includes(name);
}

export function isKeywordOfV0(name: string): boolean {
  return V0_KEYWORDS.has(name);
}

/**
 * The one importer of chevrotain. Its entry point is several hundred small files (most of them lodash's), which take
 * longer to load than a policy takes to compile: 0.15 s and more. The package also ships itself as one file, though its
 * `exports` do not name it; where that can be found it is taken instead, in a tenth of the time.
 */

import type * as Chevrotain from "chevrotain";

async function load(): Promise<typeof Chevrotain> {
  try {
    const entry = import.meta.resolve("chevrotain");
    return (await import(new URL("../chevrotain.min.mjs", entry).href)) as typeof Chevrotain;
  } catch {
    return import("chevrotain");
  }
}

const chevrotain = await load();

export const { createToken, EmbeddedActionsParser, EOF, isRecognitionException, Lexer } = chevrotain;
export const { MismatchedTokenException } = chevrotain;
export type { ILexingError, IOrAlt, IToken, ITokenConfig, ParserMethod, TokenType } from "chevrotain";
export type MismatchedTokenException = Chevrotain.MismatchedTokenException;
export type Lexer = Chevrotain.Lexer;

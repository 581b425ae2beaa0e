/** The one importer of chevrotain: what the lexer and the grammar take of it. */

export {
  createToken,
  EmbeddedActionsParser,
  EOF,
  type ILexingError,
  type IOrAlt,
  type IRuleConfig,
  type IToken,
  type ITokenConfig,
  isRecognitionException,
  Lexer,
  MismatchedTokenException,
  type ParserMethod,
  type TokenType,
} from "chevrotain";

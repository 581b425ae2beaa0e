/**
 * The one importer of chevrotain. Its entry point is several hundred small files, which take longer to load than a policy
 * takes to compile; the package also ships itself as one file, which its `exports` do not name. The bundles and the test
 * suite take that.
 */

export {
  createToken,
  EmbeddedActionsParser,
  EOF,
  type ILexingError,
  type IOrAlt,
  type IToken,
  type ITokenConfig,
  isRecognitionException,
  Lexer,
  MismatchedTokenException,
  type ParserMethod,
  type TokenType,
} from "chevrotain";

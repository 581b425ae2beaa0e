/** Failures that are ours: a broken promise between two stages, never something a user wrote. */

/** Thrown when the compiler breaks its own rules. The command line reports it as an internal error, exit 2. */
export class InternalError extends Error {
  override readonly name = "InternalError";
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InternalError(message);
}

/** Ends every exhaustive switch: a forgotten kind is a type error first, and an InternalError at worst. */
export function unreachable(x: never): never {
  throw new InternalError(`unreachable: ${JSON.stringify(x)}`);
}

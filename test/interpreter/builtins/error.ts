/** A builtin that cannot answer: the call is undefined. */
export class BuiltinError extends Error {}

/** A builtin, or a part of one, that the reference interpreter lacks. */
export class MissingBuiltin extends Error {}

/** Builtins as a host supplies them: one by one by name, or as families that may need a clock or chance. */

import type { PlainValue } from "./plain-value.ts";
import type { JsonLike, JsonObject } from "./value.ts";

/**
 * A builtin of a family, over values in their exact form. `undefined` is Rego's undefined, and also stands for an error of
 * the builtin.
 */
export interface HostBuiltin {
  (args: readonly JsonLike[]): JsonLike | undefined;
  /** Operands, as texts of values, of a call that is made once, when a policy that calls the builtin is loaded: its first decision would wait for it. */
  readonly sample?: readonly string[] | undefined;
}

/** Builtins of a family, by OPA's name. */
export type BuiltinTable = Readonly<Record<string, HostBuiltin>>;

/**
 * A builtin of your own, over plain JavaScript values. `undefined` is Rego's undefined; to throw, or to give a value that Rego
 * does not have (a promise, NaN), is a fault that names the builtin.
 */
export type PlainBuiltin = (args: readonly PlainValue[]) => PlainValue | undefined;

/** Builtins of your own, by name. */
export type PlainBuiltins = Readonly<Record<string, PlainBuiltin>>;

/** Sources of answers that do not follow from the policy and its input. An absent one is not supplied. */
export interface HostSources {
  /** Nanoseconds since 1970: `() => BigInt(Date.now()) * 1_000_000n`. */
  readonly now?: (() => bigint) | undefined;
  /** That many random bytes: `(length) => crypto.getRandomValues(new Uint8Array(length))`. */
  readonly random?: ((length: number) => Uint8Array) | undefined;
  /** The value of `opa.runtime()`. */
  readonly runtime?: JsonObject | undefined;
}

/** The sources as builtins see them. INVARIANT: within one evaluation the clock stands still, and one call has one answer. */
export interface EvaluationSources extends HostSources {
  /** The answer to a call: `answer()` the first time in an evaluation, then the same. */
  once(call: string, answer: () => JsonLike | undefined): JsonLike | undefined;
}

/**
 * What sources answered in one evaluation, by call: the builtin's name, a space, and its operands as a list of JSON:
 * `time.now_ns []`, `rand.intn ["dice",6]`.
 */
export type Answers = ReadonlyMap<string, JsonLike | undefined>;

/** A family of `@portcullis/builtins`, or of your own: the builtins that the host's sources make possible. */
export type BuiltinFamily = (sources: EvaluationSources) => BuiltinTable;

/** A builtin that the module calls, as the host supplies it. */
export interface SuppliedBuiltin {
  readonly name: string;
  /** Over value texts, as modules write and read them. Throws whatever the builtin does. */
  readonly call: (args: readonly string[]) => string | undefined;
}

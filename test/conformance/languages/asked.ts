/** A case of another engine's suite, and what both OPA and we answer to it. */

import { builtins } from "@portcullis/builtins";
import { query } from "../../../compiler/rego/index.ts";

export interface Asked {
  /** Unique within all suites: suite, file, name of the case. */
  readonly note: string;
  readonly modules: Readonly<Record<string, string>>;
  readonly data?: unknown;
  /** One answer for each; none: the query has no input. */
  readonly inputs: readonly unknown[];
  readonly query: string;
  readonly want: Want;
}

/** A solution is its bindings where the query has variables; else the value of its expression, a list of values where there are several. */
export type Want =
  | { readonly kind: "solutions"; readonly solutions: readonly unknown[] }
  /** `undefinedToo`: an error of a builtin under OPA's strict mode, which makes a rule undefined without it. */
  | { readonly kind: "error"; readonly undefinedToo?: boolean };

export type Answer =
  | { readonly kind: "solutions"; readonly solutions: readonly unknown[] }
  | { readonly kind: "error"; readonly message: string };

export interface Solution {
  readonly bindings?: { readonly [variable: string]: unknown };
  readonly expressions: readonly { readonly value: unknown }[];
}

export function solutionOf({ bindings = {}, expressions }: Solution): unknown {
  if (Object.keys(bindings).length > 0) return bindings;
  const values = expressions.map(({ value }) => value);
  return values.length === 1 ? values[0] : values;
}

const sources = {
  now: () => BigInt(Date.now()) * 1_000_000n,
  random: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
};

/** The first error ends the answer, whatever other inputs give. */
export async function ourAnswer({ modules, data, inputs, query: text }: Asked): Promise<Answer> {
  const solutions: unknown[] = [];
  for (const input of inputs.length === 0 ? [undefined] : inputs) {
    const { result, diagnostics, fault } = await query({
      query: text,
      modules,
      load: { builtins, sources },
      ...(data === undefined || data === null ? {} : { data: data as never }),
      ...(input === undefined ? {} : { input }),
    });
    if (result === undefined) {
      const message = fault?.message ?? diagnostics.find(({ severity }) => severity === "error")?.message;
      return { kind: "error", message: message ?? "no result, and no error" };
    }
    solutions.push(...result.map(solutionOf));
  }
  return { kind: "solutions", solutions };
}

/** `undefined` where the answer is what the case wants. */
export function difference({ want }: Asked, answer: Answer): string | undefined {
  if (answer.kind === "error")
    return want.kind === "error" ? undefined : `error ${answer.message}, wanted ${text(want.solutions)}`;
  const { solutions } = answer;
  if (want.kind === "error")
    return want.undefinedToo === true && solutions.length === 0 ? undefined : `${text(solutions)}, wanted an error`;
  return text(solutions) === text(want.solutions) ? undefined : `${text(solutions)}, wanted ${text(want.solutions)}`;
}

/** Solutions have no order. */
export function text(solutions: readonly unknown[]): string {
  return `[${solutions
    .map((one) => JSON.stringify(sorted(one)))
    .sort()
    .join(",")}]`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}

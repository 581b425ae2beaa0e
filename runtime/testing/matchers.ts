/** Matchers of decisions for `expect.extend`, of vitest or of anything with the same protocol. */

import type { Decision } from "../governance/index.ts";

/** What a denial must say; what is left out may be anything. */
export interface ExpectedDenial<Gate extends string = string, Reason extends string = string> {
  /** The gate that denies. */
  readonly gate?: Exclude<Gate, "ALLOW">;
  /** Why it denies. */
  readonly reason?: Reason;
}

/**
 * The matchers as `expect(decision)` shows them:
 *
 *     declare module "vitest" {
 *       interface Matchers<T> extends DecisionMatchers<T> {}
 *     }
 */
export interface DecisionMatchers<Received> {
  /** The decision is an allow, and nothing else. */
  toAllow(): void;
  /** The decision is a denial; by this gate and for this reason, where they are given. */
  toDeny(
    expected?: Received extends {
      readonly gate: infer Gate extends string;
      readonly reason: infer Reason extends string;
    }
      ? ExpectedDenial<Gate, Reason>
      : ExpectedDenial,
  ): void;
}

/** What a matcher says. */
export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/**
 * `expect.extend(decisionMatchers)`. Both throw TypeError for any other value, `undefined` included, also behind `not`: a
 * test that was handed no decision has shown nothing.
 */
export const decisionMatchers = {
  toAllow(received: unknown): MatcherResult {
    const decision = decisionOf(received);
    const pass = decision.allowed === true;
    return { pass, message: () => `expected ${pass ? "a denial" : "an allow"}, and it is ${said(decision)}` };
  },

  toDeny(received: unknown, expected: ExpectedDenial = {}): MatcherResult {
    const decision = decisionOf(received);
    const { gate, reason } = expected;
    const pass =
      decision.allowed === false &&
      (gate === undefined || decision.gate === gate) &&
      (reason === undefined || decision.reason === reason);
    const wanted = ["a denial", gate && `by ${gate}`, reason && `for "${reason}"`].filter(Boolean).join(" ");
    return { pass, message: () => `expected ${pass ? "not " : ""}${wanted}, and it is ${said(decision)}` };
  },
};

function decisionOf(received: unknown): Decision {
  const { allowed, gate, reason } = (received ?? {}) as { readonly [name: string]: unknown };
  const isWhole = typeof allowed === "boolean" && typeof gate === "string" && typeof reason === "string";
  if (!isWhole || (allowed === true) !== (gate === "ALLOW")) throw new TypeError("what was received is no decision");
  return received as Decision;
}

function said({ allowed, gate, reason }: Decision): string {
  return allowed === true ? `an allow: "${reason}"` : `a denial by ${gate}: "${reason}"`;
}

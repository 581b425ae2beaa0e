/** Small pools of ids that policies and requests share, so that they often meet, and what is drawn from them. */

import fc from "fast-check";

export type Arb<T> = fc.Arbitrary<T>;

export const awkward = ["__proto__", "constructor", "hasOwnProperty", "1", "true", "null", ""];
export const roleIds = ["R0", "R1", "R2", ...awkward];
export const laneIds = ["L0", "L1", "L2", ...awkward];
export const toolIds = ["t.a", "t.b", "t.c", "t.d", ...awkward];
export const agentKeys = ["P", "Q_R", "A", "B_1", "constructor", "1"];
export const types = ["lead", "work", "idle", "Lead", "constructor"];

/** Early ones of the pool more often. */
export function from<T>(pool: readonly T[]): Arb<T> {
  return fc.oneof(fc.constantFrom(...pool.slice(0, 3)), fc.constantFrom(...pool));
}

/** An object over some keys of a pool. `Object.fromEntries` makes own fields even of `__proto__`. */
export function table<T>(pool: readonly string[], values: Arb<T>, most = pool.length): Arb<{ [key: string]: T }> {
  return fc
    .uniqueArray(fc.tuple(from(pool), values), { selector: (pair) => pair[0], maxLength: most })
    .map((pairs) => Object.fromEntries(pairs));
}

export const names = (pool: readonly string[]): Arb<{ [key: string]: true }> => table(pool, fc.constant(true as const));

/** At most one name, and often none. */
export const few = (pool: readonly string[]): Arb<{ [key: string]: true }> =>
  table(pool, fc.constant(true as const), 1);

export const tables = ["log", "book", "__proto__"];
export const writeModes = ["append", "upsert", "constructor"];
export const scopeKeys = ["k", "n", "__proto__"];
export const flagNames = ["loud", "bulk", "constructor"];

export const agentTexts = ["P", "Q-R", "Q_R", "A", "B-1", "Z"];

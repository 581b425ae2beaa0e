/** What a build of the host's side is asked: one question each, in a process that goes on afterwards. */
import { isDeepStrictEqual } from "node:util";
import type { Policy } from "@portcullis/runtime";
import type { Fixtures } from "./fixtures.ts";

export interface Check {
  readonly what: string;
  /** Throws, or rejects, where the answer is wrong. */
  readonly run: () => unknown;
}

/** What the questions are about. */
export interface Asked {
  readonly fixtures: Fixtures;
  /** The example's. */
  readonly policy: Policy;
}

/** What a battery's module exports. */
export interface Battery {
  checks(asked: Asked): readonly Check[];
}

/** A member that is `undefined` is an absent one. */
export function same(what: string, found: unknown, expected: unknown): void {
  if (isDeepStrictEqual(present(found), present(expected))) return;
  throw new Error(`${what}: ${JSON.stringify(found)} for ${JSON.stringify(expected)}`);
}

function present(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(present);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, present(member)]));
}

/** The first wrong answer; nothing where all are right. Moves the check that found it to the front, for the next build. */
export async function firstWrong(
  checks: readonly Check[],
  order: string[] = [],
  asked: () => void = () => {},
): Promise<string | undefined> {
  const first = order.flatMap((what) => checks.filter((check) => check.what === what));
  for (const check of [...first, ...checks.filter((one) => !first.includes(one))]) {
    try {
      asked();
      await check.run();
    } catch (error) {
      order.splice(0, order.length, check.what, ...order.filter((what) => what !== check.what));
      return `${check.what}: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
  return undefined;
}

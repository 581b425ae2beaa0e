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

export function same(what: string, found: unknown, expected: unknown): void {
  if (isDeepStrictEqual(found, expected)) return;
  throw new Error(`${what}: ${JSON.stringify(found)} for ${JSON.stringify(expected)}`);
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

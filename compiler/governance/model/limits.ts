/** What limits.yaml says, read. */

import type { Named } from "./model.ts";

/** Days of the week, as limits name them; Monday is the first. */
export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

const UNITS: { readonly [unit: string]: number } = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A window in milliseconds; `undefined` for a text that says none. */
export function windowOf(text: string): number | undefined {
  const [, count, unit] = /^([0-9]+)([smhd])$/.exec(text) ?? [];
  const time = Number(count) * (UNITS[unit ?? ""] ?? Number.NaN);
  return Number.isNaN(time) ? undefined : time;
}

export interface CallLimit {
  readonly id: Named;
  /** Which calls it is about; without a list, any. */
  readonly calls: { readonly [list in LimitList]?: readonly Named[] | undefined };
  /** `role`, `lane`, `tool`, `session` or `scope.NAME`. */
  readonly per: readonly Named[];
  readonly maxCalls: number | undefined;
  readonly maxSum: { readonly of: Named; readonly atMost: number } | undefined;
  /** The window of `maxCalls` and `maxSum`; `undefined`: as long as the session, or for ever. */
  readonly withinMs: number | undefined;
  readonly onlyAfter: { readonly tools: readonly Named[]; readonly withinMs: number | undefined } | undefined;
  readonly neverAfter: { readonly tools: readonly Named[] } | undefined;
  readonly onlyDuring: Hours | undefined;
}

export type LimitList = "tools" | "roles" | "lanes";

export interface Hours {
  readonly days: readonly string[];
  /** In minutes since midnight. */
  readonly from: number;
  readonly to: number;
  readonly zone: Named;
}

/** Denials of processes that were killed, against a naive log: each has a reason in it, within a bucket. */

import { type Call, type NaiveLimit, NaiveLog } from "./naive-log.ts";

/** One line of a process's log. Times are of the machine's clock, which the store has, too. */
export type Line = Call & { readonly own: string } & (
    | { readonly kind: "asks"; readonly at: number }
    /** Written before the tool would run. */
    | { readonly kind: "allowed"; readonly now: number }
    /** The tool has succeeded, and the store is told so next. */
    | { readonly kind: "commits"; readonly now: number }
    /** By limits; `end`: what was reserved all the same, as for an order that is not kept, has been given back by then. */
    | { readonly kind: "denied"; readonly now: number; readonly end?: number }
    /** By another gate, in the same way. */
    | { readonly kind: "released"; readonly now: number; readonly end: number }
  );

/** A call that counts, or may count. */
interface Counted extends Call {
  readonly line: Line;
  /** The earliest and the latest time at which it was reserved. */
  readonly from: number;
  readonly to: number;
  /** When it was given back, at the latest. */
  readonly end?: number;
  /** When the store knew that it has succeeded, at the latest. */
  readonly succeeded?: number;
}

export interface Explained {
  readonly denied: number;
  /** Denials that a log without buckets, and without calls whose fate is not known, would have let through. */
  readonly heldBack: number;
  /** Calls that may have been reserved: their process was killed. */
  readonly unknown: number;
  /** Denials without a reason. */
  readonly wrong: readonly Line[];
}

/** `ended`: when each process was surely dead. */
export function explained(
  limits: readonly NaiveLimit[],
  lines: readonly Line[],
  ended: ReadonlyMap<string, number>,
): Explained {
  const byProcess = grouped(lines, ({ own }) => own);
  const counted = [...byProcess].flatMap(([own, made]) => countedOf(made, ended.get(own) ?? Number.POSITIVE_INFINITY));
  const byKey = grouped(counted, ({ who }) => who);
  const denials = lines.filter((line) => line.kind === "denied");
  const excess = (line: Line & { now: number }, known: readonly Counted[], slack: 0 | "bucket"): string | undefined => {
    const log = new NaiveLog(limits);
    for (const { from, to, end = Number.POSITIVE_INFINITY, succeeded, ...call } of known) {
      if (call.line === line || from > line.now || end < line.now) continue;
      const entry = log.add(call, Math.min(to, line.now));
      if (succeeded !== undefined && succeeded <= line.now) entry.succeeded = [from, succeeded];
    }
    return log.excess(line, line.now, slack);
  };
  const all = (line: Line): readonly Counted[] => byKey.get(line.who) ?? [];
  const sure = (line: Line): readonly Counted[] =>
    all(line).filter(({ from, to, end }) => from === to && end === undefined);
  return {
    denied: denials.length,
    heldBack: denials.filter((line) => excess(line, sure(line), 0) === undefined).length,
    unknown: counted.filter(({ from, to }) => from !== to).length,
    wrong: denials.filter((line) => excess(line, all(line), "bucket") === undefined),
  };
}

/** What one process has reserved, and may have. */
function countedOf(lines: readonly Line[], ended: number): Counted[] {
  return lines.flatMap((line, i): Counted[] => {
    const { tool, of, who } = line;
    const call = { line, tool, of, who };
    const next = lines[i + 1];
    switch (line.kind) {
      case "asks":
        return next === undefined ? [{ ...call, from: line.at, to: ended }] : [];
      case "denied":
      case "released":
        return line.end === undefined ? [] : [{ ...call, from: line.now, to: line.now, end: line.end }];
      case "allowed": {
        const after = next?.kind === "commits" ? lines[i + 2] : undefined;
        const succeeded = after?.kind === "asks" ? { succeeded: after.at } : {};
        return [{ ...call, from: line.now, to: line.now, ...succeeded }];
      }
      default:
        return [];
    }
  });
}

function grouped<T>(items: readonly T[], key: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const found = new Map<string, T[]>();
  for (const item of items) found.set(key(item), [...(found.get(key(item)) ?? []), item]);
  return found;
}

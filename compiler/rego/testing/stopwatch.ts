/**
 * How often each expression was evaluated, and for how long. The time of an expression runs from its report to the next one, of
 * whatever expression: what it calls is counted where it stands. A report itself costs about a microsecond, and is in the time
 * of the expression that was reported.
 */

import type { Span } from "../diagnostics/index.ts";

/** An expression that was evaluated. */
export interface ExpressionProfile {
  readonly location: { readonly file: string; readonly row: number; readonly col: number };
  readonly text: string;
  /** How often it was evaluated. */
  readonly num_eval: number;
  /** Nanoseconds from its reports to the next ones. */
  readonly total_time_ns: number;
}

export class Stopwatch {
  private readonly counts: number[] = [];
  private readonly times: number[] = [];
  private current = -1;
  private since = 0;

  /** The builtin that a marked module calls. */
  readonly reached = ([place]: readonly unknown[]): boolean => {
    const number = Number(place);
    this.counts[number] = (this.counts[number] ?? 0) + 1;
    this.turn(number);
    return true;
  };

  /** Forgets what was heard while the module was loaded. */
  start(): void {
    this.counts.length = 0;
    this.times.length = 0;
    this.current = -1;
    this.since = performance.now();
  }

  stop(): void {
    this.turn(-1);
  }

  profile(places: readonly Span[]): ExpressionProfile[] {
    return places
      .flatMap(({ file, start, end }, i) => {
        const { line: row, column: col } = file.positionAt(start);
        const num_eval = this.counts[i] ?? 0;
        const total_time_ns = Math.round((this.times[i] ?? 0) * 1e6);
        const text = file.text.slice(start, end);
        return num_eval === 0 ? [] : [{ location: { file: file.name, row, col }, text, num_eval, total_time_ns }];
      })
      .sort((a, b) => b.total_time_ns - a.total_time_ns);
  }

  private turn(next: number): void {
    const now = performance.now();
    if (this.current >= 0) this.times[this.current] = (this.times[this.current] ?? 0) + now - this.since;
    this.current = next;
    this.since = now;
  }
}

/** Times in milliseconds: which ones are some, and waiting. */

import type { PlatformAbortSignal } from "../platform.ts";

/** Timers take no longer times, and fire at once for them. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** Calls back after any time, until it is told not to. Keeps no process alive. */
export function after(milliseconds: number, call: () => void): () => void {
  let left = milliseconds;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (): void => {
    const step = Math.min(left, LONGEST_TIMER);
    left -= step;
    timer = setTimeout(() => (left > 0 ? wait() : call()), step);
    (timer as { unref?: () => void }).unref?.();
  };
  wait();
  return () => clearTimeout(timer);
}

/** Resolves after a time. The timer keeps no process alive. */
export function elapsed(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void after(milliseconds, resolve));
}

/** Resolves after a time, or at once when the signal says so. The timer keeps no process alive. */
export function sleep(milliseconds: number, signal: PlatformAbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      stop();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const stop = after(milliseconds, done);
    signal.addEventListener("abort", done);
  });
}

/** A time that one timer takes. Throws RangeError. */
export function timerLimit(name: string, milliseconds: number, least = 0): number {
  if (milliseconds >= least && milliseconds <= LONGEST_TIMER) return milliseconds;
  throw new RangeError(`\`${name}\` is a time from ${least} to ${LONGEST_TIMER}`);
}

/** Throws RangeError for a size out of range: a limit of NaN would limit nothing. */
export function sizeLimit(name: string, bytes: number): number {
  if (bytes > 0 && Number.isFinite(bytes)) return bytes;
  throw new RangeError(`\`${name}\` is a number above zero`);
}

/** Throws RangeError for a time out of range. */
export function staleLimit(milliseconds: number | undefined): number | undefined {
  if (milliseconds === undefined || milliseconds > 0) return milliseconds;
  throw new RangeError("`staleAfter` is a number above zero");
}

/** The history of calls in the memory of one process. It ends with the process: a new one begins without any. */

import { holdOptions, type OptionTable } from "../options.ts";
import type { KeyState } from "./key-state.ts";
import { commitIn, type HistoryTable, isAwaited, type Mark, releaseIn, reservationOf, reserveIn } from "./ledger.ts";
import type { HistoryRequest, HistoryStore } from "./store.ts";
import { storeTime } from "./store-clock.ts";

/** How large it may become, and what time it is. */
export interface MemoryHistoryOptions {
  /** Keys that are kept at most, each up to 1.6 KB; with more, calls are denied until some have expired. Default 65,536. */
  readonly maxKeys?: number;
  /** Milliseconds since 1970; default `Date.now`. */
  readonly clock?: () => number;
}

const MEMORY_HISTORY_OPTIONS: OptionTable = { maxKeys: "number", clock: "function" };

/** Entries that are looked at in passing, a call: more than a call adds, so that what has expired does not pile up. */
const SWEPT = 4;
const SWEPT_FULL = 1024;

/**
 * A store of history for one process. What is in a window expires with it; what has none stays, and is counted by `maxKeys`.
 * Throws TypeError for an option that there is not or of another type.
 */
export function memoryHistory(options: MemoryHistoryOptions = {}): HistoryStore {
  holdOptions(options, MEMORY_HISTORY_OPTIONS);
  const { maxKeys = 65_536, clock = Date.now } = options;
  const table = new MemoryTable();
  return {
    reserve(request) {
      const now = clock();
      table.sweep(now, SWEPT);
      const isFull = (): boolean => table.size + request.limits.length + 2 > maxKeys;
      if (isFull()) table.sweep(now, SWEPT_FULL);
      if (isFull() && table.grows(request)) throw new Error(`the history has ${table.size} keys, and takes no more`);
      const reserved = reserveIn(table, request, now);
      return reservationOf(reserved, {
        commit: () => {
          if (isAwaited(reserved)) commitIn(table, reserved, clock());
        },
        release: () => releaseIn(table, reserved, clock()),
      });
    },
  };
}

class MemoryTable implements HistoryTable {
  latest = 0;
  private readonly limits = new Map<string, KeyState>();
  private readonly marks = new Map<string, Mark>();
  private walks: Iterator<[string, { readonly expires?: number | undefined }]>[] = [];

  get size(): number {
    return this.limits.size + this.marks.size;
  }

  limit(key: string): KeyState | undefined {
    return this.limits.get(key);
  }

  mark(kind: string, digest: string): Mark | undefined {
    return this.marks.get(`${kind}-${digest}`);
  }

  setLimit(key: string, state: KeyState | undefined): void {
    if (state === undefined) this.limits.delete(key);
    else this.limits.set(key, state);
  }

  setMark(kind: string, digest: string, mark: Mark | undefined): void {
    if (mark === undefined) this.marks.delete(`${kind}-${digest}`);
    else this.marks.set(`${kind}-${digest}`, mark);
  }

  grows({ limits, nonce }: HistoryRequest): boolean {
    return nonce !== undefined || limits.some(({ key }) => !this.limits.has(key));
  }

  /** Looks at some entries, each time at the next ones, and drops those that have expired. */
  sweep(clock: number, count: number): void {
    const { latest, isBack } = storeTime(clock, this.latest);
    this.latest = latest;
    if (isBack) return;
    const maps: readonly Map<string, { readonly expires?: number | undefined }>[] = [this.limits, this.marks];
    maps.forEach((map, i) => {
      for (let n = 0; n < count; n++) {
        const walk = (this.walks[i] ??= map.entries());
        const { value, done } = walk.next();
        if (done === true) {
          delete this.walks[i];
          return;
        }
        const [name, { expires }] = value;
        if (expires !== undefined && expires < latest) map.delete(name);
      }
    });
  }
}

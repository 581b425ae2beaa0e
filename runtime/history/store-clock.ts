/** The clock of a store. It never goes back: what has left a window would be forgotten, and that window be counted once more. */

/** A clock that goes back by at most this many milliseconds stands still instead. */
const STANDS_STILL_MS = 1000;

export interface StoreTime {
  /** For facts, in whole milliseconds since 1970. */
  readonly now: number;
  /** The latest time that was ever seen. */
  readonly latest: number;
  /** The clock went back: what windows say is not known until it has caught up. */
  readonly isBack: boolean;
}

/** The time of a store. Throws for a clock that gives no time. */
export function storeTime(clock: number, latest: number): StoreTime {
  const now = Math.floor(clock);
  if (!Number.isSafeInteger(now) || now < 0) throw new Error("the clock gives no time");
  if (now >= latest) return { now, latest: now, isBack: false };
  return latest - now <= STANDS_STILL_MS ? { now: latest, latest, isBack: false } : { now, latest, isBack: true };
}

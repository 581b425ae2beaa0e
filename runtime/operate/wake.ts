/** Messages that say "look now". INVARIANT: whatever is sent, and by anybody, they cause at most one check a second. */

import { after } from "./times.ts";

/**
 * Messages that say "look now", such as those of a channel of Redis: called once with what to call for each message; what it gives
 * ends it. A message is believed in nothing else: one that is lost, repeated or invented costs a check, and at most one a second.
 */
export type Wake = (look: () => void) => WakeEnd | undefined | Promise<WakeEnd | undefined>;
/** Ends the messages. */
export type WakeEnd = () => unknown;

/** Milliseconds. */
const BETWEEN_CHECKS = 1000;

export class Wakes {
  private readonly onWake: () => void;
  /** Set while a check that a message asked for waits for its time. */
  private stopTimer: (() => void) | undefined;
  private last = Number.NEGATIVE_INFINITY;
  private end: WakeEnd | undefined;
  private isClosed = false;

  constructor(onWake: () => void) {
    this.onWake = onWake;
  }

  /** Where messages cannot be had, the source's own times are left. Never rejects. */
  async listen(wake: Wake): Promise<void> {
    try {
      const end = await wake(() => this.woken());
      if (this.isClosed) await end?.();
      else this.end = end;
    } catch {
      // As above.
    }
  }

  private woken(): void {
    if (this.stopTimer !== undefined || this.isClosed) return;
    this.stopTimer = after(Math.max(0, this.last + BETWEEN_CHECKS - performance.now()), () => {
      this.stopTimer = undefined;
      this.last = performance.now();
      this.onWake();
    });
  }

  close(): void {
    this.isClosed = true;
    this.stopTimer?.();
    const { end } = this;
    this.end = undefined;
    if (end !== undefined)
      void Promise.resolve()
        .then(end)
        .catch(() => {});
  }
}

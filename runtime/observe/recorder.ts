/** How a log of this package and the policies that it listens to work together. */

import type { DecisionEvent } from "./decision-event.ts";

/** Under this name a listener has its Recorder. A second copy of the package knows it, too. */
export const RECORDER = Symbol.for("@portcullis/runtime recorder");

export interface Recorder {
  /** Makes room for an event. Throws without room. The function that it returns puts the event there, and cannot fail. */
  prepare(event: DecisionEvent): () => void;
  /** A policy that it listens to. */
  follow(source: EventSource): void;
  /** Events that it was told of, and has lost. */
  lost(): number;
  /** Events that wait to be written, and attempts to write some that failed. A recorder of an older copy of the package lacks it. */
  queue?(): { readonly pending: number; readonly failures: number };
}

/** What a log has not been told of, except by counts. */
export interface Untold {
  /** Events that were lost. */
  readonly dropped: number;
  /** Decisions that were denied because they could not be recorded. */
  readonly refused: number;
}

export interface EventSource {
  /** Since the last event that it handed over. One object, which outlives the source. */
  readonly untold: Untold;
  /** Hands over what is pending, now. */
  flush(): void;
}

export function recorderOf(listener: unknown): Recorder | undefined {
  return (listener as { readonly [RECORDER]?: Recorder })[RECORDER];
}

/** The policies that a log listens to. One that is gone has nothing pending, as its timer would hold it, but counts. */
export class EventSources {
  private readonly sources = new Map<WeakRef<EventSource>, Untold>();
  /** What those that are gone have counted. */
  private readonly gone = { dropped: 0, refused: 0 };

  add(source: EventSource): void {
    for (const [known, untold] of this.sources) {
      if (known.deref() !== undefined) continue;
      this.sources.delete(known);
      this.gone.dropped += untold.dropped;
      this.gone.refused += untold.refused;
    }
    this.sources.set(new WeakRef(source), source.untold);
  }

  /** Asks each for what is pending. */
  drain(): void {
    for (const source of this.sources.keys()) source.deref()?.flush();
  }

  /** What no event has said. A log that ends says so itself. */
  untold(): Untold {
    const all = [this.gone, ...this.sources.values()];
    return {
      dropped: all.reduce((sum, { dropped }) => sum + dropped, 0),
      refused: all.reduce((sum, { refused }) => sum + refused, 0),
    };
  }
}

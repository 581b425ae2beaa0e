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
}

export interface EventSource {
  /** Hands over what is pending, now. */
  flush(): void;
}

export function recorderOf(listener: unknown): Recorder | undefined {
  return (listener as { readonly [RECORDER]?: Recorder })[RECORDER];
}

/** The policies that a log listens to. A policy that is gone has nothing pending: its timer would hold it. */
export class EventSources {
  private readonly sources = new Set<WeakRef<EventSource>>();

  add(source: EventSource): void {
    for (const known of this.sources) if (known.deref() === undefined) this.sources.delete(known);
    this.sources.add(new WeakRef(source));
  }

  /** Asks each for what is pending. */
  drain(): void {
    for (const source of this.sources) source.deref()?.flush();
  }
}

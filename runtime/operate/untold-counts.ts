/** What was lost on the way to a log, until a line says so. */

import type { DecisionEvent, Untold } from "../observe/index.ts";

export const NOTHING: Untold = { dropped: 0, refused: 0 };

/** What an event says of those before it. */
export function countsOf({ dropped = 0, refused = 0 }: DecisionEvent): Untold {
  return { dropped, refused };
}

export class UntoldCounts {
  private dropped = 0;
  private refused = 0;

  sum(): Untold {
    return { dropped: this.dropped, refused: this.refused };
  }

  /** An event that will not be written, and what it said. */
  lose(event: Untold): void {
    this.add(event);
    this.dropped++;
  }

  add({ dropped, refused }: Untold): void {
    this.dropped += dropped;
    this.refused += refused;
  }

  /** A line has said so. */
  take({ dropped, refused }: Untold): void {
    this.dropped -= dropped;
    this.refused -= refused;
  }
}

import { createHash } from "node:crypto";
import { SEED } from "../campaign.ts";

export interface Change {
  readonly operation: string;
  readonly written: string;
  /** The whole of the line where it begins. */
  readonly on: string;
  readonly to: string;
}

/**
 * Whether a change is among about one in `share`, which the seed and its own line choose: what is written above or below it changes
 * nothing.
 */
export function isChosen(file: string, { operation, written, on, to }: Change, share: number): boolean {
  const drawn = createHash("sha256")
    .update(JSON.stringify([SEED, file, operation, written, on, to]))
    .digest();
  return drawn.readUInt32LE() % share === 0;
}

/** The keys of a static record, the same in all of its copies: objects that an evaluation makes. */

import { type RecordMaker, recordMaker } from "./record-makers.ts";

/** Answers of one kind that are found again: as many as a policy has agents, or nearly so. A power of two. */
export const RECENT_RECORDS = 2048;

interface SharedRecord {
  readonly values: readonly number[];
  readonly object: unknown;
}

export class RecordKeys {
  /** As names of properties, which engines store under sooner than under other strings of the same text. */
  readonly keys: readonly string[];
  /** Whether all keys can be assigned like any other. */
  readonly plain: boolean;
  readonly make: RecordMaker;
  /** Some of those that were read, by their values. */
  readonly recent = new Array<SharedRecord | undefined>(RECENT_RECORDS);
  /** The last value of each key that is the policy's own: its address, and the value. */
  readonly lastAddresses: number[];
  readonly lastValues: unknown[];

  constructor(texts: readonly string[]) {
    const keys = texts.flatMap((text) => Object.keys({ [text]: 0 }));
    this.keys = keys;
    this.plain = !keys.includes("__proto__");
    this.make = recordMaker(keys);
    this.lastAddresses = keys.map(() => -1);
    this.lastValues = keys.map(() => undefined);
  }
}

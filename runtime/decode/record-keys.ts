/** The keys of a static record, the same in all of its copies: objects that an evaluation makes. */

import { type RecordMaker, recordMaker } from "./record-makers.ts";

/** Answers of one kind that are found again: as many as a policy has agents, or nearly so. A power of two. */
export const RECENT_RECORDS = 2048;

export interface RecordKeys {
  readonly keys: readonly string[];
  readonly make: RecordMaker;
  /** Some of those that were read, by their values. */
  readonly recent: ({ readonly values: readonly number[]; readonly object: unknown } | undefined)[];
}

/** `null` where a key cannot be assigned like any other. */
export function recordKeys(texts: readonly string[]): RecordKeys | null {
  // As names of properties, which engines store under sooner than under other strings of the same text.
  const keys = texts.flatMap((text) => Object.keys({ [text]: 0 }));
  if (keys.includes("__proto__")) return null;
  return { keys, make: recordMaker(keys), recent: new Array(RECENT_RECORDS) };
}

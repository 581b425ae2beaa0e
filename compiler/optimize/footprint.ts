/**
 * The read set of an entrypoint: which paths of the input its rules can read. The runtime hands over those and nothing
 * else. A value is handed over in part if rules only look constant keys up in it, iterate over its elements, or test its type;
 * otherwise whole.
 */

export interface Footprint {
  /** Everything below is needed. */
  whole: boolean;
  /** The footprints of its members, by constant keys. */
  readonly members: Map<string, Footprint>;
  /** The footprint of every element, if a rule iterates over them; an object with `members` as well is then needed whole. */
  each: Footprint | undefined;
  /**
   * A hint: a string there may meet one of the policy's, so it is worth looking up among these. Wrong, it costs time: a
   * string that was not looked up is compared by its bytes.
   */
  lookUp: boolean;
}

export function emptyFootprint(): Footprint {
  return { whole: false, lookUp: false, members: new Map(), each: undefined };
}

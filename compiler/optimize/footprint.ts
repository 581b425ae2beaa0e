/**
 * The footprint of an entrypoint: which paths of the input its rules can read. The runtime hands over those and nothing
 * else. A path that is used in any way but by looking a constant key up in it, by going through its elements, or by asking
 * of what type it is, is handed over whole.
 */

export interface Footprint {
  /** Everything below is needed. */
  whole: boolean;
  /** What is needed of its members, by constant keys. */
  readonly members: Map<string, Footprint>;
  /** A string there may meet one of the policy's: it is looked up among these, so that the two are one. */
  matched: boolean;
  /**
   * False where nobody asks more of a string there than whether it is empty, whether another part of the input is the same,
   * and what is left when it is trimmed of what no printable ASCII character is - or puts it into the answer.
   */
  text: boolean;
  /** Another part of the input is compared with it, or with what is left of it. */
  compared: boolean;
  /** Something else than what is left of it, trimmed of spaces at least, is asked for. */
  raw: boolean;
  /** What is asked of a string there that was trimmed of what no printable ASCII character is, where rules do so. */
  trimmed: Footprint | undefined;
  /** What is needed of each of its elements, where some rule goes through them; an object with `members` as well is then needed whole. */
  each: Footprint | undefined;
}

export function emptyFootprint(): Footprint {
  return {
    whole: false,
    matched: false,
    text: false,
    compared: false,
    raw: false,
    trimmed: undefined,
    members: new Map(),
    each: undefined,
  };
}

/** Anything may be asked of it. */
export function useText(part: Footprint): void {
  part.whole = true;
  part.matched = true;
  part.raw = true;
  part.text = true;
}

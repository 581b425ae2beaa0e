/**
 * The footprint of an entrypoint: which paths of the input its rules can read. The runtime hands over those and nothing
 * else. A path that is used in any way but by looking a constant key up in it, by going through its elements, or by asking
 * of what type it is, is handed over whole.
 */

import type { Policy } from "../plan/ir.ts";
import { InputReading } from "./input-reading.ts";

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
  /** What is needed of each of its elements, where some rule goes through them; an object is then needed whole. */
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

/** The footprint of what a function of input and data reads, directly or through the rules that it calls. */
export function footprintOf(policy: Policy, name: string): Footprint {
  const root = emptyFootprint();
  const reading = new InputReading(policy);
  reading.start(name, root);
  markMatched(reading);
  markTexts(root, reading.compared);
  return root;
}

/** What is compared with texts and read by builtins has its bytes there anyway: a few of them are compared sooner than looked up. */
function markMatched({ constants, bytes }: InputReading): void {
  for (const part of constants) part.matched ||= !bytes.has(part);
}

/**
 * The runtime has stand-ins for texts of members that no rule reads. They equal no text, so both sides of a comparison must
 * be such members: not the input itself, an element of an array, or a part of what is handed over whole.
 */
function markTexts(root: Footprint, compared: readonly (readonly [Footprint, Footprint])[]): void {
  const equal = [...compared];
  for (const part of compared.flat()) part.compared = true;
  const visit = (part: Footprint, isMember: boolean, inWhole: boolean, depth: number): void => {
    part.text ||= !isMember || inWhole;
    const { trimmed } = part;
    if (trimmed !== undefined) {
      part.compared ||= trimmed.compared;
      equal.push([part, trimmed]);
    }
    const isWhole = inWhole || part.whole || depth > DEEPEST_MEMBERS;
    for (const member of part.members.values()) visit(member, true, isWhole, depth + 1);
    if (part.each !== undefined) visit(part.each, false, isWhole, depth + 1);
  };
  visit(root, false, false, 0);
  for (let changed = true; changed; ) {
    changed = false;
    for (const [a, b] of equal) {
      if (a.text === b.text) continue;
      a.text = true;
      b.text = true;
      changed = true;
    }
  }
}

/** Members that lie deeper may be handed over whole. */
const DEEPEST_MEMBERS = 8;

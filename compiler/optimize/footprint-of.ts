/** Finds the footprint of an entrypoint, and what of it may be looked up or have stand-ins. */

import type { Policy } from "../plan/ir.ts";
import { emptyFootprint, type Footprint } from "./footprint.ts";
import { InputReading } from "./input-reading.ts";

/** The footprint of what a function of input and data reads, directly or through the rules that it calls. */
export function footprintOf(policy: Policy, name: string): Footprint {
  const root = emptyFootprint();
  const reading = new InputReading(policy);
  reading.start(name, root);
  markMatched(reading);
  markTexts(root, reading);
  return root;
}

/** What is compared with texts and read by builtins has its bytes there anyway: a few of them are compared sooner than looked up. */
function markMatched({ constants, bytes }: InputReading): void {
  for (const part of constants) part.matched ||= !bytes.has(part);
}

/**
 * The runtime has stand-ins for texts of members that no rule reads. They equal no text, so both sides of a comparison must
 * be such members: not the input itself, an element of an array, a part of what is handed over whole, or of what shares a
 * local with other values.
 */
function markTexts(root: Footprint, { compared, mixed }: InputReading): void {
  const equal = [...compared];
  for (const part of compared.flat()) part.compared = true;
  const visit = (part: Footprint, isMember: boolean, isRead: boolean, depth: number): void => {
    const isMixed = mixed.has(part);
    part.text ||= !isMember || isRead || isMixed;
    const { trimmed } = part;
    if (trimmed !== undefined) {
      part.compared ||= trimmed.compared;
      trimmed.text ||= mixed.has(trimmed);
      equal.push([part, trimmed]);
    }
    const areRead = isRead || isMixed || part.whole || depth > DEEPEST_MEMBERS;
    for (const member of part.members.values()) visit(member, true, areRead, depth + 1);
    if (part.each !== undefined) visit(part.each, false, areRead, depth + 1);
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

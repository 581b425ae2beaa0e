/**
 * Engines compile a function when it is called first, which makes a first decision take a hundred times as long as the next.
 * So each entrypoint is asked before anybody waits for it, with inputs that have everything that rules read, and nothing in
 * it; then each rule behind its gates is asked, which no such input would get to. The answers are dropped, and
 * the host's builtins are not called: they may do anything.
 */

import type { FootprintNode, PolicySection } from "../abi/index.ts";
import { KnownTexts } from "../encode/index.ts";
import type { Instance } from "./instance.ts";

/** No policy has this text: single letters stand in tables of names. */
export const STRANGE = "\u00e9 \u00e9";
/** Stands there once more, for what writes it: keys that no policy has, text that is not ASCII, numbers of two words, fractions, a list. */
export const OTHERS = { [STRANGE]: 2 ** 31, a: ["\u00e9", null, true, 0.5] };
/** What stands in all places: a path, for what is only done with paths, whose end is not known without its bytes; no text; others. */
const FILLINGS = ["/\u00e9", "", OTHERS];

/** Whether the instance is as good as new: not where the module trapped. */
export function warmUp(instance: Instance, { decide }: PolicySection): boolean {
  // In a cache of its own: a text in a member's would stay there, in the place of one that is asked for.
  new KnownTexts().add("a", 1, () => "a");
  return (decide ?? []).every(
    (entry, id) =>
      entry === null ||
      FILLINGS.every((filling) =>
        // The rules asked with the others, too, make no first decision sooner.
        instance.rehearse(id, blank(entry.footprint, filling), filling === OTHERS ? [] : entry.rules),
      ),
  );
}

/** An input that has this value wherever the footprint names one; `OTHERS` in an object where an object may stand for a list. */
export function blank(node: FootprintNode, filling: unknown): unknown {
  if (node === true) return filling;
  if ("each" in node) {
    const item = blank(node.each, filling);
    return node.ofObjects === true && filling === OTHERS ? { [STRANGE]: item } : [item];
  }
  // Backwards, so that members are looked for, as they will be in requests.
  const members = Object.entries(node.members).reverse();
  return Object.fromEntries(members.map(([key, member]) => [key, blank(member, filling)]));
}

/**
 * Engines compile a function of a module when it is called first, which makes a first decision take a hundred times as long
 * as the next. So each entrypoint is asked once before anybody waits for it, with an input that has everything that rules
 * read, and nothing in it.
 */

import type { FootprintNode, PolicySection } from "../abi/section.ts";
import type { Instance } from "./instance.ts";

/** Enough for any rule that does not go through large tables. */
const STEPS = 10_000;

/** Whether the instance is as good as new: not where the module trapped. */
export function warmUp(instance: Instance, { builtins, decide }: PolicySection): boolean {
  // The host's builtins may do anything, so they are called for decisions only.
  if (builtins.length > 0) return true;
  return instance.withBudget(STEPS, () => {
    for (const [id, entry] of (decide ?? []).entries()) {
      if (entry !== null) instance.decide(id, blank(entry.footprint));
    }
  });
}

/** An input that has a value wherever the read set names one. */
export function blank(node: FootprintNode): unknown {
  if (node === true) return "";
  if ("each" in node) return [blank(node.each)];
  return Object.fromEntries(Object.entries(node.members).map(([key, member]) => [key, blank(member)]));
}

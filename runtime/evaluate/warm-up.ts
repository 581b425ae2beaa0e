/**
 * Engines compile a function when it is called first, which makes a first decision take a hundred times as long as the next.
 * So each entrypoint is asked before anybody waits for it, with inputs that have everything that rules read, and nothing in
 * it; then each rule behind its gates is asked, which no such input would get to. Nobody sees the answers.
 */

import type { FootprintNode, PolicySection } from "../abi/section.ts";
import type { Instance } from "./instance.ts";

/** Of each question: enough for any rule that does not go through large tables. */
const STEPS = 10_000;
/** Rules of an entrypoint that are asked at most. */
const MOST_RULES = 256;
/** Texts that stand in all places: a path, for what is only done with paths, and none. */
const TEXTS = ["/a", ""];

/** Whether the instance is as good as new: not where the module trapped. */
export function warmUp(instance: Instance, { builtins, decide }: PolicySection): boolean {
  // The host's builtins may do anything, so they are called for decisions only.
  if (builtins.length > 0) return true;
  return (decide ?? []).every((entry, id) => {
    if (entry === null) return true;
    const places = (entry.rules ?? []).slice(0, MOST_RULES);
    return TEXTS.every((text) => instance.rehearse(id, blank(entry.footprint, text), places, STEPS));
  });
}

/** An input that has this text wherever the read set names a value. */
export function blank(node: FootprintNode, text: string): unknown {
  if (node === true) return text;
  if ("each" in node) return [blank(node.each, text)];
  return Object.fromEntries(Object.entries(node.members).map(([key, member]) => [key, blank(member, text)]));
}

/** What is asked: requests that a number names, so that none has to be kept and none has to come twice. */

import type { DecisionKind } from "@portcullis/runtime";

export type RequestSize = "small" | "typical" | "large";
export type Outcome = "allow" | "late denial" | "mixed";

export interface Workload {
  readonly kind: DecisionKind;
  readonly size: RequestSize;
  /** What the size means for this kind: `3 artifacts`; empty where a request has one size. */
  readonly what: string;
  readonly outcome: Outcome;
  /** The gate that must answer; `undefined` where outcomes are mixed. Checked before anything is measured. */
  readonly gate: string | undefined;
  /** How many different requests there are; `Infinity` where something in them never repeats. */
  readonly different: number;
  /** The request of a number, the same each time; different numbers below `different` give different requests. */
  readonly make: (index: number) => unknown;
}

/** How often a decision is asked in life, so that readers need not guess which row matters. */
export const ASKED: Readonly<Record<DecisionKind, string>> = {
  lane: "before each tool call, with the tool",
  tool: "each tool call",
  subagent: "each turn that may delegate",
  lineage: "each spawn of an agent, and each call that says who spawned the caller",
  handoff: "each delivery of one agent to another",
  exec: "each script that is started",
  close: "each contract that ends",
  call: "each tool call that a gateway sees, instead of lane, tool and lineage",
};

/** Texts of one request that no other request has. Hexadecimal, as run ids, hashes and references are. */
export function uniqueText(index: number, salt: number, digits: number): string {
  let text = index.toString(16).padStart(8, "0");
  for (let word = salt; text.length < digits; word += 64) text += mixed(index + 0x9e3779b1 * (word + 1));
  return text.slice(0, digits);
}

/** Eight digits that look like chance (the finaliser of MurmurHash3). */
function mixed(value: number): string {
  let x = value | 0;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return ((x ^ (x >>> 16)) >>> 0).toString(16).padStart(8, "0");
}

/** Item `index` of a list in an order that looks like chance: different numbers below its length give different items. */
export function scattered<T>(items: readonly T[], index: number): T {
  if (items.length === 0) throw new Error("nothing to ask about");
  return items[scatter(index, items.length)] as T;
}

const STRIDE = 1_000_003;

/** Maps 0 .. count - 1 onto itself. `count` must be no multiple of the stride, which is prime. */
export function scatter(index: number, count: number): number {
  return ((index % count) * STRIDE) % count;
}

/** Finds the footprint of an entrypoint: follows the input through its functions, each once for every combination of parts it is passed. */

import type { Func, Policy } from "../plan/index.ts";
import { emptyFootprint, type Footprint, markEscaped, settleLookUps } from "./footprint.ts";
import { readFunction } from "./function-reads.ts";

/** Parts of the input that the arguments of a call are; `undefined` for any other value. */
export type Parts = readonly (Footprint | undefined)[];

/**
 * The footprint of a function of input and data: of its own reads, and those of the rules that it calls. `memoised`: functions
 * whose arguments are compared, all of them.
 */
export function footprintOf(policy: Policy, name: string, memoised: ReadonlySet<string>): Footprint {
  const root = emptyFootprint();
  const funcs = new Map(policy.funcs.map((f) => [f.name, f]));
  const numbers = new Map<Footprint | undefined, number>();
  const seen = new Set<string>();
  const waiting: { readonly func: Func; readonly parts: Parts }[] = [];
  const numberOf = (part: Footprint | undefined): number => {
    const number = numbers.get(part) ?? numbers.size;
    numbers.set(part, number);
    return number;
  };
  /** Whether it is a function of the policy. */
  const call = (callee: string, parts: Parts): boolean => {
    const func = funcs.get(callee);
    if (func === undefined) return false;
    if (memoised.has(callee)) for (const part of parts.slice(2)) if (part !== undefined) markEscaped(part);
    const key = `${callee}(${parts.map(numberOf).join()})`;
    if (!seen.has(key)) waiting.push({ func, parts });
    seen.add(key);
    return true;
  };
  call(name, [root]);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    readFunction(policy, next.func, next.parts, call);
  settleLookUps(root);
  return root;
}

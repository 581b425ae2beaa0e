/** Follows the input through the functions of an entrypoint: which parts of it each of them is passed, and returns. */

import type { Func, Policy } from "../plan/ir.ts";
import { type Footprint, useText } from "./footprint.ts";
import { FunctionReader, NONE } from "./function-reader.ts";

/** Parts of the input that the arguments of a call are; `undefined` for any other value. */
export type Parts = readonly (Footprint | undefined)[];

/** Calls within calls that are followed at once. */
const MAX_DEPTH = 200;

/** One function with certain parts as arguments. */
interface Visit {
  /** Parts that its result is or has in it. */
  readonly returned: Set<Footprint>;
  isFinished: boolean;
  /** Somebody had to go on without knowing what is returned. */
  isMissed: boolean;
}

/** All functions that are reached, each once for every combination of parts that it is passed. */
export class InputReading {
  readonly policy: Policy;
  readonly funcs: ReadonlyMap<string, Func>;
  /** Parts of the input that are compared with each other. */
  readonly compared: (readonly [Footprint, Footprint])[] = [];
  /** Those that are compared with a text of the policy's. */
  readonly constants = new Set<Footprint>();
  /** Those whose bytes a builtin reads. */
  readonly bytes = new Set<Footprint>();
  /** Those that stand in a local which may hold something else as well. */
  readonly mixed = new Set<Footprint>();
  /** What is left of parts that are trimmed. */
  readonly trimmed = new Set<Footprint>();
  private readonly numbers = new Map<Footprint, number>();
  private readonly visits = new Map<string, Visit>();
  private readonly waiting: (() => void)[] = [];
  private depth = 0;

  constructor(policy: Policy) {
    this.policy = policy;
    this.funcs = new Map(policy.funcs.map((f) => [f.name, f]));
  }

  /** Follows the function of an entrypoint, whose result is the answer. */
  start(name: string, input: Footprint): void {
    this.visit(name, [input]);
    for (let run = this.waiting.pop(); run !== undefined; run = this.waiting.pop()) run();
    for (const { isMissed, returned } of this.visits.values()) if (isMissed) returned.forEach(useText);
  }

  /** The parts that the result of a call is or has in it. */
  visit(name: string, parts: Parts): ReadonlySet<Footprint> {
    const func = this.funcs.get(name);
    if (func === undefined) return NONE;
    const key = `${name}(${parts.map((p) => this.numberOf(p)).join()})`;
    const known = this.visits.get(key);
    if (known !== undefined) {
      known.isMissed ||= !known.isFinished;
      return known.returned;
    }
    const visit: Visit = { returned: new Set(), isFinished: false, isMissed: false };
    this.visits.set(key, visit);
    const run = (): void => {
      this.depth++;
      new FunctionReader(this, func, parts, visit.returned).run();
      this.depth--;
      visit.isFinished = true;
    };
    // Long chains of rules wait, so that they need no deep stack.
    if (this.depth < MAX_DEPTH) run();
    else {
      visit.isMissed = true;
      this.waiting.push(run);
    }
    return visit.returned;
  }

  private numberOf(part: Footprint | undefined): number {
    if (part === undefined) return 0;
    const number = this.numbers.get(part) ?? this.numbers.size + 1;
    this.numbers.set(part, number);
    return number;
  }
}

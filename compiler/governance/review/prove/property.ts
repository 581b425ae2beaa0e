/** The result of `prove` for a property: it held for every question, or a counterexample. */

import type { Answer } from "../decision-space.ts";

/** A statement about every question of a space, and whether it holds. */
export interface Property {
  readonly name: string;
  /** A claim's place, `file:line:column`, and the author's reason. */
  readonly place?: string;
  readonly because?: string | undefined;
  /** How many questions were asked for it. */
  readonly asked: number;
  /** How many were asked, of how many; absent if all were asked. */
  readonly sampled?: string;
  /** The first questions for which it does not hold; empty when it holds. */
  readonly counterexamples: readonly Counterexample[];
  /** It was proved for all requests by a solver, or was to be. */
  readonly proof?: {
    /** The lists and objects of requests that have this many elements at most. */
    readonly bound: number;
    readonly upTo: readonly string[];
    /** Parts of the policy that are not encodable: they give anything, and the property holds all the same. */
    readonly open: readonly string[];
  };
  /** The first questions for which it is not known; absent when it is known for all. */
  readonly unknown?: readonly Counterexample[];
}

/** A property holds when nothing refutes it, and nothing is unknown. */
export function isProved({ counterexamples, unknown = [] }: Property): boolean {
  return counterexamples.length === 0 && unknown.length === 0;
}

/** A question for which a property does not hold, or is not known to. */
export interface Counterexample {
  readonly request: unknown;
  readonly answer: Answer | undefined;
  /** Why that is wrong, or what is not known. */
  readonly why: string;
}

/** Collects the first few counter-examples, and counts. */
export class Witnesses {
  asked = 0;
  readonly found: Counterexample[] = [];
  readonly unknown: Counterexample[] = [];
  private static readonly KEPT = 10;

  add(request: unknown, answer: Answer | undefined, why: string): void {
    if (this.found.length < Witnesses.KEPT) this.found.push({ request, answer, why });
  }

  /** What may refute the property, and is not known to. */
  unsure(request: unknown, answer: Answer | undefined, why: string): void {
    if (this.unknown.length < Witnesses.KEPT) this.unknown.push({ request, answer, why });
  }

  /** As many refute the property as are kept, or may. */
  get isFull(): boolean {
    return this.found.length === Witnesses.KEPT || this.unknown.length === Witnesses.KEPT;
  }

  property(name: string, sampled?: string): Property {
    const unknown = this.unknown.length === 0 ? {} : { unknown: this.unknown };
    const property = { name, asked: this.asked, counterexamples: this.found, ...unknown };
    return sampled === undefined ? property : { ...property, sampled };
  }
}

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
}

/** A question for which a property does not hold. */
export interface Counterexample {
  readonly request: unknown;
  readonly answer: Answer | undefined;
  /** Why that is wrong. */
  readonly why: string;
}

/** Collects the first few counter-examples, and counts. */
export class Witnesses {
  asked = 0;
  readonly found: Counterexample[] = [];
  private static readonly KEPT = 10;

  add(request: unknown, answer: Answer | undefined, why: string): void {
    if (this.found.length < Witnesses.KEPT) this.found.push({ request, answer, why });
  }

  property(name: string, sampled?: string): Property {
    const property = { name, asked: this.asked, counterexamples: this.found };
    return sampled === undefined ? property : { ...property, sampled };
  }
}

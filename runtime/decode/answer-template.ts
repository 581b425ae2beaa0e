/**
 * An answer that is the same every time but for texts of the request, which the policy only puts into it, and is made anew
 * for everybody who asks, as an evaluation makes it.
 */

import type { OpaqueStrings } from "../encode/opaque-strings.ts";
import { pick, type RecordMaker } from "./record-makers.ts";

/** Characters of a text that count as one more value, and what a list or an object counts as. */
const CHARACTERS = 16;
const PART = 8;

/** Where in an answer a list or an object is that is made anew. */
export interface TemplatePart {
  readonly at: number;
  readonly part: AnswerTemplate;
}

export class AnswerTemplate {
  /** `undefined` for a list. */
  private readonly make: RecordMaker | undefined;
  private readonly keys: readonly string[];
  /** Those of the policy and of the question; places of the parts are used while an answer is made. */
  private readonly values: unknown[];
  /** As a maker has them; numbers of stand-ins. */
  private readonly sources: readonly number[];
  private readonly parts: readonly TemplatePart[];

  constructor(
    make: RecordMaker | undefined,
    keys: readonly string[],
    values: unknown[],
    sources: readonly number[],
    parts: readonly TemplatePart[],
  ) {
    this.make = make;
    this.keys = keys;
    this.values = values;
    this.sources = sources;
    this.parts = parts;
  }

  /** How many values are kept for it; long texts, lists and objects count as several. */
  get size(): number {
    const own = this.values.reduce((sum: number, value) => sum + sizeOf(value), 0);
    return this.parts.reduce((sum, { part }) => sum + PART + part.size, own);
  }

  /** The answer with the texts of the request that was just read. */
  fill(opaque: OpaqueStrings): unknown {
    const { make, values, sources, parts } = this;
    for (let i = 0; i < parts.length; i++) {
      const { at, part } = parts[i] as TemplatePart;
      values[at] = part.fill(opaque);
    }
    const { texts } = opaque;
    const answer =
      make === undefined
        ? sources.map((_, at) => pick(values, sources, texts, at))
        : make(this.keys, values, sources, texts);
    // Nobody else's, and a text in it may be a small part of a large request.
    for (let i = 0; i < parts.length; i++) values[(parts[i] as TemplatePart).at] = undefined;
    return answer;
  }
}

function sizeOf(value: unknown): number {
  return typeof value === "string" ? 1 + Math.floor(value.length / CHARACTERS) : 1;
}

/** The same for everybody who asks; a string might be one of the request's. */
export function isConstant(answer: unknown): boolean {
  return typeof answer === "boolean" || (typeof answer === "object" && answer !== null && Object.isFrozen(answer));
}

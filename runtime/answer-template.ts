/** An answer that is the same every time but for texts of the request, which the policy only puts into it. */

import type { OpaqueStrings } from "./opaque-strings.ts";
import type { RecordMaker } from "./record-makers.ts";

export class AnswerTemplate {
  private readonly make: RecordMaker;
  private readonly keys: readonly string[];
  /** Those of the policy; places of the others are used while an answer is made. */
  private readonly values: unknown[];
  /** Which values are texts of the request, and the numbers of their stand-ins. */
  private readonly texts: readonly { readonly at: number; readonly number: number }[];

  constructor(
    make: RecordMaker,
    keys: readonly string[],
    values: unknown[],
    texts: readonly { readonly at: number; readonly number: number }[],
  ) {
    this.make = make;
    this.keys = keys;
    this.values = values;
    this.texts = texts;
  }

  /** The answer with the texts of the request that was just written. */
  fill(opaque: OpaqueStrings): unknown {
    const { values, texts } = this;
    for (const { at, number } of texts) values[at] = opaque.text(number);
    const answer = this.make(this.keys, values);
    // A text may be a small part of a large request.
    for (const { at } of texts) values[at] = undefined;
    return answer;
  }
}

/** An answer that is the same every time but for texts of the request, which the policy only puts into it. */

import type { OpaqueStrings } from "./opaque-strings.ts";
import type { RecordMaker } from "./record-makers.ts";

/** Which value is a text of the request, and the number of its stand-in. */
export interface TextPlace {
  readonly at: number;
  readonly number: number;
}

export class AnswerTemplate {
  private readonly make: RecordMaker;
  private readonly keys: readonly string[];
  /** Those of the policy; places of the others are used while an answer is made. */
  private readonly values: unknown[];
  private readonly texts: readonly TextPlace[];

  constructor(make: RecordMaker, keys: readonly string[], values: unknown[], texts: readonly TextPlace[]) {
    this.make = make;
    this.keys = keys;
    this.values = values;
    this.texts = texts;
  }

  /** The answer with the texts of the request that was just written. */
  fill(opaque: OpaqueStrings): unknown {
    const { values, texts } = this;
    for (let i = 0; i < texts.length; i++) {
      const { at, number } = texts[i] as TextPlace;
      values[at] = opaque.text(number);
    }
    const answer = this.make(this.keys, values);
    // A text may be a small part of a large request.
    for (let i = 0; i < texts.length; i++) values[(texts[i] as TextPlace).at] = undefined;
    return answer;
  }
}

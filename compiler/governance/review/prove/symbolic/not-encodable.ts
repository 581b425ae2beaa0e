/** A part of a policy that is outside of the fragment. */

import type { Span } from "@portcullis/rego/diagnostics";

/** Thrown where a statement has no words in the fragment; `why` says what it is. */
export class NotEncodable extends Error {
  readonly why: string;

  constructor(why: string) {
    super(why);
    this.why = why;
  }
}

/** What was left open, and where. */
export interface LeftOpen {
  /** A function or builtin, or what it does. */
  readonly what: string;
  readonly span: Span | undefined;
}

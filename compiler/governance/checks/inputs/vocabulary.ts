/** The ids that a policy set defines, by the name that an input schema gives them with `x-ids`. */

export interface Vocabulary {
  /** One of them, in words: `tool`. */
  readonly noun: string;
  readonly ids: ReadonlySet<string>;
  /** A request may hold other ids and still reach the author's rules: only a near miss is a finding. */
  readonly isOpen?: true | undefined;
}

/** A part that is absent or broken has no vocabulary: nothing can be said of its ids. */
export type Vocabularies = ReadonlyMap<string, Vocabulary>;

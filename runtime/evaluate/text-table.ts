/** What was kept for lists of texts. */

const NONE: readonly string[] = [];

/** A list with what was kept for it, or a fork: where lists differ. */
class Entry {
  /** At a fork, what is behind each text by which the lists there differ. */
  readonly byText: Map<string, Entry> | undefined;
  /** At a fork, the number of that text; at a list, of the first one that has to be compared. */
  at: number;
  /** The texts of a list from there on: one array for many of them, which stays near the processor. */
  rest: readonly string[];
  value: unknown = undefined;
  /** All texts of a list. */
  readonly texts: readonly string[];

  constructor(byText: Map<string, Entry> | undefined, at: number, texts: readonly string[]) {
    this.byText = byText;
    this.at = at;
    this.rest = texts;
    this.texts = texts;
  }
}

/**
 * A PATRICIA trie (Morrison, "Practical Algorithm To Retrieve Information Coded in Alphanumeric", 1968) over lists of one
 * length: texts by which lists differ are looked up, the others compared. So what is found for a list is a few words in one
 * place, whatever it has in common with others.
 */
export class TextTable {
  private root: Entry | undefined;

  /** What was kept for the first texts of `asked`, as many as every list here has. */
  find(asked: readonly string[]): unknown {
    let entry = this.root;
    while (entry?.byText !== undefined) entry = entry.byText.get(asked[entry.at] as string);
    if (entry === undefined) return undefined;
    const { at, rest } = entry;
    for (let i = 0; i < rest.length; i++) if (rest[i] !== asked[at + i]) return undefined;
    return entry.value;
  }

  /** Keeps a value for a list, which is the table's from now on. */
  set(texts: readonly string[], value: unknown): void {
    const near = this.nearest(texts);
    const differs = texts.findIndex((text, i) => text !== near?.texts[i]);
    if (near !== undefined && differs < 0) {
      near.value = value;
      return;
    }
    const made = new Entry(undefined, 0, texts);
    made.value = value;
    if (near === undefined) this.root = made;
    else this.fork(differs, near.texts[differs] as string, made);
    this.shorten(made, near);
  }

  /** A list that is the same where the way to it forks, as far as any is. */
  private nearest(texts: readonly string[]): Entry | undefined {
    let entry = this.root;
    while (entry?.byText !== undefined)
      entry = entry.byText.get(texts[entry.at] as string) ?? entry.byText.values().next().value;
    return entry;
  }

  /** Puts a list where its text number `at` is not the other one; those before it are the same. */
  private fork(at: number, other: string, made: Entry): void {
    const text = made.texts[at] as string;
    let before: Entry | undefined;
    let entry = this.root as Entry;
    while (entry.byText !== undefined && entry.at < at) {
      before = entry;
      entry = entry.byText.get(made.texts[entry.at] as string) as Entry;
    }
    if (entry.byText !== undefined && entry.at === at) {
      entry.byText.set(text, made);
      return;
    }
    const ways: [string, Entry][] = [
      [other, entry],
      [text, made],
    ];
    const fork = new Entry(new Map(ways), at, NONE);
    if (before === undefined) this.root = fork;
    else before.byText?.set(made.texts[before.at] as string, fork);
  }

  /**
   * Leaves out the first texts of a new list, as many as the first forks on the way to it tell. What is left is the array of
   * the nearest list where that is the same.
   */
  private shorten(made: Entry, near: Entry | undefined): void {
    const { texts } = made;
    let from = 0;
    let entry = this.root;
    for (; entry?.byText !== undefined && entry.at === from; from++) entry = entry.byText.get(texts[from] as string);
    const rest = texts.slice(from);
    made.at = from;
    made.rest = rest;
    // The way to it is the same up to the fork, and goes on from there.
    if (near === undefined || near.at > from || rest.some((text, i) => text !== near.texts[from + i])) return;
    if (near.at < from) {
      near.at = from;
      near.rest = rest;
    } else made.rest = near.rest;
  }
}

/** What was kept for lists of texts. */

/** A list with what was kept for it, or a fork: where lists differ. */
class Entry {
  /** At a fork, the number of the text by which the lists behind it differ, and what is behind each. */
  at = 0;
  byText: Map<string, Entry> | undefined = undefined;
  /** At a list, its texts, the first of which the way to it tells. */
  texts: readonly string[];
  from = 0;
  value: unknown;

  constructor(texts: readonly string[], value: unknown) {
    this.texts = texts;
    this.value = value;
  }
}

/**
 * A PATRICIA trie (Morrison, "Practical Algorithm To Retrieve Information Coded in Alphanumeric", 1968) over lists of one
 * length: only texts by which lists differ are looked up, and the list that is left is compared as a whole. So a list is a
 * few words in one place, however long what it has in common with others.
 */
export class TextTable {
  private root: Entry | undefined;

  /** What was kept for the first texts of `asked`, as many as every list here has. */
  find(asked: readonly string[]): unknown {
    let entry = this.root;
    while (entry?.byText !== undefined) entry = entry.byText.get(asked[entry.at] as string);
    if (entry === undefined) return undefined;
    const { texts } = entry;
    for (let i = entry.from; i < texts.length; i++) if (texts[i] !== asked[i]) return undefined;
    return entry.value;
  }

  /** Keeps a value for a list, which is the table's from now on. */
  set(texts: readonly string[], value: unknown): void {
    const near = this.nearest(texts);
    if (near === undefined) {
      this.root = new Entry(texts, value);
      return;
    }
    const at = texts.findIndex((text, i) => text !== near.texts[i]);
    if (at < 0) near.value = value;
    else this.fork(at, near.texts[at] as string, new Entry(texts.map((text, i) => near.texts[i] === text ? near.texts[i] as string : text), value));
  }

  /** A list that is the same where the way to it forks, as far as any is. */
  private nearest(texts: readonly string[]): Entry | undefined {
    let entry = this.root;
    while (entry?.byText !== undefined) {
      const { byText, at } = entry;
      entry = byText.get(texts[at] as string) ?? byText.values().next().value;
    }
    return entry;
  }

  /** Puts a list where its text number `at` is not the other one; those before it are the same. */
  private fork(at: number, other: string, made: Entry): void {
    const text = made.texts[at] as string;
    let before: Entry | undefined;
    if (at === 0) made.from = 1;
    let entry = this.root as Entry;
    while (entry.byText !== undefined && entry.at < at) {
      before = entry;
      entry = entry.byText.get(made.texts[entry.at] as string) as Entry;
    }
    if (entry.byText !== undefined && entry.at === at) {
      entry.byText.set(text, made);
      return;
    }
    const fork = new Entry([], undefined);
    fork.at = at;
    fork.byText = new Map([
      [other, entry],
      [text, made],
    ]);
    if (before === undefined) this.root = fork;
    else before.byText?.set(made.texts[before.at] as string, fork);
  }
}

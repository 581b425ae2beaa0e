/**
 * A cache of the policy's strings that one member of requests has had: addresses by text. A Map has to hash all of a string
 * that comes straight from a parser; here a few characters choose the place, and one comparison of texts decides. So a place
 * that was chosen badly costs time, and never gives another string's address.
 */

/** Places at most: more than a policy has lanes, fewer than it may have tools. A power of two, as all numbers of places. */
const MOST = 4096;

export class KnownTexts {
  /** By place, a text and its address: what is read together lies together. */
  private readonly pairs: (string | number)[];
  private count = 0;

  constructor(places = 16) {
    this.pairs = new Array<string | number>(places * 2).fill("");
  }

  /** The address of a text that is not empty; 0 where it is not here. */
  find(text: string): number {
    const { pairs } = this;
    const at = (textHash(text) * 2) & (pairs.length - 1);
    return pairs[at] === text ? (pairs[at + 1] as number) : 0;
  }

  /** Keeps the text that `own` gives for the address, which is equal to `text` and not empty, where its place is free. */
  add(text: string, address: number, own: (address: number) => string): void {
    const { pairs } = this;
    const places = pairs.length / 2;
    if (this.count * 2 >= places && places < MOST) {
      Object.assign(this, new KnownTexts(places * 4));
      for (let i = 0; i < pairs.length; i += 2) {
        const kept = pairs[i] as string;
        if (kept) this.add(kept, pairs[i + 1] as number, () => kept);
      }
    }
    const at = (textHash(text) * 2) & (this.pairs.length - 1);
    if (this.pairs[at]) return;
    this.pairs[at] = own(address);
    this.pairs[at + 1] = address;
    this.count++;
  }
}

/** Ids differ at their ends, where they are numbered, and at their beginnings. */
function textHash(text: string): number {
  const { length } = text;
  let place = length + text.charCodeAt(0);
  for (let i = length > 4 ? length - 4 : 0; i < length; i++) place = place * 10 + text.charCodeAt(i);
  return place;
}

/**
 * A cache of the policy's strings that one member of requests has had: addresses by text. A Map has to hash all of a string
 * that comes straight from a parser; here a few characters choose the place, and one comparison of texts decides. So a place
 * that was chosen badly costs time, and never gives another string's address.
 */

/** Places at most: more than a policy has lanes, fewer than it may have tools. A power of two, as all numbers of places. */
const MOST = 4096;

export class KnownTexts {
  private readonly texts: string[];
  private readonly addresses: number[];
  private count = 0;

  constructor(places = 16) {
    this.texts = new Array<string>(places).fill("");
    this.addresses = new Array<number>(places).fill(0);
  }

  /** The address of a text that is not empty; 0 where it is not here. */
  find(text: string): number {
    const { texts } = this;
    const place = textHash(text) & (texts.length - 1);
    return texts[place] === text ? (this.addresses[place] as number) : 0;
  }

  /** Keeps the text that `own` gives for the address, which is equal to `text` and not empty, where its place is free. */
  add(text: string, address: number, own: (address: number) => string): void {
    const { texts, addresses } = this;
    const { length } = texts;
    if (this.count * 2 >= length && length < MOST) {
      Object.assign(this, new KnownTexts(length * 4));
      for (const [i, kept] of texts.entries()) if (kept) this.add(kept, addresses[i] as number, () => kept);
    }
    const place = textHash(text) & (this.texts.length - 1);
    if (this.texts[place]) return;
    this.texts[place] = own(address);
    this.addresses[place] = address;
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

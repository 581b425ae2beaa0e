/**
 * Strings of the policy that one member of requests had lately, found by a few of their characters: a Map would go through all
 * of them, for a hash that a string straight from a parser does not have yet.
 */

/** Strings that are too short for it. */
const SHORTEST = 4;
const FEWEST = 64;
const MOST = 4096;
/** Places for each string: with few of them, strings would take each other's. */
const SPARSE = 4;

export class RecentStrings {
  private texts = new Array<string>(FEWEST).fill("");
  private addresses = new Array<number>(FEWEST).fill(0);
  private mask = FEWEST - 1;
  private count = 0;

  /** The address that was noted for a text, or 0. */
  find(text: string): number {
    const { length } = text;
    if (length < SHORTEST) return 0;
    const place = placeOf(text, length) & this.mask;
    return this.texts[place] === text ? (this.addresses[place] as number) : 0;
  }

  /** Whether a text that was not found has a place of its own. */
  hasPlaceFor(text: string): boolean {
    const { length } = text;
    return length >= SHORTEST && this.texts[placeOf(text, length) & this.mask] === "";
  }

  /** Notes a text that there is a place for. */
  note(text: string, address: number): void {
    const place = placeOf(text, text.length) & this.mask;
    this.texts[place] = text;
    this.addresses[place] = address;
    this.count++;
    if (this.count * SPARSE > this.mask && this.mask < MOST - 1) this.grow();
  }

  private grow(): void {
    const { texts, addresses } = this;
    const size = (this.mask + 1) * 2;
    this.mask = size - 1;
    this.count = 0;
    this.texts = new Array<string>(size).fill("");
    this.addresses = new Array<number>(size).fill(0);
    for (const [i, text] of texts.entries())
      if (text !== "" && this.hasPlaceFor(text)) this.note(text, addresses[i] as number);
  }
}

/** Identifiers differ in their last characters, or else in the middle. */
function placeOf(text: string, length: number): number {
  let hash = length + text.charCodeAt(length - 1);
  hash = Math.imul(hash, 31) + text.charCodeAt(length - 2);
  hash = Math.imul(hash, 31) + text.charCodeAt(length - 3);
  hash = Math.imul(hash, 31) + text.charCodeAt(length - 4);
  hash = Math.imul(hash, 31) + text.charCodeAt(length >> 1);
  return hash ^ (hash >>> 11);
}

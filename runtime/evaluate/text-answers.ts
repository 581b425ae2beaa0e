/**
 * Answers to questions that are a few texts of the policy, found before anything is written: each text has a number, and the
 * numbers together are the question, all of it. As in questions.ts nothing is decided here, and only answers are kept that are
 * the same for everybody.
 */

import { Interned } from "../encode/interned.ts";
import type { Member, Shape } from "../encode/shape.ts";

/** Members that a question has at most: two to a half, each with so many bits for the number of its text. */
const PARTS = 4;
const HALF = 2;
const NUMBER_BITS = 12;
/** Texts of one member: as many as a policy has lanes. */
const TEXTS = 1 << NUMBER_BITS;
/** An entry's lowest bits are the number of an answer, 0 in an entry that is free. */
const ANSWER_BITS = 8;
const ANSWERS = (1 << ANSWER_BITS) - 1;
/** Entries, of which half are free: powers of two. */
const FIRST_BITS = 6;
const MOST_BITS = 13;
/** How often members may still change places. */
const MOVES = 64;

const hasOwn = Object.prototype.hasOwnProperty;

/** One of the members that a question consists of. Alike in all instances, so that engines keep one kind of code for them. */
class Part {
  readonly key: string;
  /** The word of memory that takes the address of its text. */
  readonly place: number;
  /** Where its number is, and in which half of a question. */
  readonly shift: number;
  readonly isSecond: boolean;
  /** Numbers of the texts that it has had, all of them the policy's own. */
  readonly numbers = new Map<string, number>();
  /** The same of handles of this policy. */
  readonly handles = new Map<unknown, number>();
  /** By number, their addresses. */
  readonly addresses: number[] = [];

  constructor({ key, place }: Member, number: number) {
    this.key = key;
    this.place = place;
    this.shift = (number % HALF) * NUMBER_BITS;
    this.isSecond = number >= HALF;
  }
}

export class TextAnswers {
  /** In the order in which requests have them, as far as that is known. */
  private readonly parts: Part[];
  private readonly strings: ReadonlyMap<string, number>;
  private readonly ownText: (address: number) => string;
  /** Of which handles the addresses hold. */
  private readonly owner: object;
  private moves = MOVES;
  /** The halves of the question that was looked for in vain last; -1 where it was none. */
  private asked = -1;
  private askedSecond = 0;
  private bits = FIRST_BITS;
  /** The first half of a question, and the number of its answer. */
  private entries = new Int32Array(1 << FIRST_BITS);
  /** The second halves; none where questions have just one. */
  private seconds: Int32Array | undefined;
  private used = 0;
  /** By number. */
  private answers: unknown[] = [undefined];

  private constructor(
    members: readonly Member[],
    strings: ReadonlyMap<string, number>,
    ownText: (address: number) => string,
    owner: object,
  ) {
    this.owner = owner;
    this.strings = strings;
    this.ownText = ownText;
    this.parts = members.map((member, i) => new Part(member, i));
    this.seconds = members.length > HALF ? new Int32Array(1 << FIRST_BITS) : undefined;
  }

  /**
   * For requests of a shape; `undefined` for one whose questions may be more than a few texts of the policy.
   * `ownText` gives the policy's text at an address; handles of `owner` have such addresses.
   */
  static of(
    shape: Shape,
    strings: ReadonlyMap<string, number>,
    ownText: (address: number) => string,
    owner: object,
  ): TextAnswers | undefined {
    if (shape === "whole" || shape.kind !== "members" || shape.object === 0) return undefined;
    const { members } = shape;
    const areTexts = members.every(({ longest }) => longest >= 0);
    return areTexts && members.length > 0 && members.length <= PARTS
      ? new TextAnswers(members, strings, ownText, owner)
      : undefined;
  }

  /** The answer to a request that has these texts and nothing else; `undefined` when there is none. */
  find(request: unknown): unknown {
    this.asked = -1;
    if (typeof request !== "object" || request === null || Array.isArray(request)) return undefined;
    const { parts } = this;
    let question = 0;
    let second = 0;
    let next = 0;
    for (const key in request) {
      const part = parts[next];
      if (part === undefined) return undefined;
      if (part.key !== key) {
        this.move(key, next);
        return undefined;
      }
      if (!hasOwn.call(request, key)) return undefined;
      const text = (request as Record<string, unknown>)[key];
      const number =
        typeof text === "string"
          ? (part.numbers.get(text) ?? this.learn(part, text))
          : (part.handles.get(text) ?? this.learnHandle(part, text));
      if (number < 0) return undefined;
      if (part.isSecond) second |= number << part.shift;
      else question |= number << part.shift;
      next++;
    }
    if (next < parts.length) return undefined;
    this.asked = question;
    this.askedSecond = second;
    const { entries, seconds } = this;
    for (let at = this.placeOf(question, second); ; at = (at + 1) & (entries.length - 1)) {
      const entry = entries[at] as number;
      if (entry === 0) return undefined;
      if (entry >>> ANSWER_BITS === question && (seconds === undefined || seconds[at] === second))
        return this.answers[entry & ANSWERS];
    }
  }

  /** Where the search for a question begins. */
  private placeOf(question: number, second: number): number {
    return (Math.imul(question, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b)) >>> (32 - this.bits);
  }

  /** The number of a text that a part has not had; -1 where the policy has no such text, or there is no number left. */
  private learn({ numbers, addresses }: Part, text: string): number {
    const address = this.strings.get(text);
    const number = addresses.length;
    if (address === undefined || number === TEXTS) return -1;
    addresses.push(address);
    // The text itself may be a small part of a large request, which it would keep alive.
    numbers.set(this.ownText(address), number);
    return number;
  }

  /** The number of the text that a handle of this policy stands for; -1 for any other value. */
  private learnHandle(part: Part, value: unknown): number {
    if (typeof value !== "object" || value === null || !Interned.is(value)) return -1;
    if (value.addressFor(this.owner) === 0) return -1;
    const number = part.numbers.get(value.text) ?? this.learn(part, value.text);
    if (number >= 0 && part.handles.size < TEXTS) part.handles.set(value, number);
    return number;
  }

  /** Requests may have the member with this key earlier. */
  private move(key: string, to: number): void {
    const { parts } = this;
    const from = parts.findIndex((part) => part.key === key);
    if (from < to || this.moves === 0) return;
    this.moves--;
    const moved = parts[from] as Part;
    parts[from] = parts[to] as Part;
    parts[to] = moved;
  }

  /**
   * Whether the question that was looked for in vain is the one that is in memory now: a request may say one thing first and
   * then another.
   */
  isWritten(memory: Int32Array): boolean {
    const { asked, askedSecond } = this;
    if (asked < 0) return false;
    for (const { place, shift, isSecond, addresses } of this.parts) {
      const number = ((isSecond ? askedSecond : asked) >>> shift) & (TEXTS - 1);
      if (memory[place] !== addresses[number]) return false;
    }
    return true;
  }

  /** Keeps a constant answer to the question that was looked for in vain last. */
  keep(answer: unknown): void {
    const known = this.answers.indexOf(answer);
    const number = known < 0 ? this.answers.length : known;
    if (number > ANSWERS) return;
    if (known < 0) this.answers.push(answer);
    if (this.used * 2 >= this.entries.length) this.grow();
    this.put((this.asked << ANSWER_BITS) | number, this.askedSecond);
  }

  private put(entry: number, second: number): void {
    const { entries, seconds } = this;
    let at = this.placeOf(entry >>> ANSWER_BITS, second);
    while (entries[at] !== 0) at = (at + 1) & (entries.length - 1);
    entries[at] = entry;
    if (seconds !== undefined) seconds[at] = second;
    this.used++;
  }

  /** Twice as many entries; when there are enough of them, all are forgotten. */
  private grow(): void {
    const { entries, seconds } = this;
    this.used = 0;
    if (this.bits === MOST_BITS) {
      entries.fill(0);
      return;
    }
    this.bits++;
    this.entries = new Int32Array(1 << this.bits);
    if (seconds !== undefined) this.seconds = new Int32Array(1 << this.bits);
    for (const [at, entry] of entries.entries()) if (entry !== 0) this.put(entry, seconds?.[at] ?? 0);
  }

  /** What was answered with other data holds no longer. */
  clear(): void {
    this.entries.fill(0);
    this.used = 0;
    this.answers = [undefined];
  }
}

/**
 * Answers that an entrypoint gave before. Rules are functions of the input: where all that they read of a request is in
 * static memory, the words there are the whole question, and whoever asked it before got the answer. Nothing is decided
 * here, and only answers are kept that are the same for everybody - frozen, without a part of the request - or differ in
 * nothing but texts of it that no rule reads (answer-template.ts).
 */

import { COLLECTION_COUNT, RECORD_ENTRIES } from "./abi/layout.ts";
import type { AnswerTemplate } from "./answer-template.ts";
import type { Shape } from "./shape.ts";

/** Answers that one entrypoint remembers at most: a power of two. */
const PLACES = 4096;
/** Words of all the questions that it remembers: 128 KB. When there is no room for another one, all are forgotten. */
const WORD_BITS = 15;
const WORDS = 1 << WORD_BITS;
/** Words of a longest question. */
const LONGEST = 64;
/** Elements of an array in a question. */
const ELEMENTS = 8;

/** Words of static memory that an array of rows has. */
interface Rows {
  readonly count: number;
  readonly items: number;
  /** The members of the first row. */
  readonly first: readonly number[];
  /** Words from one row to the next. */
  readonly stride: number;
}

export class Answers {
  private readonly slots: readonly number[];
  private readonly rows: readonly Rows[];
  /** The question that was looked for in vain last, and how many words it has; 0 for one that is not to be remembered. */
  private readonly asked: Int32Array;
  private length = 0;
  /** The first of the two places where its answer may be. */
  private place = 0;
  /** Questions, one behind the other. */
  private words = new Int32Array(0);
  private used = 0;
  /** The number of an answer, times WORDS, and where in `words` its question begins; 0 for none. */
  private places = new Int32Array(0);
  /** Answers by their numbers, of which 0 is none: much fewer than questions. */
  private answers: unknown[] = [];
  private readonly numbers = new Map<unknown, number>();

  private constructor(slots: readonly number[], rows: readonly Rows[], width: number) {
    this.slots = slots;
    this.rows = rows;
    this.asked = new Int32Array(width);
  }

  /** For requests of a shape; `undefined` for one that static memory has no place for. */
  static of(shape: Shape): Answers | undefined {
    const slots: number[] = [];
    const rows: Rows[] = [];
    collect(shape, slots, rows);
    // The input's address, every slot, and of each array its length and its elements.
    const width = 1 + slots.length + rows.reduce((n, r) => n + 1 + ELEMENTS * (1 + r.first.length), 0);
    return slots.length === 0 || width > LONGEST ? undefined : new Answers(slots, rows, width);
  }

  /**
   * The answer to what was just written, all of it into static memory, or its template; `undefined` when there is none.
   * `hash` is one of the words written: where to look, and no proof of anything.
   */
  find(memory: Int32Array, input: number, hash: number): unknown {
    const place = (Math.imul(hash, 0x9e3779b1) >>> 16) & (PLACES - 2);
    if (this.used > 0) {
      const first = this.places[place] as number;
      if (first !== 0 && this.holds(first & (WORDS - 1), memory, input)) return this.answers[first >>> WORD_BITS];
      const second = this.places[place + 1] as number;
      if (second !== 0 && this.holds(second & (WORDS - 1), memory, input)) return this.answers[second >>> WORD_BITS];
    }
    this.place = place;
    this.note(memory, input);
    return undefined;
  }

  /** Whether the question that begins there is the one in memory. */
  private holds(from: number, memory: Int32Array, input: number): boolean {
    const { words, slots } = this;
    let at = from;
    if (words[at++] !== input) return false;
    for (let i = 0; i < slots.length; i++) if (words[at++] !== memory[slots[i] as number]) return false;
    return this.rows.length === 0 || this.areRowsAt(at, memory);
  }

  private areRowsAt(from: number, memory: Int32Array): boolean {
    const { words } = this;
    let at = from;
    for (const { count, items, first, stride } of this.rows) {
      const length = memory[count] as number;
      // Of another length, what follows is of another question.
      if (words[at++] !== length) return false;
      for (let i = 0; i < length; i++) {
        if (words[at++] !== memory[items + i]) return false;
        for (let j = 0; j < first.length; j++)
          if (words[at++] !== memory[(first[j] as number) + i * stride]) return false;
      }
    }
    return true;
  }

  /** Takes the question down: an evaluation may make memory grow, and then this view of it is gone. */
  private note(memory: Int32Array, input: number): void {
    const { asked, slots } = this;
    let n = 0;
    this.length = 0;
    asked[n++] = input;
    for (let i = 0; i < slots.length; i++) asked[n++] = memory[slots[i] as number] as number;
    for (const { count, items, first, stride } of this.rows) {
      const length = memory[count] as number;
      if (length > ELEMENTS) return;
      asked[n++] = length;
      for (let i = 0; i < length; i++) {
        asked[n++] = memory[items + i] as number;
        for (let j = 0; j < first.length; j++) asked[n++] = memory[(first[j] as number) + i * stride] as number;
      }
    }
    this.length = n;
  }

  /** Keeps the answer to the question that was looked for in vain last, if it is one to keep, or else how to make it. */
  keep(answer: unknown, template?: AnswerTemplate): void {
    const { length, place } = this;
    const kept = isConstant(answer) ? answer : template;
    if (length === 0 || kept === undefined) return;
    if (this.used + length > this.words.length) this.makeRoom();
    this.words.set(this.asked.subarray(0, length), this.used);
    // The one before moves on, and what was there is forgotten.
    this.places[place + 1] = this.places[place] as number;
    this.places[place] = (this.numberOf(kept) << WORD_BITS) | this.used;
    this.used += length;
  }

  private numberOf(answer: unknown): number {
    const known = this.numbers.get(answer);
    if (known !== undefined) return known;
    const number = this.answers.length;
    this.answers.push(answer);
    this.numbers.set(answer, number);
    return number;
  }

  /** Forgets all of them; the first time, that is room for them. */
  private makeRoom(): void {
    if (this.words.length === 0) {
      this.words = new Int32Array(WORDS);
      this.places = new Int32Array(PLACES);
    } else this.places.fill(0);
    this.answers = [undefined];
    this.numbers.clear();
    this.used = 0;
  }

  /** What was answered with other data holds no longer. */
  clear(): void {
    if (this.used > 0) this.makeRoom();
  }
}

/** The same for everybody who asks; a string might be one of the request's. */
export function isConstant(answer: unknown): boolean {
  return typeof answer === "boolean" || (typeof answer === "object" && answer !== null && Object.isFrozen(answer));
}

/** Every word of static memory that the writer fills for a shape. */
function collect(shape: Shape, slots: number[], rows: Rows[]): void {
  if (shape === "whole") return;
  if (shape.kind === "elements") {
    if (shape.rows === undefined) return;
    // There are no others (shape.ts), and what is not in the question must not be in static memory.
    if (shape.each === "whole" || shape.each.kind !== "members") throw new Error("rows without members");
    const { array, items, first, stride } = shape.rows;
    const entries = (first + RECORD_ENTRIES) >> 2;
    rows.push({
      count: (array + COLLECTION_COUNT) >> 2,
      items: items >> 2,
      first: shape.each.members.map(({ place }) => entries + place),
      stride: stride >> 2,
    });
    return;
  }
  if (shape.object === 0) return;
  for (const member of shape.members) {
    slots.push(member.place);
    collect(member.shape, slots, rows);
  }
}

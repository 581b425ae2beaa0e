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
const WORDS = 1 << 15;
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
  /** The question that was looked for last, and how many words it has; 0 for one that is not to be remembered. */
  private readonly asked: Int32Array;
  private length = 0;
  /** The first of the two places where its answer may be. */
  private place = 0;
  /** Questions, one behind the other. */
  private words = new Int32Array(0);
  private used = 0;
  /** By place, where in `words` the question begins, and its answer. */
  private questions = new Int32Array(0);
  private answers: unknown[] = [];

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

  /** The answer to what was just written, all of it into static memory, or its template; `undefined` when there is none. */
  find(memory: Int32Array, input: number): unknown {
    const { asked, slots } = this;
    asked[0] = input;
    let hash = input;
    let n = 1;
    for (let i = 0; i < slots.length; i++) {
      const word = memory[slots[i] as number] as number;
      asked[n++] = word;
      hash = Math.imul(hash, 31) + word;
    }
    this.length = n;
    if (this.rows.length > 0) {
      hash = this.addRows(memory, hash);
      if (this.length === 0) return undefined;
    }
    const place = (Math.imul(hash, 0x9e3779b1) >>> 16) & (PLACES - 2);
    this.place = place;
    return this.isAt(place) ? this.answers[place] : this.isAt(place + 1) ? this.answers[place + 1] : undefined;
  }

  /** Adds the elements of arrays to the question; their part of the hash. */
  private addRows(memory: Int32Array, slots: number): number {
    const { asked } = this;
    let hash = slots;
    let n = this.length;
    this.length = 0;
    for (const { count, items, first, stride } of this.rows) {
      const length = memory[count] as number;
      if (length > ELEMENTS) return 0;
      asked[n++] = length;
      for (let i = 0; i < length; i++) {
        const item = memory[items + i] as number;
        asked[n++] = item;
        hash = Math.imul(hash, 31) + item;
        for (let j = 0; j < first.length; j++) {
          const word = memory[(first[j] as number) + i * stride] as number;
          asked[n++] = word;
          hash = Math.imul(hash, 31) + word;
        }
      }
    }
    this.length = n;
    return hash;
  }

  /** Whether a place has the question that is looked for. Its first words say how many it has. */
  private isAt(place: number): boolean {
    if (this.answers[place] === undefined) return false;
    const { words, asked, length } = this;
    const from = this.questions[place] as number;
    for (let i = 0; i < length; i++) if (words[from + i] !== asked[i]) return false;
    return true;
  }

  /** Keeps the answer to the question that was looked for last, if it is one to keep, or else how to make it. */
  keep(answer: unknown, template?: AnswerTemplate): void {
    const { length, place } = this;
    const kept = isConstant(answer) ? answer : template;
    if (length === 0 || kept === undefined) return;
    if (this.used + length > this.words.length) this.makeRoom();
    this.words.set(this.asked.subarray(0, length), this.used);
    if (this.answers[place] !== undefined) {
      // The one before moves on, and what was there is forgotten.
      this.answers[place + 1] = this.answers[place];
      this.questions[place + 1] = this.questions[place] as number;
    }
    this.answers[place] = kept;
    this.questions[place] = this.used;
    this.used += length;
  }

  /** Forgets all of them; the first time, that is room for them. */
  private makeRoom(): void {
    if (this.words.length === 0) {
      this.words = new Int32Array(WORDS);
      this.questions = new Int32Array(PLACES);
    }
    this.answers = new Array<unknown>(PLACES).fill(undefined);
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

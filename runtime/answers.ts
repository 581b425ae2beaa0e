/**
 * Answers that an entrypoint gave before. Rules are functions of the input: where all that they read of a request is in
 * static memory, the words there are the whole question, and whoever asked it before got the answer. Nothing is decided
 * here, and only answers are kept that are the same for everybody: frozen, without a part of the request.
 */

import { COLLECTION_COUNT, RECORD_ENTRIES } from "./abi/layout.ts";
import type { Shape } from "./shape.ts";

/** Questions that one entrypoint remembers at most, and words of all of them: 256 KB. Powers of two. */
const PLACES = 4096;
const WORDS = 1 << 16;
/** Words of a longest question, with its answer. */
const LONGEST = 32;
/** Different answers that one entrypoint remembers at most. */
const ANSWERS = 4096;
/** Elements of an array in a question. */
const ELEMENTS = 7;

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
  /** Words of a question's place. The last one is the number of its answer, 0 where there is none. */
  private readonly stride: number;
  private readonly places: number;
  /** The first of the two places where the question may be, as the number of its first word. */
  private at = 0;
  /** All questions by their places: whatever is needed to find one lies together. */
  private questions = new Int32Array(0);
  /** The different answers by their numbers, and their numbers. */
  private answers: unknown[] = [];
  private readonly numbers = new Map<unknown, number>();

  private constructor(slots: readonly number[], rows: readonly Rows[], width: number) {
    this.slots = slots;
    this.rows = rows;
    this.asked = new Int32Array(width);
    this.stride = 2 ** Math.ceil(Math.log2(width + 1));
    this.places = Math.min(PLACES, WORDS / this.stride);
  }

  /** For requests of a shape; `undefined` for one that static memory has no place for. */
  static of(shape: Shape): Answers | undefined {
    const slots: number[] = [];
    const rows: Rows[] = [];
    collect(shape, slots, rows);
    // The input's address, every slot, and of each array its length and its elements.
    const width = 1 + slots.length + rows.reduce((n, r) => n + 1 + ELEMENTS * (1 + r.first.length), 0);
    return slots.length === 0 || width >= LONGEST ? undefined : new Answers(slots, rows, width);
  }

  /** The answer to what was just written, all of it into static memory; `undefined` when there is none. */
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
    const { stride } = this;
    const at = ((Math.imul(hash, 0x9e3779b1) >>> 16) & (this.places - 2)) * stride;
    this.at = at;
    return this.isAt(at) ? this.answerAt(at) : this.isAt(at + stride) ? this.answerAt(at + stride) : undefined;
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
  private isAt(at: number): boolean {
    const { questions, asked, length } = this;
    for (let i = 0; i < length; i++) if (questions[at + i] !== asked[i]) return false;
    return true;
  }

  private answerAt(at: number): unknown {
    return this.answers[this.questions[at + this.stride - 1] as number];
  }

  /** Keeps the answer to the question that was looked for last, if it is one to keep. */
  keep(answer: unknown): void {
    const { length, at, stride } = this;
    if (length === 0 || !isConstant(answer)) return;
    if (this.questions.length === 0) this.questions = new Int32Array(this.places * stride);
    if (this.answers.length > ANSWERS) this.clear();
    const { questions, answers, numbers } = this;
    let number = numbers.get(answer);
    if (number === undefined) {
      // The number 0 is no answer.
      if (answers.length === 0) answers.push(undefined);
      number = answers.push(answer) - 1;
      numbers.set(answer, number);
    }
    // The question before moves on, and what was there is forgotten.
    if (questions[at + stride - 1] !== 0) questions.copyWithin(at + stride, at, at + stride);
    questions.set(this.asked.subarray(0, length), at);
    questions[at + stride - 1] = number;
  }

  /** What was answered with other data holds no longer. */
  clear(): void {
    this.questions.fill(0);
    this.answers = [];
    this.numbers.clear();
  }
}

/** A string might be one of the request's. */
function isConstant(answer: unknown): boolean {
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

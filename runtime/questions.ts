/**
 * Questions that an entrypoint was asked before, found before anything is written. Rules are functions of the input, so
 * whoever asks what was asked before gets the answer that was given. What is told apart here is what the writer would write:
 * the members that rules read, in the order in which a request has them, each with its value - but for texts that no rule
 * reads, of which only matters which of them are equal (opaque-strings.ts). Nothing is decided here.
 *
 * Questions are a tree. A place in it is a point up to which requests were alike; it says which member comes next, and has a
 * place behind it for each value that this member had.
 */

import { Interned } from "./interned.ts";
import { isBare, isBlank, type OpaqueStrings } from "./opaque-strings.ts";
import { isPlain } from "./plain-copy.ts";
import { isWrittenInOrder, type MemberShape, type Shape, type StandIns } from "./shape.ts";

/** Places of one entrypoint, of some 100 bytes: when there is no room for another question, all are forgotten. */
const MOST_PLACES = 1 << 15;
/** Characters of a text that count as one more place. */
const CHARACTERS = 64;
/** Members in one object that nobody asks for. */
const MANY = 16;
/**
 * Where nothing is asked twice, looking for a question and keeping it is for nothing: so many may be, before one in so many
 * is. One that is found again pays for so many that are not.
 */
const CREDIT = 2048;
const SELDOM = 32;
const EARNED = 2;

const hasOwn = Object.prototype.hasOwnProperty;

/** What stands in the tree for values that are no texts or numbers. */
const OBJECT = Symbol("object");
const LIST = Symbol("list");
const TRUE = Symbol("true");
const FALSE = Symbol("false");
const NULL = Symbol("null");

/** A member, as far as it counts here, or an element of a list, whose key nobody asks for. */
interface Part {
  /** Always a text: engines compare texts with texts sooner than with what may be anything. */
  readonly key: string;
  readonly shape: Shape;
  readonly standIns: StandIns | undefined;
}

const UNKNOWN: Part = { key: "", shape: "whole", standIns: undefined };

/** Most are alike in one way to go on: what else there is has an object of its own, so that they are small. */
class Place {
  /** The member that comes next; `UNKNOWN` where nobody knows yet. */
  member: Part = UNKNOWN;
  /** A text that it had, and the place behind it. */
  text = "";
  next: Place | undefined = undefined;
  /** The mark of another value that it had, and the place behind it, or inside of it. */
  mark: symbol = NULL;
  marked: Place | undefined = undefined;
  /** The places behind all of its texts where there were several. */
  texts: Map<string, Place> | undefined = undefined;
  /** The place behind the object or the list that ends here. */
  end: Place | undefined = undefined;
  rest: Rest | undefined = undefined;
  /** To the question that ends here. */
  answer: unknown = undefined;
}

interface Rest {
  /** A member that comes next and is nobody's. */
  skipped: string | undefined;
  /** Places as this one, for other members that come next instead. */
  readonly others: Map<string, Place>;
  /** Places behind numbers, and behind marks that are not the first. */
  readonly values: Map<number | symbol, Place>;
}

export class Questions {
  private readonly shape: Shape;
  private readonly opaque: OpaqueStrings;
  /** What stands for the text of a request that has this number. */
  private readonly texts: readonly symbol[];
  private root: Place;
  private places = 0;
  private credit = CREDIT;
  /** Questions that were passed over since one was looked for. */
  private passed = 0;
  private isWanted = true;
  /** Whether places are made for what is not found. */
  private isAdding = false;

  private constructor(shape: Shape, opaque: OpaqueStrings) {
    this.shape = shape;
    this.opaque = opaque;
    this.texts = Array.from({ length: opaque.room }, (_, i) => Symbol(`text ${i}`));
    this.root = this.first();
  }

  /**
   * For requests of a shape; `undefined` where the writer does not go through the members of objects in their order, as
   * texts would have other stand-ins there than here.
   */
  static of(shape: Shape, opaque: OpaqueStrings): Questions | undefined {
    return isInOrder(shape) ? new Questions(shape, opaque) : undefined;
  }

  /** The answer to a request, or its template, whose texts are in `opaque` then; `undefined` when there is none. */
  find(request: unknown): unknown {
    if (this.credit === 0 && this.passesOver()) return undefined;
    this.opaque.shrink(0);
    const answer = this.next(request, this.root)?.answer;
    if (answer === undefined) {
      this.isWanted = true;
      if (this.credit > 0) this.credit--;
    } else if (this.credit < CREDIT) this.credit += EARNED;
    return answer;
  }

  private passesOver(): boolean {
    this.passed = (this.passed + 1) % SELDOM;
    this.isWanted = this.passed === 0;
    return !this.isWanted;
  }

  /** Whether to keep the question that was not found. */
  get wants(): boolean {
    return this.isWanted;
  }

  /**
   * Keeps the answer to a request, which is a plain copy that nobody else has and was just written: texts that have other
   * stand-ins there than here would come to stand where they do not belong.
   */
  keep(request: unknown, answer: unknown): void {
    if (this.places >= MOST_PLACES) this.clear();
    const written = this.opaque.list();
    this.opaque.shrink(0);
    this.isAdding = true;
    const place = this.next(request, this.root);
    this.isAdding = false;
    if (place === undefined) return;
    const walked = this.opaque.list();
    if (walked.length === written.length && walked.every((text, i) => text === written[i])) place.answer = answer;
  }

  /** What was answered with other data holds no longer. */
  clear(): void {
    this.root = this.first();
    this.places = 0;
  }

  private first(): Place {
    const place = new Place();
    place.member = { key: "", shape: this.shape, standIns: undefined };
    return place;
  }

  /** The place behind this value of the member that comes next; `undefined` where nobody had it. */
  private next(value: unknown, place: Place): Place | undefined {
    if (typeof value === "string") {
      const { standIns } = place.member;
      return standIns === undefined ? this.behindText(value, place) : this.behindOpaque(value, place, standIns);
    }
    if (typeof value === "boolean") return this.behind(value ? TRUE : FALSE, place);
    if (typeof value === "object" && value !== null) return this.behindComposite(value, place);
    if (value === null) return this.behind(NULL, place);
    return typeof value === "number" ? this.behindOther(value, place) : undefined;
  }

  private behindText(text: string, place: Place): Place | undefined {
    const { next, texts } = place;
    const found =
      texts === undefined ? (next !== undefined && place.text === text ? next : undefined) : texts.get(text);
    if (found !== undefined || !this.isAdding) return found;
    const made = this.made(text);
    if (next === undefined) {
      place.text = text;
      place.next = made;
    } else {
      place.texts ??= new Map([[place.text, next]]);
      place.texts.set(text, made);
    }
    return made;
  }

  private behind(mark: symbol, place: Place): Place | undefined {
    const { marked } = place;
    if (marked !== undefined) return place.mark === mark ? marked : this.behindOther(mark, place);
    if (!this.isAdding) return undefined;
    place.mark = mark;
    place.marked = this.made();
    return place.marked;
  }

  private behindOther(value: number | symbol, place: Place): Place | undefined {
    const found = place.rest?.values.get(value);
    if (found !== undefined || !this.isAdding) return found;
    const made = this.made();
    restOf(place).values.set(value, made);
    return made;
  }

  private made(text = ""): Place {
    this.places += 1 + Math.floor(text.length / CHARACTERS);
    return new Place();
  }

  /** A text that no rule reads counts as its stand-in, where the writer has one for it, and else as itself. */
  private behindOpaque(text: string, place: Place, { isAlone, isTrimmed, isOnlyTrimmed }: StandIns): Place | undefined {
    if (text.length > 0 && (!isTrimmed || isBare(text))) {
      const { opaque } = this;
      const number = isAlone ? opaque.newNumber(text) : opaque.numberOf(text);
      if (number >= 0) return this.behind(this.texts[number] as symbol, place);
    }
    // The writer would have none for all of the request.
    if (!isAlone && !(isOnlyTrimmed ? isBlank(text) : text.length === 0)) return undefined;
    return this.behindText(text, place);
  }

  private behindComposite(value: object, place: Place): Place | undefined {
    const { shape } = place.member;
    if (shape !== "whole" && shape.kind === "members") {
      if (Array.isArray(value)) return undefined;
      const inside = this.behind(OBJECT, place);
      return inside && this.members(value as Record<string, unknown>, shape, inside);
    }
    const each = shape === "whole" ? shape : shape.each;
    if (Array.isArray(value)) {
      const inside = this.behind(LIST, place);
      return inside && this.elements(value, each, inside);
    }
    if (Interned.is(value)) return this.next(value.text, place);
    if ((shape !== "whole" && !shape.ofObjects) || !isPlain(value)) return undefined;
    const inside = this.behind(OBJECT, place);
    return inside && this.values(value as Record<string, unknown>, each, inside);
  }

  /** Through the members that are wanted of an object. */
  private members(value: Record<string, unknown>, shape: MemberShape, start: Place): Place | undefined {
    let place = start;
    let others = 0;
    for (const key in value) {
      if (!hasOwn.call(value, key)) continue;
      let { member } = place;
      if (member.key !== key || member === UNKNOWN) {
        if (place.rest?.skipped === key) continue;
        const wanted = shape.byKey.get(key);
        if (wanted === undefined) {
          if (++others > MANY) return undefined;
          if (key.length <= CHARACTERS) restOf(place).skipped = key;
          continue;
        }
        member = wanted;
      }
      const item = value[key];
      if (item === undefined) continue;
      const at = member === place.member ? place : this.otherwise(place, key, member);
      const next = at && this.next(item, at);
      if (next === undefined) return undefined;
      place = next;
    }
    // An object of a class with no such member may be a handle, or something that is no data.
    return place === start && !isPlain(value) ? undefined : this.endOf(place);
  }

  private elements(list: readonly unknown[], each: Shape, start: Place): Place | undefined {
    let place = start;
    const { length } = list;
    // That of a Proxy may be anything.
    if (length >>> 0 !== length) return undefined;
    for (let i = 0; i < length; i++) {
      if (place.member === UNKNOWN) {
        if (!this.isAdding) return undefined;
        place.member = { key: "", shape: each, standIns: undefined };
      }
      const next = this.next(list[i], place);
      if (next === undefined) return undefined;
      place = next;
    }
    return this.endOf(place);
  }

  /** Through an object all of whose members are wanted. */
  private values(value: Record<string, unknown>, each: Shape, start: Place): Place | undefined {
    let place = start;
    for (const key in value) {
      if (!hasOwn.call(value, key)) continue;
      const item = value[key];
      if (item === undefined) continue;
      const isNext = place.member.key === key && place.member !== UNKNOWN;
      const at = isNext ? place : this.otherwise(place, key, { key, shape: each, standIns: undefined });
      const next = at && this.next(item, at);
      if (next === undefined) return undefined;
      place = next;
    }
    return this.endOf(place);
  }

  /** The place where requests were alike so far, and then have another member than most. */
  private otherwise(place: Place, key: string, member: Part): Place | undefined {
    const known = place.rest?.others.get(key);
    if (known !== undefined || !this.isAdding) return known;
    let at = place;
    if (place.member !== UNKNOWN) {
      at = this.made();
      restOf(place).others.set(key, at);
    }
    this.places += Math.floor(key.length / CHARACTERS);
    at.member = member;
    return at;
  }

  private endOf(place: Place): Place | undefined {
    if (place.end === undefined && this.isAdding) place.end = this.made();
    return place.end;
  }
}

function restOf(place: Place): Rest {
  place.rest ??= { skipped: undefined, others: new Map(), values: new Map() };
  return place.rest;
}

function isInOrder(shape: Shape): boolean {
  if (shape === "whole") return true;
  if (shape.kind === "elements") return isInOrder(shape.each);
  return isWrittenInOrder(shape) && shape.members.every((member) => isInOrder(member.shape));
}

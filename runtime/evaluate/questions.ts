/**
 * Questions that an entrypoint was asked before, found before anything is written. Rules are functions of the input, so
 * whoever asks what was asked before gets the answer that was given. What is told apart here is what the writer would write:
 * the members that rules read, in the order in which a request has them, each with its value - but for texts that no rule
 * reads, of which only matters which of them are equal (opaque-strings.ts). Nothing is decided here.
 *
 * A request has a form, which most requests share: which members there are, and what kind of value each has. Forms are a
 * tree that is walked while the request is read. A place in it is a point up to which requests were alike; it says which
 * member comes next, and has a place behind it for each kind of value that this member had. Where a request ends there is a
 * table of the texts that it had on the way.
 */

import { Interned } from "../encode/interned.ts";
import { isBare, isBlank, type OpaqueStrings } from "../encode/opaque-strings.ts";
import { isPlain, MOST_VALUES } from "../encode/plain-copy.ts";
import { isWrittenInOrder, type MemberShape, type Shape, type StandIns } from "../encode/shape.ts";
import { TextTable } from "./text-table.ts";

/**
 * Places of one entrypoint, of some 100 bytes: when there is no room for another question, all are forgotten. A question counts
 * as some of them, and so does each of its texts, so many values of its answer, and so many characters of a text.
 */
const MOST_PLACES = 1 << 15;
const QUESTION = 4;
const VALUES = 4;
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

/** Kinds of values: as far as the form of a request tells. */
const UNSET = -1;
/** A text, or a number, that is in the list of texts. */
const TEXT = 0;
const NUMBER = 1;
/** A text where others have stand-ins. */
const WRITTEN = 2;
const OBJECT = 3;
const LIST = 4;
const TRUE = 5;
const FALSE = 6;
const NULL = 7;
/** Whole numbers below `SMALLS` are a kind each, and so is each stand-in. */
const SMALL = 16;
const SMALLS = 16;
const STAND_IN = SMALL + SMALLS;

/** A member, as far as it counts here, or an element of a list. */
interface Part {
  readonly shape: Shape;
  readonly standIns: StandIns | undefined;
}

const UNKNOWN: Part = { shape: "whole", standIns: undefined };

/** Most have one way to go on: what else there is has an object of its own, so that they are small. */
class Place {
  /** The member that comes next; `UNKNOWN` where nobody knows yet. */
  member: Part = UNKNOWN;
  /** Its key. Always a text: engines compare texts with texts sooner than with what may be anything. */
  key = "";
  /** The kind of value that it had first, and the place behind that, or inside of it. */
  kind = UNSET;
  next: Place | undefined = undefined;
  /** The shape of the object that `next` is inside of; `undefined` where it is not inside of one with known members. */
  inside: MemberShape | undefined = undefined;
  /** The place behind the object or the list that ends here. */
  end: Place | undefined = undefined;
  rest: Rest | undefined = undefined;
  /** To the questions that end here. */
  answers: TextTable | undefined = undefined;
}

interface Rest {
  /** A member that comes next and is nobody's. */
  skipped: string | undefined;
  /** Places as this one, for other members that come next instead. */
  readonly others: Map<string, Place>;
  /** Places behind values of other kinds. */
  readonly kinds: Map<number, Place>;
}

export class Questions {
  private readonly shape: Shape;
  private readonly opaque: OpaqueStrings;
  /** Texts of the request that is read, which tell it from others of its form. */
  private readonly texts: string[] = new Array<string>(MOST_VALUES).fill("");
  private count = 0;
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
    const { opaque, texts } = this;
    opaque.restart();
    this.count = 0;
    const answer = this.behind(request, this.root)?.answers?.find(texts);
    opaque.release();
    // They may be small parts of a large request.
    for (let i = 0; i < this.count; i++) texts[i] = "";
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
   * Keeps an answer, made from so many values, to a request, which is a plain copy that nobody else has and was just written:
   * texts that have other stand-ins there than here would come to stand where they do not belong.
   */
  keep(request: unknown, answer: unknown, size: number): void {
    if (this.places >= MOST_PLACES) this.clear();
    const { opaque } = this;
    const written = opaque.texts.slice(0, opaque.size);
    opaque.restart();
    this.count = 0;
    this.isAdding = true;
    const place = this.behind(request, this.root);
    this.isAdding = false;
    if (place === undefined) return;
    if (opaque.size !== written.length || written.some((text, i) => text !== opaque.texts[i])) return;
    const texts = this.texts.slice(0, this.count);
    place.answers ??= new TextTable();
    place.answers.set(texts, answer);
    this.places += QUESTION + texts.length + Math.ceil(size / VALUES);
    for (const text of texts) this.places += Math.floor(text.length / CHARACTERS);
  }

  /** What was answered with other data holds no longer. */
  clear(): void {
    this.root = this.first();
    this.places = 0;
  }

  private first(): Place {
    const place = new Place();
    place.member = { shape: this.shape, standIns: undefined };
    return place;
  }

  /** The place behind this value of the member that comes next; `undefined` where nobody had it. */
  private behind(value: unknown, place: Place): Place | undefined {
    // What most values are, sooner than by asking what they are.
    const { kind, inside } = place;
    if (kind === TEXT && typeof value === "string") {
      this.texts[this.count++] = value;
      return place.next;
    }
    if (kind === TRUE && value === true) return place.next;
    if (kind >= STAND_IN && typeof value === "string")
      return this.behindOpaque(value, place, place.member.standIns as StandIns);
    if (inside !== undefined && typeof value === "object" && value !== null && !Array.isArray(value))
      return this.members(value as Record<string, unknown>, inside, place.next as Place);
    return this.behindAny(value, place);
  }

  private behindAny(value: unknown, place: Place): Place | undefined {
    if (typeof value === "string") {
      const { standIns } = place.member;
      return standIns === undefined ? this.behindText(value, TEXT, place) : this.behindOpaque(value, place, standIns);
    }
    if (typeof value === "boolean") return this.behindKind(value ? TRUE : FALSE, place);
    if (typeof value === "object" && value !== null) return this.behindComposite(value, place);
    if (value === null) return this.behindKind(NULL, place);
    return typeof value === "number" ? this.behindNumber(value, place) : undefined;
  }

  private behindKind(kind: number, place: Place): Place | undefined {
    if (place.kind === kind) return place.next;
    const found = place.rest?.kinds.get(kind);
    if (found !== undefined || !this.isAdding) return found;
    const made = this.made();
    if (place.kind === UNSET) {
      const { shape } = place.member;
      if (kind === OBJECT && shape !== "whole" && shape.kind === "members") place.inside = shape;
      place.kind = kind;
      place.next = made;
    } else restOf(place).kinds.set(kind, made);
    return made;
  }

  private made(): Place {
    this.places++;
    return new Place();
  }

  private behindText(text: string, kind: number, place: Place): Place | undefined {
    this.texts[this.count++] = text;
    return this.behindKind(kind, place);
  }

  private behindNumber(value: number, place: Place): Place | undefined {
    if (value >= 0 && value < SMALLS && Number.isInteger(value)) return this.behindKind(SMALL + value, place);
    return this.behindText(String(value), NUMBER, place);
  }

  /** A text that no rule reads counts as its stand-in, where the writer has one for it, and else as itself. */
  private behindOpaque(text: string, place: Place, { isAlone, isTrimmed, isOnlyTrimmed }: StandIns): Place | undefined {
    if (text.length > 0 && (!isTrimmed || isBare(text))) {
      const { opaque } = this;
      const number = isAlone ? opaque.newNumber(text) : opaque.numberOf(text);
      if (number >= 0) return this.behindKind(STAND_IN + number, place);
    }
    // The writer would have none for all of the request.
    if (!isAlone && !(isOnlyTrimmed ? isBlank(text) : text.length === 0)) return undefined;
    return this.behindText(text, WRITTEN, place);
  }

  private behindComposite(value: object, place: Place): Place | undefined {
    const { shape } = place.member;
    if (shape !== "whole" && shape.kind === "members") {
      if (Array.isArray(value)) return undefined;
      const inside = this.behindKind(OBJECT, place);
      return inside && this.members(value as Record<string, unknown>, shape, inside);
    }
    const each = shape === "whole" ? shape : shape.each;
    if (Array.isArray(value)) {
      const inside = this.behindKind(LIST, place);
      return inside && this.elements(value, each, inside);
    }
    if (Interned.is(value)) return this.behindAny(value.text, place);
    if ((shape !== "whole" && !shape.ofObjects) || !isPlain(value)) return undefined;
    const inside = this.behindKind(OBJECT, place);
    return inside && this.values(value as Record<string, unknown>, each, inside);
  }

  /** Through the members that are wanted of an object. */
  private members(value: Record<string, unknown>, shape: MemberShape, start: Place): Place | undefined {
    let place = start;
    let others = 0;
    for (const key in value) {
      if (!hasOwn.call(value, key)) continue;
      if (place.key === key && place.kind !== UNSET) {
        const item = value[key];
        if (item === undefined) continue;
        const next = this.behind(item, place);
        if (next === undefined) return undefined;
        place = next;
        continue;
      }
      if (place.rest?.skipped === key) continue;
      const member = shape.byKey.get(key);
      if (member === undefined) {
        if (++others > MANY) return undefined;
        if (key.length <= CHARACTERS) restOf(place).skipped = key;
        continue;
      }
      const item = value[key];
      if (item === undefined) continue;
      const at = this.otherwise(place, key, member);
      const next = at && this.behindAny(item, at);
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
        place.member = { shape: each, standIns: undefined };
      }
      const next = this.behind(list[i], place);
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
      const at = this.otherwise(place, key, { shape: each, standIns: undefined });
      const next = at && this.behind(item, at);
      if (next === undefined) return undefined;
      place = next;
    }
    return this.endOf(place);
  }

  /** The place where requests were alike so far, and then have this member. */
  private otherwise(place: Place, key: string, member: Part): Place | undefined {
    if (place.key === key && place.member !== UNKNOWN) return place;
    const known = place.rest?.others.get(key);
    if (known !== undefined || !this.isAdding) return known;
    let at = place;
    if (place.member !== UNKNOWN) {
      at = this.made();
      restOf(place).others.set(key, at);
    }
    this.places += Math.floor(key.length / CHARACTERS);
    at.member = member;
    at.key = key;
    return at;
  }

  private endOf(place: Place): Place | undefined {
    if (place.end === undefined && this.isAdding) place.end = this.made();
    return place.end;
  }
}

function restOf(place: Place): Rest {
  place.rest ??= { skipped: undefined, others: new Map(), kinds: new Map() };
  return place.rest;
}

function isInOrder(shape: Shape): boolean {
  if (shape === "whole") return true;
  if (shape.kind === "elements") return isInOrder(shape.each);
  return isWrittenInOrder(shape) && shape.members.every((member) => isInOrder(member.shape));
}

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
import type { MemberShape, Shape, StandIns } from "./shape.ts";

/** Places of one entrypoint: when there is no room for another question, all are forgotten. */
const MOST_PLACES = 1 << 14;
/** Members in one object that nobody asks for. */
const MANY = 16;
/** Questions that are kept before one was asked again, and how many a question that is asked again lets one keep. */
const CREDIT = 2048;
const EARNED = 4;
/** One in so many is kept when there is no credit. */
const SELDOM = 32;

const hasOwn = Object.prototype.hasOwnProperty;

class Place {
  /** The member that comes next; `undefined` where nobody knows yet, "" for an element of a list. */
  key: string | undefined = undefined;
  /** What is wanted of its value. */
  shape: Shape = "whole";
  opaque: StandIns | undefined = undefined;
  /** A member that comes next and is nobody's. */
  skipped: string | undefined = undefined;
  /** A text that the member had, and the place behind it. */
  text = "";
  behindText: Place | undefined = undefined;
  /** The same of the number of a text that no rule reads. */
  standIn = 0;
  behindStandIn: Place | undefined = undefined;
  /** The place behind `true`, and behind `false`. */
  behindTrue: Place | undefined = undefined;
  behindFalse: Place | undefined = undefined;
  /** The first place inside an object, and inside a list. */
  inObject: Place | undefined = undefined;
  inList: Place | undefined = undefined;
  /** Places behind texts where there were several, behind stand-ins, and behind other values. */
  texts: Map<string, Place> | undefined = undefined;
  standIns: (Place | undefined)[] | undefined = undefined;
  more: Map<unknown, Place> | undefined = undefined;
  /** The same for other members that come next instead. */
  others: Map<string, Place> | undefined = undefined;
  /** The place behind the object or the list that ends here. */
  end: Place | undefined = undefined;
  /** To the question that ends here. */
  answer: unknown = undefined;
}

export class Questions {
  private readonly shape: Shape;
  private readonly opaque: OpaqueStrings;
  private root: Place;
  private places = 0;
  private credit = CREDIT;
  private passed = 0;
  /** Whether places are made for what is not found. */
  private isAdding = false;

  constructor(shape: Shape, opaque: OpaqueStrings) {
    this.shape = shape;
    this.opaque = opaque;
    this.root = this.first();
  }

  /** The answer to a request, or its template, whose texts are in `opaque` then; `undefined` when there is none. */
  find(request: unknown): unknown {
    this.opaque.shrink(0);
    const answer = this.next(request, this.root)?.answer;
    if (answer !== undefined && this.credit < CREDIT) this.credit += EARNED;
    return answer;
  }

  /** Whether to keep the question that was looked for in vain last: where nothing is asked twice, that would be for nothing. */
  wants(): boolean {
    if (this.credit > 0) return true;
    this.passed = (this.passed + 1) % SELDOM;
    return this.passed === 0;
  }

  /**
   * Keeps the answer to a request, which is a plain copy that nobody else has and was just written: texts that have other
   * stand-ins there than here would come to stand where they do not belong.
   */
  keep(request: unknown, answer: unknown): void {
    if (this.places >= MOST_PLACES) this.clear();
    if (this.credit > 0) this.credit--;
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
    place.key = "";
    place.shape = this.shape;
    return place;
  }

  /** The place behind this value of the member that comes next; `undefined` where nobody had it. */
  private next(value: unknown, place: Place): Place | undefined {
    if (typeof value === "string")
      return place.opaque === undefined ? this.behindText(value, place) : this.behindOpaque(value, place, place.opaque);
    if (typeof value === "boolean")
      return value
        ? (place.behindTrue ?? this.add(place, "behindTrue"))
        : (place.behindFalse ?? this.add(place, "behindFalse"));
    if (typeof value === "object" && value !== null) return this.behindComposite(value, place);
    return typeof value === "number" || value === null ? this.behindOther(value, place) : undefined;
  }

  private add(place: Place, at: "behindTrue" | "behindFalse" | "inObject" | "inList" | "end"): Place | undefined {
    if (!this.isAdding) return undefined;
    const made = this.made();
    place[at] = made;
    return made;
  }

  private made(): Place {
    this.places++;
    return new Place();
  }

  private behindText(text: string, place: Place): Place | undefined {
    const { texts } = place;
    const found = texts === undefined ? (place.text === text ? place.behindText : undefined) : texts.get(text);
    if (found !== undefined || !this.isAdding) return found;
    const made = this.made();
    if (place.behindText === undefined) {
      place.text = text;
      place.behindText = made;
    } else {
      place.texts ??= new Map([[place.text, place.behindText]]);
      place.texts.set(text, made);
    }
    return made;
  }

  private behindOther(value: unknown, place: Place): Place | undefined {
    const found = place.more?.get(value);
    if (found !== undefined || !this.isAdding) return found;
    const made = this.made();
    place.more ??= new Map();
    place.more.set(value, made);
    return made;
  }

  /** A text that no rule reads counts as its stand-in, where the writer has one for it, and else as itself. */
  private behindOpaque(text: string, place: Place, { isAlone, isTrimmed, isOnlyTrimmed }: StandIns): Place | undefined {
    if (text.length > 0 && (!isTrimmed || isBare(text))) {
      const { opaque } = this;
      const number = isAlone ? opaque.newNumber(text) : opaque.numberOf(text);
      if (number >= 0)
        return place.standIn === number && place.behindStandIn !== undefined
          ? place.behindStandIn
          : this.behindStandIn(number, place);
    }
    // The writer would have none for all of the request.
    if (!isAlone && !(isOnlyTrimmed ? isBlank(text) : text.length === 0)) return undefined;
    return this.behindText(text, place);
  }

  private behindStandIn(number: number, place: Place): Place | undefined {
    const found = place.standIns?.[number];
    if (found !== undefined || !this.isAdding) return found;
    const made = this.made();
    if (place.behindStandIn === undefined) {
      place.standIn = number;
      place.behindStandIn = made;
    } else {
      place.standIns ??= [];
      place.standIns[number] = made;
    }
    return made;
  }

  private behindComposite(value: object, place: Place): Place | undefined {
    const { shape } = place;
    if (shape !== "whole" && shape.kind === "members") {
      if (Array.isArray(value)) return undefined;
      const inside = place.inObject ?? this.add(place, "inObject");
      return inside && this.members(value as Record<string, unknown>, shape, inside);
    }
    const each = shape === "whole" ? shape : shape.each;
    if (Array.isArray(value)) {
      const inside = place.inList ?? this.add(place, "inList");
      return inside && this.elements(value, each, inside);
    }
    if (Interned.is(value)) return this.next(value.text, place);
    if ((shape !== "whole" && !shape.ofObjects) || !isPlain(value)) return undefined;
    const inside = place.inObject ?? this.add(place, "inObject");
    return inside && this.values(value as Record<string, unknown>, each, inside);
  }

  /** Through the members that are wanted of an object. */
  private members(value: Record<string, unknown>, shape: MemberShape, start: Place): Place | undefined {
    let place = start;
    let others = 0;
    for (const key in value) {
      if (!hasOwn.call(value, key)) continue;
      let at: Place | undefined = place;
      if (place.key !== key) {
        if (place.skipped === key) continue;
        const member = shape.byKey.get(key);
        if (member === undefined) {
          if (++others > MANY) return undefined;
          place.skipped = key;
          continue;
        }
        at = this.otherwise(place, key, member.shape, member.standIns);
        if (at === undefined) return undefined;
      }
      const item = value[key];
      if (item === undefined) continue;
      const next = this.next(item, at);
      if (next === undefined) return undefined;
      place = next;
    }
    // An object of a class with no such member may be a handle, or something that is no data.
    return place === start && !isPlain(value) ? undefined : this.endOf(place);
  }

  private elements(list: readonly unknown[], each: Shape, start: Place): Place | undefined {
    let place = start;
    const { length } = list;
    for (let i = 0; i < length; i++) {
      const at = place.key === undefined ? this.otherwise(place, "", each, undefined) : place;
      const next = at && this.next(list[i], at);
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
      const at = place.key === key ? place : this.otherwise(place, key, each, undefined);
      const next = at && this.next(item, at);
      if (next === undefined) return undefined;
      place = next;
    }
    return this.endOf(place);
  }

  /** The place where requests were alike so far, and then have another member than most. */
  private otherwise(place: Place, key: string, shape: Shape, standIns: StandIns | undefined): Place | undefined {
    const known = place.others?.get(key);
    if (known !== undefined || !this.isAdding) return known;
    let at = place;
    if (place.key !== undefined) {
      at = this.made();
      place.others ??= new Map();
      place.others.set(key, at);
    }
    at.key = key;
    at.shape = shape;
    at.opaque = standIns;
    return at;
  }

  private endOf(place: Place): Place | undefined {
    return place.end ?? this.add(place, "end");
  }
}

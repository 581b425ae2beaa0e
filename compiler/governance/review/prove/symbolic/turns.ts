/** The turns of loops: over constants, over collections that are made, and over lists and objects of a request. */

import { compareValues, turnsOf, type Value } from "@portcullis/rego/value";
import { type CaseMaker, type Cases, type Item, isLoose, knownOf, type Made, membersOf, type Part } from "./cases.ts";
import type { Relations } from "./equality.ts";
import type { Formula } from "./formula.ts";
import { NotEncodable } from "./not-encodable.ts";
import type { Unknown, Unknowns } from "./unknowns.ts";

/** More turns of one loop are not looked at. */
const MOST_TURNS = 20_000;

/** One turn, where there is one. */
interface Turn {
  readonly when: Formula;
  readonly key: Cases;
  readonly value: Cases;
  /** When it comes is not known, nor whether it comes again. */
  readonly isLoose?: boolean;
}

export class Turns {
  private readonly maker: CaseMaker;
  private readonly relations: Relations;
  private readonly unknowns: Unknowns;

  constructor(maker: CaseMaker, relations: Relations) {
    this.maker = maker;
    this.relations = relations;
    this.unknowns = maker.unknowns;
  }

  of(item: Item): Turn[] {
    const { maker, unknowns } = this;
    const always = unknowns.formulas.true;
    if (item.is === "known") {
      const turns = turnsOf(item.value);
      if (turns.length > MOST_TURNS) throw new NotEncodable(`a loop of ${turns.length} turns`);
      return turns.map(([key, value]) => ({
        when: always,
        key: maker.known(key),
        value: item.value.kind === "set" ? maker.known(value) : this.relations.lifted(value),
      }));
    }
    if (item.is === "unknown") {
      if (!unknowns.isJson(item.unknown)) throw new NotEncodable("a loop over what is not known");
      return boundedTurns(unknowns, item.unknown).map(({ when, key, value }) => ({
        when,
        key: typeof key === "number" ? maker.known({ kind: "number", text: String(key) }) : maker.unknown(key),
        value: maker.unknown(value),
      }));
    }
    if (item.kind === "array") return this.ofList(item);
    const parts = item.kind === "set" ? membersOf(unknowns.formulas, item) : item.parts;
    // A member that is not known may be one of the others, and stand anywhere among them.
    if (parts === undefined) return item.parts.map(({ when, value }) => ({ when, key: value, value, isLoose: true }));
    const keyOf = (part: Part): Value => (item.kind === "set" ? (knownOf(part.value) as Value) : (part.key as Value));
    const sorted = [...parts].sort((a, b) => compareValues(keyOf(a), keyOf(b)));
    if (sorted.some((part, i) => i > 0 && compareValues(keyOf(sorted[i - 1] as Part), keyOf(part)) === 0))
      throw new NotEncodable("a loop over an object with a key that was given twice");
    return sorted.map((part) => ({ when: part.when, key: maker.known(keyOf(part)), value: part.value }));
  }

  /** The place of an element is known where all before it are there. */
  private ofList({ parts, id }: Made): Turn[] {
    const isWhole = !isLoose({ parts }) && parts.every(({ when }) => when === this.unknowns.formulas.true);
    return parts.map(({ when, value }, i) => ({
      when,
      key: isWhole
        ? this.maker.known({ kind: "number", text: String(i) })
        : this.maker.unknown(this.unknowns.named(`place ${i} of m${id}`, { from: "result" })),
      value,
      isLoose: isLoose({ parts }),
    }));
  }
}

/** The turns of a loop over a list or object that a request or host says: this many at most, as the bound has it. */
export function boundedTurns(
  unknowns: Unknowns,
  of: Unknown,
): { readonly when: Formula; readonly key: Unknown | number; readonly value: Unknown }[] {
  const { formulas, bound } = unknowns;
  unknowns.bounded.set(of.name, of);
  const places = Array.from({ length: bound }, (_, i) => i);
  return [
    ...places.map((i) => ({
      when: formulas.and(unknowns.is(of, "array"), unknowns.isLong(of, i + 1)),
      key: i,
      value: unknowns.element(of, i),
    })),
    ...places.map((i) => ({
      when: formulas.and(unknowns.is(of, "object"), unknowns.isLong(of, i + 1)),
      key: unknowns.entry("key", of, i),
      value: unknowns.entry("value", of, i),
    })),
  ];
}

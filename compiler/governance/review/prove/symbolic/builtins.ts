/** Builtins with arguments that are not known. One that is not here gives anything, or nothing. */

import type { Value } from "@portcullis/rego/value";
import { type CaseMaker, type Cases, type Item, isLoose, type Made, membersOf, scalarOf } from "./cases.ts";
import { Collections } from "./collections.ts";
import { counted, type Relations } from "./equality.ts";
import { type Arithmetic, type Formula, type Formulas, KINDS, type Kind, type TextTest } from "./formula.ts";
import { isAlike, spellingsOf } from "./spellings.ts";
import { boundedTurns } from "./turns.ts";
import type { Unknown, Unknowns } from "./unknowns.ts";

/** A builtin for constants, "unknown" where that is not to be had. */
export type KnownBuiltin = (name: string, args: readonly Value[]) => Value | "unknown" | undefined;

/** More combinations of cases are not looked at one by one. */
const MOST_COMBINED = 4000;
/** More elements that may be there or not are not counted. */
const MOST_COUNTED = 64;

const KIND_TESTS: { readonly [name: string]: Kind } = {
  is_string: "string",
  is_number: "number",
  is_boolean: "boolean",
  is_null: "null",
  is_array: "array",
  is_object: "object",
  is_set: "set",
};
const TEXT_TESTS: { readonly [name: string]: TextTest } = {
  startswith: "prefix",
  endswith: "suffix",
  contains: "contains",
};
/** Whether the order that a comparison asks for is of the first to the second argument, and takes equal ones. */
const ORDERS: { readonly [name: string]: { readonly below: boolean; readonly orEqual: boolean } } = {
  lt: { below: true, orEqual: false },
  lte: { below: true, orEqual: true },
  gt: { below: false, orEqual: false },
  gte: { below: false, orEqual: true },
};
const ARITHMETIC: { readonly [name: string]: Arithmetic } = {
  floor: "floor",
  ceil: "ceil",
  abs: "abs",
  plus: "plus",
  minus: "minus",
};
/** Builtins that are defined for numbers alone, and give one. */
const OF_NUMBERS: ReadonlySet<string> = new Set([...Object.keys(ARITHMETIC), "round", "mul", "div", "rem"]);
/** Builtins that are defined for texts alone as their first argument. */
const OF_TEXT: ReadonlySet<string> = new Set(["trim", "trim_space", "lower", "upper", "substring", "split"]);

export class Builtins {
  private readonly maker: CaseMaker;
  private readonly relations: Relations;
  private readonly unknowns: Unknowns;
  private readonly formulas: Formulas;
  private readonly collections: Collections;
  private readonly known: KnownBuiltin;
  private readonly remembered = new Map<string, Cases>();
  /** Names of builtins that give anything. */
  readonly open = new Set<string>();

  constructor(maker: CaseMaker, relations: Relations, known: KnownBuiltin) {
    this.maker = maker;
    this.relations = relations;
    this.unknowns = maker.unknowns;
    this.formulas = maker.unknowns.formulas;
    this.collections = new Collections(maker, relations);
    this.known = known;
  }

  call(name: string, args: readonly Cases[]): Cases {
    const key = `${name}(${args.map((cases) => this.maker.keysOf(cases)).join(", ")})`;
    const known = this.remembered.get(key);
    if (known !== undefined) return known;
    const result = this.combined(name, args, key);
    this.remembered.set(key, result);
    return result;
  }

  private combined(name: string, args: readonly Cases[], key: string): Cases {
    const { formulas } = this;
    const combinations = args.reduce((n, cases) => n * cases.length, 1);
    if (combinations > MOST_COMBINED) return this.anything(name, key, undefined);
    let rows: { readonly when: Formula; readonly items: readonly Item[] }[] = [{ when: formulas.true, items: [] }];
    for (const cases of args)
      rows = rows.flatMap(({ when, items }) =>
        cases.flatMap((one) => {
          const both = formulas.and(when, one.when);
          return both === formulas.false ? [] : [{ when: both, items: [...items, one.item] }];
        }),
      );
    return this.maker.merged(rows.flatMap(({ when, items }) => this.maker.guarded(this.apply(name, items), when)));
  }

  private apply(name: string, items: readonly Item[]): Cases {
    const values = items.map((item) => (item.is === "known" ? item.value : undefined));
    const key = `${name}(${items.map((item) => this.maker.keyOf(item)).join(", ")})`;
    if (!values.includes(undefined)) {
      const given = this.known(name, values as Value[]);
      if (given === "unknown") return this.anything(name, key, undefined);
      return given === undefined ? [] : this.maker.known(given);
    }
    return (
      this.symbolic(name, items) ??
      this.number(name, key, items) ??
      this.anything(name, key, this.dependence(name, items))
    );
  }

  /** `undefined`: it has no meaning in the fragment. */
  private symbolic(name: string, items: readonly Item[]): Cases | undefined {
    const { formulas } = this;
    const [a, b, c] = items;
    if (a === undefined) return undefined;
    const kind = KIND_TESTS[name];
    if (kind !== undefined) return this.kindTest(name, a, kind);
    if (b === undefined) return this.unary(name, a);
    const order = ORDERS[name];
    if (order !== undefined) return this.maker.truth(this.isOrdered(a, b, order));
    const test = TEXT_TESTS[name];
    if (test !== undefined) return this.textTest(test, a, b);
    switch (name) {
      case "equal":
        return this.maker.truth(this.relations.equal(a, b));
      case "neq":
        return this.maker.truth(formulas.not(this.relations.equal(a, b)));
      case "internal.member_2":
        return this.isMember(a, b);
      case "or":
      case "and":
      case "minus":
        return this.collections.ofSets(name, a, b);
      case "array.concat":
        return this.collections.concatenated(a, b);
      case "object.union":
        return this.collections.united(a, b);
      case "object.get":
        return c === undefined ? undefined : this.got(a, b, c);
      default:
        return undefined;
    }
  }

  /** What is known of a number that is computed. Sets have differences, too. */
  private number(name: string, key: string, items: readonly Item[]): Cases | undefined {
    if (!OF_NUMBERS.has(name)) return undefined;
    const { formulas, unknowns } = this;
    const isNumber = (item: Item): Formula => this.relations.isOfKind(item, "number");
    const areNumbers = formulas.and(...items.map(isNumber));
    if (name === "minus" && !items.every((item) => item.is === "known" || item.is === "unknown")) return undefined;
    const how = ARITHMETIC[name];
    if (how === undefined) this.open.add(name);
    const result = unknowns.named(key, { from: "result" });
    const isResult = unknowns.is(result, "number");
    const isDefined = unknowns.isDefined(result);
    if (name !== "minus") unknowns.axioms.push(formulas.or(formulas.not(isDefined), areNumbers));
    const says: Formula[] = [formulas.or(formulas.not(isDefined), isResult)];
    if (how !== undefined) {
      const from = items.map((item) => (item.is === "unknown" ? item.unknown.id : { number: numberOf(item) ?? "0" }));
      says.push(isDefined, formulas.atom({ says: "arithmetic", of: result.id, how, from }));
    }
    unknowns.axioms.push(...says.map((said) => formulas.or(formulas.not(areNumbers), said)));
    return this.maker.unknown(result);
  }

  private unary(name: string, a: Item): Cases | undefined {
    switch (name) {
      case "count":
        return this.count(a);
      case "object.keys":
        if (a.is === "unknown") return this.keysOfUnknown(a.unknown);
        if (a.is !== "made" || a.kind !== "object") return undefined;
        return this.one(
          this.maker.made(
            "set",
            a.parts.map(({ when, key }) => ({ when, value: key === undefined ? [] : this.maker.known(key) })),
          ),
        );
      case "sort":
        return this.collections.sorted(a);
      default:
        return undefined;
    }
  }

  private keysOfUnknown(unknown: Unknown): Cases | undefined {
    const { unknowns } = this;
    if (!unknowns.isJson(unknown)) return undefined;
    const entries = boundedTurns(unknowns, unknown).flatMap(({ when, key }) =>
      typeof key === "number" ? [] : [{ when, value: this.maker.unknown(key) }],
    );
    return this.maker.guarded(this.one(this.maker.made("set", entries)), unknowns.is(unknown, "object"));
  }

  private one(item: Item): Cases {
    return [{ when: this.formulas.true, item }];
  }

  private kindTest(name: string, a: Item, kind: Kind): Cases {
    const isKind = this.relations.isOfKind(a, kind);
    // What it says of others is asked, as is whether it says anything.
    const other = this.known(name, [kind === "null" ? { kind: "boolean", value: true } : { kind: "null" }]);
    const otherwise = other === undefined || other === "unknown" ? [] : this.maker.known(other);
    const { formulas } = this;
    return this.maker.merged([
      ...this.maker.guarded(this.maker.known({ kind: "boolean", value: true }), isKind),
      ...this.maker.guarded(otherwise, formulas.not(isKind)),
    ]);
  }

  /** Kinds come in the order of KINDS; of one kind, numbers are ordered here. */
  private isOrdered(
    a: Item,
    b: Item,
    { below, orEqual }: { readonly below: boolean; readonly orEqual: boolean },
  ): Formula {
    const { formulas } = this;
    if (!below) return formulas.not(this.isOrdered(a, b, { below: true, orEqual: !orEqual }));
    const ranks = KINDS.slice(1);
    const isLower = formulas.or(
      ...ranks.map((kind, i) =>
        formulas.and(
          this.relations.isOfKind(a, kind),
          formulas.or(...ranks.slice(i + 1).map((higher) => this.relations.isOfKind(b, higher))),
        ),
      ),
    );
    const alike = ranks.map((kind) =>
      formulas.and(
        this.relations.isOfKind(a, kind),
        this.relations.isOfKind(b, kind),
        this.isLess(a, b, kind, orEqual),
      ),
    );
    return formulas.or(isLower, ...alike);
  }

  private isLess(a: Item, b: Item, kind: Kind, orEqual: boolean): Formula {
    const { formulas } = this;
    if (kind === "null") return formulas.when(orEqual);
    const [x, y] = [numberOf(a), numberOf(b)];
    if (kind === "number" && a.is === "unknown" && y !== undefined)
      return formulas.atom({ says: "below", of: a.unknown.id, limit: y, orEqual });
    // x < b is: not b <= x.
    if (kind === "number" && b.is === "unknown" && x !== undefined)
      return formulas.not(formulas.atom({ says: "below", of: b.unknown.id, limit: x, orEqual: !orEqual }));
    if (kind === "number" && a.is === "unknown" && b.is === "unknown") {
      if (a.unknown === b.unknown) return formulas.when(orEqual);
      return formulas.atom({ says: "less", of: a.unknown.id, than: b.unknown.id, orEqual });
    }
    return formulas.free(`${this.maker.keyOf(a)} ${orEqual ? "<=" : "<"} ${this.maker.keyOf(b)}`);
  }

  private textTest(how: TextTest, a: Item, b: Item): Cases | undefined {
    if (a.is !== "unknown" || b.is !== "known") return undefined;
    if (b.value.kind !== "string") return [];
    const isText = this.unknowns.is(a.unknown, "string");
    return this.maker.truth(this.formulas.atom({ says: "text", of: a.unknown.id, how, part: b.value.value }), isText);
  }

  private isMember(of: Item, collection: Item): Cases | undefined {
    const { formulas } = this;
    const isOne = (values: readonly Value[]): Formula =>
      formulas.or(...values.map((value) => this.relations.equal(of, { is: "known", value })));
    switch (collection.is) {
      case "known": {
        const { value } = collection;
        if (value.kind === "object") return this.maker.truth(isOne(value.entries.map(([, v]) => v)));
        return this.maker.truth("items" in value ? isOne(value.items) : formulas.false);
      }
      case "made":
        return this.maker.truth(
          formulas.or(
            ...collection.parts.map(({ when, value }) =>
              formulas.and(
                when,
                formulas.or(...value.map((one) => formulas.and(one.when, this.relations.equal(of, one.item)))),
              ),
            ),
          ),
        );
      case "unknown": {
        const { unknown } = collection;
        if (!this.unknowns.isJson(unknown)) return undefined;
        const turns = boundedTurns(this.unknowns, unknown);
        return this.maker.truth(
          formulas.or(
            ...turns.map(({ when, value }) =>
              formulas.and(when, this.relations.equal(of, { is: "unknown", unknown: value })),
            ),
          ),
        );
      }
    }
  }

  private count(a: Item): Cases | undefined {
    const { formulas } = this;
    const number = (n: number): Cases => this.maker.known({ kind: "number", text: String(n) });
    if (a.is === "unknown") return this.countUnknown(a.unknown, number);
    if (a.is !== "made") return undefined;
    if (isLoose(a)) return this.countLoose(a, number(0));
    const parts = a.kind === "set" ? membersOf(formulas, a) : a.parts;
    if (parts === undefined || parts.length > MOST_COUNTED) return undefined;
    let exactly: Formula[] = [formulas.true];
    for (const { when } of parts) exactly = counted(formulas, exactly, when);
    return this.maker.merged(exactly.flatMap((when, n) => this.maker.guarded(number(n), when)));
  }

  /** Something is there, or nothing. */
  private countLoose({ id, parts }: Made, nothing: Cases): Cases {
    const { formulas, unknowns } = this;
    const isThere = formulas.or(...parts.map(({ when }) => when));
    const some = unknowns.named(`count(m${id})`, { from: "result" });
    const isBelow = formulas.atom({ says: "below", of: some.id, limit: "1", orEqual: false });
    unknowns.axioms.push(unknowns.is(some, "number"), formulas.not(isBelow));
    return this.maker.merged([
      ...this.maker.guarded(nothing, formulas.not(isThere)),
      ...this.maker.guarded(this.maker.unknown(some), isThere),
    ]);
  }

  private countUnknown(unknown: Unknown, number: (n: number) => Cases): Cases {
    const { formulas, unknowns } = this;
    const isList = formulas.or(...(["array", "object", "set"] as const).map((kind) => unknowns.is(unknown, kind)));
    const long = (n: number): Formula => unknowns.isLong(unknown, n);
    const most = unknowns.bound + 1;
    const short = Array.from({ length: most }, (_, n) =>
      this.maker.guarded(number(n), formulas.and(isList, long(n), formulas.not(long(n + 1)))),
    ).flat();
    const more = unknowns.named(`count(u${unknown.id})`, { from: "result" });
    const isMore = formulas.and(isList, long(most));
    const isNumber = formulas.and(
      unknowns.is(more, "number"),
      formulas.not(formulas.atom({ says: "below", of: more.id, limit: String(most), orEqual: false })),
    );
    unknowns.axioms.push(formulas.or(formulas.not(isMore), isNumber));
    unknowns.axioms.push(formulas.or(formulas.not(unknowns.isDefined(more)), unknowns.is(more, "number")));
    const isCounted = formulas.or(isMore, unknowns.is(unknown, "string"));
    return this.maker.merged([...short, ...this.maker.guarded(this.maker.unknown(more), isCounted)]);
  }

  private got(a: Item, key: Item, otherwise: Item): Cases | undefined {
    if (key.is === "known" && key.value.kind === "array") return undefined;
    const { formulas } = this;
    const isObject = this.relations.isOfKind(a, "object");
    const found = this.relations.element(this.one(a), this.one(key));
    const missing = formulas.not(this.maker.isDefined(found));
    return this.maker.guarded([...found, ...this.maker.guarded(this.one(otherwise), missing)], isObject);
  }

  /** Where one argument alone is not known, what the builtin gives for scalars of it. */
  private dependence(name: string, items: readonly Item[]): Unknown["of"] {
    const open = items.flatMap((item, i) => (item.is === "known" ? [] : [[item, i] as const]));
    const [[item, at] = [undefined, -1], more] = open;
    if (item?.is !== "unknown" || more !== undefined) return undefined;
    return {
      base: item.unknown,
      give: (base) => {
        const [given, ...others] = spellingsOf(base).map((value) =>
          this.known(
            name,
            items.map((one, i) => (i === at ? value : (one as { readonly value: Value }).value)),
          ),
        );
        return others.every((other) => isAlike(given, other)) ? given : "unknown";
      },
    };
  }

  private anything(name: string, key: string, of: Unknown["of"]): Cases {
    this.open.add(name);
    const unknown = this.unknowns.named(key, { from: "result" }, of);
    const { formulas } = this;
    if (of !== undefined && OF_TEXT.has(name)) {
      // Nothing else makes these undefined.
      const isText = this.unknowns.is(of.base, "string");
      const isDefined = this.unknowns.isDefined(unknown);
      this.unknowns.axioms.push(formulas.or(formulas.not(isDefined), isText));
    }
    return this.maker.unknown(unknown);
  }
}

function numberOf(item: Item): string | undefined {
  const scalar = item.is === "known" ? scalarOf(item.value) : undefined;
  return typeof scalar === "object" && scalar !== null ? scalar.number : undefined;
}

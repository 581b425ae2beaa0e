/** Rego values for the reference interpreter, their order, and their identity. Shares nothing with the product. */

import { isText, toBytes } from "./bytes.ts";
import { compareNum, Num } from "./number.ts";

export type Val = null | boolean | Num | string | Arr | Obj | SetVal;

export class Arr {
  readonly items: Val[];
  constructor(items: Val[] = []) {
    this.items = items;
  }
}

export class Obj {
  private readonly map = new Map<string, [Val, Val]>();

  static of(entries: Iterable<readonly [Val, Val]>): Obj {
    const o = new Obj();
    for (const [k, v] of entries) o.set(k, v);
    return o;
  }

  get size(): number {
    return this.map.size;
  }

  get(key: Val): Val | undefined {
    return this.map.get(identity(key))?.[1];
  }

  has(key: Val): boolean {
    return this.map.has(identity(key));
  }

  set(key: Val, value: Val): void {
    this.map.set(identity(key), [key, value]);
  }

  /** By key, in the order of values. */
  entries(): [Val, Val][] {
    return [...this.map.values()].sort((a, b) => compare(a[0], b[0]));
  }

  keys(): Val[] {
    return this.entries().map(([k]) => k);
  }

  values(): Val[] {
    return this.entries().map(([, v]) => v);
  }

  copy(): Obj {
    return Obj.of(this.map.values());
  }
}

export class SetVal {
  private readonly map = new Map<string, Val>();

  static of(items: Iterable<Val>): SetVal {
    const s = new SetVal();
    for (const v of items) s.add(v);
    return s;
  }

  get size(): number {
    return this.map.size;
  }

  has(value: Val): boolean {
    return this.map.has(identity(value));
  }

  add(value: Val): void {
    const id = identity(value);
    if (!this.map.has(id)) this.map.set(id, value);
  }

  items(): Val[] {
    return [...this.map.values()].sort(compare);
  }
}

/** Equal values, and only they, have the same text. */
export function identity(v: Val): string {
  if (v === null) return "n";
  if (typeof v === "boolean") return v ? "t" : "f";
  if (typeof v === "string") return JSON.stringify(v);
  if (v instanceof Num) return `${v.c}e${v.e}`;
  if (v instanceof Arr) return `[${v.items.map(identity).join(",")}]`;
  if (v instanceof Obj)
    return `{${v
      .entries()
      .map(([k, x]) => `${identity(k)}:${identity(x)}`)
      .join(",")}}`;
  return `<${v.items().map(identity).join(",")}>`;
}

function rank(v: Val): number {
  if (v === null) return 0;
  if (typeof v === "boolean") return 1;
  if (v instanceof Num) return 2;
  if (typeof v === "string") return 3;
  if (v instanceof Arr) return 4;
  if (v instanceof Obj) return 5;
  return 6;
}

/** By code points, which is the order of UTF-8 bytes; by bytes where these are no text. */
export function compareStrings(a: string, b: string): number {
  if (!isText(a) || !isText(b)) return toBytes(a).compare(toBytes(b));
  const x = [...a];
  const y = [...b];
  for (let i = 0; i < x.length && i < y.length; i++) {
    const d = (x[i] as string).codePointAt(0)! - (y[i] as string).codePointAt(0)!;
    if (d !== 0) return d < 0 ? -1 : 1;
  }
  return Math.sign(x.length - y.length);
}

function compareLists(a: readonly Val[], b: readonly Val[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const d = compare(a[i] as Val, b[i] as Val);
    if (d !== 0) return d;
  }
  return Math.sign(a.length - b.length);
}

export function compare(a: Val, b: Val): number {
  const ra = rank(a);
  const rb = rank(b);
  if (ra !== rb) return ra < rb ? -1 : 1;
  if (typeof a === "boolean") return Number(a) - Number(b);
  if (a instanceof Num) return compareNum(a, b as Num);
  if (typeof a === "string") return compareStrings(a, b as string);
  if (a instanceof Arr) return compareLists(a.items, (b as Arr).items);
  if (a instanceof SetVal) return compareLists(a.items(), (b as SetVal).items());
  if (a instanceof Obj) return compareLists(a.entries().flat(), (b as Obj).entries().flat());
  return 0;
}

export const equal = (a: Val, b: Val): boolean => compare(a, b) === 0;

/** What `a[key]` is: an element, a member, or undefined. */
export function dot(source: Val, key: Val): Val | undefined {
  if (source instanceof Obj) return source.get(key);
  if (source instanceof SetVal) return source.has(key) ? key : undefined;
  if (source instanceof Arr && key instanceof Num) {
    const i = key.index;
    return i === undefined || i < 0 ? undefined : source.items[i];
  }
  return undefined;
}

/** Pairs of key and value in order; undefined for what cannot be iterated. */
export function pairs(source: Val): [Val, Val][] | undefined {
  if (source instanceof Obj) return source.entries();
  if (source instanceof SetVal) return source.items().map((v) => [v, v]);
  if (source instanceof Arr) return source.items.map((v, i) => [Num.of(i), v]);
  return undefined;
}

/** Sets as arrays, keys as strings: what OPA prints as JSON. */
export function toJson(v: Val): Val {
  if (v instanceof Arr) return new Arr(v.items.map(toJson));
  if (v instanceof SetVal) return new Arr(v.items().map(toJson));
  if (v instanceof Obj)
    return Obj.of(v.entries().map(([k, x]) => [typeof k === "string" ? k : print(toJson(k)), toJson(x)]));
  return v;
}

/** Rego text of a value, which for JSON values is compact JSON. */
export function print(v: Val, space = ""): string {
  if (v === null || typeof v === "boolean") return String(v);
  if (typeof v === "string") return JSON.stringify(v);
  if (v instanceof Num) return v.toString();
  if (v instanceof Arr) return `[${v.items.map((x) => print(x, space)).join(`,${space}`)}]`;
  if (v instanceof Obj)
    return `{${v
      .entries()
      .map(([k, x]) => `${print(k, space)}:${space}${print(x, space)}`)
      .join(`,${space}`)}}`;
  return v.size === 0
    ? "set()"
    : `{${v
        .items()
        .map((x) => print(x, space))
        .join(`,${space}`)}}`;
}

/**
 * Rules whose loops make values in their turns, and let them out in every way: into collections and members of collections,
 * results of rules and functions, keys, remembered results, patterns, other data. Whatever a turn gives back too early is written
 * over by the turns behind it.
 */

import type { Random } from "./random.ts";

export interface Turns {
  readonly module: string;
  readonly data: Record<string, unknown>;
}

/** A module of the package `name`. */
export function turns(random: Random, name: string): Turns {
  return new Writer(random, name).make();
}

class Writer {
  private readonly random: Random;
  private readonly name: string;
  private readonly rows: string;
  private vars = 0;

  constructor(random: Random, name: string) {
    this.random = random;
    this.name = name;
    this.rows = `data.${name}_turns`;
  }

  make(): Turns {
    const { random, name } = this;
    const rules = random.times(3 + random.int(3), (i) => this.rule(`t${i}`));
    const helpers = [
      'made(x) := {"m": concat("-", ["made", format_int(x * 1000, 10)]), "n": [x * 1000, [x]]}',
      "hide(x) := x if input.never == 1 else := x",
      `long(x) := {z | some y in ${this.rows}; z := [x, y.v * 1000, {"w": sprintf("%v/%v", [x, y.k])}]}`,
      `first(x) := r.k if {\n\tsome r in ${this.rows}\n\tr.v == x\n} else := concat("", ["none", "of", r.t]) if {\n\tsome r in ${this.rows}\n}`,
      `once := [{"k": upper(r.k), "v": r.v * 3000} | some r in ${this.rows}]`,
      `by_key[upper(r.k)] contains [r.v * 2000, r.t] if some r in ${this.rows}`,
    ];
    const rows = random.times(3 + random.int(6), () => ({
      k: random.pick(["aa", "bb", "cc", "dd"]),
      v: random.int(5),
      t: random.pick(["x", "y"]),
      l: random.times(random.int(4), () => random.int(400)),
    }));
    return { module: [`package ${name}`, ...helpers, ...rules].join("\n\n"), data: { [`${name}_turns`]: rows } };
  }

  private fresh(): string {
    return `v${this.vars++}`;
  }

  /** A loop that gives `as` a row. */
  private loop(as: string): string {
    const { random, rows } = this;
    const i = this.fresh();
    return random.pick([
      `some ${as} in ${rows}`,
      `some ${i}\n\t${as} := ${rows}[${i}]`,
      `some ${as} in array.slice(${rows}, 0, 7)`,
      `some ${as} in array.reverse([${i} | some ${i} in ${rows}])`,
      `some ${i} in ["aa", "bb", "cc"]\n\tsome ${as} in ${rows}\n\t${as}.k == ${i}`,
    ]);
  }

  /** Something new, of a row. */
  private value(row: string, depth = 2): string {
    const { random } = this;
    const inner = (): string => (depth === 0 ? `${row}.v * 1000` : this.value(row, depth - 1));
    const x = this.fresh();
    return random.oneOf(
      [3, () => `concat("/", [${row}.k, ${row}.t, "${x}"])`],
      [2, () => `${row}.v + ${1000 + random.int(9)}`],
      [2, () => `sprintf("%v-%v", [${row}.v, ${row}.k])`],
      [2, () => `[${inner()}, ${row}.k]`],
      [2, () => `{"a": ${inner()}, "b": ${inner()}}`],
      [1, () => `{concat("", [${row}.k, "${x}"]): ${inner()}}`],
      [1, () => `{${inner()}, ${row}.v}`],
      [2, () => `made(${row}.v)`],
      [1, () => `made(${row}.v).n[1]`],
      [1, () => `long(${row}.v)`],
      [1, () => `first(${row}.v)`],
      [1, () => "once[0]"],
      [1, () => `object.get(by_key, upper(${row}.k), concat("", ["n", ${row}.t]))`],
      [1, () => `object.union({"u": ${inner()}}, {"k": ${row}.k})`],
      [1, () => `split(concat(",", [${row}.k, ${row}.t]), ",")`],
      [1, () => `array.concat(${row}.l, [${inner()}])`],
      [1, () => `regex.split(concat("", ["[", ${row}.k, "]"]), "1${x}a2b3c4d5")`],
      [1, () => `json.unmarshal(json.marshal(${inner()}))`],
      [1, () => `[y | some z in ${row}.l; y := z * 1000]`],
      [1, () => `{y: z | some z in ${row}.l; y := format_int(z * 1000, 10)}`],
      [1, () => `count([1 | some z in ${row}.l; z * 1000 > ${random.int(300_000)}])`],
    );
  }

  /** Statements that make values and let none out, or some to what stands behind them. */
  private condition(row: string): string {
    const { random } = this;
    const e = this.fresh();
    return random.oneOf(
      [3, () => "true"],
      [2, () => `${row}.v * 1000 >= ${random.int(4) * 1000}`],
      [2, () => `concat("", [${row}.k, ${row}.t]) != "${random.pick(["aax", "bby", "ccx"])}"`],
      [1, () => `not hide(${this.value(row)}) == hide(${this.value(row)})`],
      [1, () => `every ${e} in ${row}.l {\n\t\t${e} * 1000 < 390000\n\t\tsprintf("%d", [${e}]) != "7"\n\t}`],
      [1, () => `some ${e} in ${row}.l\n\t${e} * 1000 > ${random.int(200) * 1000}`],
      [1, () => `count([${this.value(row)}]) >= 0`],
      [1, () => `regex.match(concat("", ["^", ${row}.k]), "${random.pick(["aa", "bb", "ccd"])}")`],
    );
  }

  private body(row: string): string {
    return `${this.loop(row)}\n\t${this.random.times(1 + this.random.int(2), () => this.condition(row)).join("\n\t")}`;
  }

  private comprehension(depth: number): string {
    const { random } = this;
    const row = this.fresh();
    const value = this.fresh();
    const made = depth > 0 && random.chance(0.4) ? this.comprehension(depth - 1) : this.value(row);
    const body = `${this.body(row)}\n\t${value} := ${made}`;
    const more = random.pick(["", "", `\n\t${this.condition(row)}`]);
    return random.oneOf(
      [3, () => `[${value} | ${body}${more}]`],
      [2, () => `{${value} | ${body}${more}}`],
      [2, () => `{[${row}, ${value}]: ${value} | ${body}${more}}`],
      [1, () => `{concat("", [${row}.k, sprintf("%v", [${value}])]): [${value}, ${value}] | ${body}${more}}`],
      [1, () => `count([${value} | ${body}${more}])`],
    );
  }

  private rule(name: string): string {
    const { random } = this;
    const row = this.fresh();
    const body = (): string => this.body(row);
    const asked = (): string => this.value(row);
    return random.oneOf(
      [5, () => `${name} := ${this.comprehension(2)}`],
      [2, () => `${name} contains ${asked()} if {\n\t${body()}\n}`],
      [2, () => `${name}[[${row}, ${asked()}]] := ${asked()} if {\n\t${body()}\n}`],
      [2, () => `${name}[${row}.k] contains ${asked()} if {\n\t${body()}\n}`],
      [1, () => `${name}[${row}.k][${row}.t] contains ${asked()} if {\n\t${body()}\n}`],
      [
        2,
        () =>
          `${name} := [min(all), max(all), count(all)] if all := [x | some x in hide([${this.comprehension(1)}])[0]]`,
      ],
      [
        2,
        () =>
          `${name}_f(x) := y if {\n\t${body()}\n\t${row}.v == x\n\ty := [x, {"k": x * 1000}]\n}\n\n${name} := [y | some z in [0, 1, 2, 1]; y := ${name}_f(z)]`,
      ],
      [
        1,
        () =>
          `${name} := [y | ${body()}\n\ty := ${name}_with with data.${this.name}_w as ${asked()}]\n\n${name}_with := [data.${this.name}_w, concat("", ["w", "w"])]`,
      ],
      [
        1,
        () =>
          `${name} := y if {\n\tsome z in [1, 2, 3]\n\tz * 1000 > 1500\n\ty := ["same", concat("-", ["a", "b"])]\n}`,
      ],
      [
        1,
        () =>
          `${name} if {\n\tevery ${row} in ${this.rows} {\n\t\tsome z in ${row}.l\n\t\tcount([${asked()}]) >= z * 1000\n\t}\n}`,
      ],
      [
        1,
        () =>
          `${name} := r if {\n\tr := ${name}_walked(${this.rows})\n}\n\n${name}_walked(x) := {concat(".", [sprintf("%v", [s]) | some s in p]): v | walk(x, [p, v]); is_number(v)}`,
      ],
    );
  }
}

/**
 * Rules that an evaluation asks again and again, or for a part: groupings of rows by a variable of a loop, functions that call
 * the next one twice, partial objects that are asked by key. Rows disagree now and then, and so do functions, for some keys.
 */

import type { Random } from "./random.ts";

export interface Repeated {
  readonly modules: readonly string[];
  readonly data: Record<string, unknown>;
}

const KEYS = ['"a"', '"b"', '"c"', '"d"', "1", "2", "null", "true", '["a", 1]', '{"a": 1}'];
const KEY_VALUES = ["a", "b", "c", "d", 1, 2, null, true, ["a", 1], { a: 1 }];

/** Modules of the packages `name`, which asks, and `name`_asked, with rows that both read. */
export function repeated(random: Random, name: string): Repeated {
  return new Writer(random, name).make();
}

/** The module with groupings that OPA makes no index for, since what they group by stands in a comprehension of its own. */
export function ungrouped(module: string): string {
  const own = (key: string): string => `q.${key} == [y | y := ${key}][0]`;
  return module.replaceAll(/q\.k ==? k|k == q\.k/g, own("k")).replaceAll("q.t == t", own("t"));
}

class Writer {
  private readonly random: Random;
  private readonly name: string;
  private readonly rows: string;

  constructor(random: Random, name: string) {
    this.random = random;
    this.name = name;
    this.rows = `data.${name}_rows`;
  }

  make(): Repeated {
    const { random, name } = this;
    const asked = [
      `package ${name}_asked`,
      ...random.times(1 + random.int(3), (i) => this.object(`o${i % 2}`)),
      'o0["z"] := 0 if false',
      'o1["z"] := 0 if false',
      this.chain(),
    ];
    const asking = [`package ${name}`, ...random.times(2 + random.int(3), (i) => this.question(i))];
    const modules = [asked.join("\n\n"), asking.join("\n\n")];
    return { modules, data: { [`${name}_rows`]: this.rowsOfData() } };
  }

  private rowsOfData(): object[] {
    const { random } = this;
    return random.times(2 + random.int(7), () => ({
      ...(random.chance(0.9) ? { k: random.pick(KEY_VALUES) } : {}),
      ...(random.chance(0.9) ? { v: random.chance(0.7) ? 1 : random.int(3) } : {}),
      t: random.pick(["x", "y"]),
    }));
  }

  private key(): string {
    return this.random.pick(KEYS);
  }

  /** What a question asks of an object's value. */
  private below(): string {
    return this.random.pick(['"x"', '"y"', `${this.rows}[0].t`, `${this.rows}[1].t`, '"v"', '"s"']);
  }

  private row(): string {
    return this.random.pick([`some r in ${this.rows}`, `some i\n\tr := ${this.rows}[i]`]);
  }

  private condition(): string {
    return this.random.pick(['r.t == "x"', "r.v > 0", 'r.k != "a"', "not r.v == 2", "true", "f2(r.v)"]);
  }

  private object(name: string): string {
    const { random } = this;
    const body = `if {\n\t${this.row()}\n\t${this.condition()}\n}`;
    const fixed = (): string => `${name}[${this.key()}] := ${random.int(2)} if {\n\t${this.rows}[_].t == "y"\n}`;
    const rule = random.oneOf(
      [5, () => `${name}[r.k] := r.v ${body}`],
      [2, () => `${name}[k] := v if {\n\t${this.row()}\n\tk := r.k\n\tv := f1(r.v)\n}`],
      [1, () => `${name}[r.k].v := r.v ${body}`],
      [1, () => `${name}[r.k].s contains r.v ${body}`],
      [3, () => `${name}[r.k][r.t] := r.v ${body}`],
      [1, () => `${name}[[r.k, r.t]] := r.v ${body}`],
    );
    return random.chance(0.3) ? `${rule}\n\n${fixed()}` : rule;
  }

  /** `f0` to `f3`: each calls the next one twice, and the last may have two values. */
  private chain(): string {
    const { random } = this;
    const twice = (f: string): string =>
      random.pick([`[${f}(x), ${f}(x)]`, `[${f}(x), ${f}([x])]`, `{${f}(x), 1}`, `[y | some y in [x, x]; ${f}(y)]`]);
    const last = random.pick(["f3(x) := x", "f3(x) := x if x != 1", `f3(x) := ${this.rows}[0].k`]);
    const other = random.chance(0.3) ? `\n\nf3(x) := ${random.int(3)} if x == ${random.int(3)}` : "";
    return `f0(x) := ${twice("f1")}\n\nf1(x) := ${twice("f2")}\n\nf2(x) := ${twice("f3")}\n\n${last}${other}`;
  }

  private question(i: number): string {
    const { random, name } = this;
    const object = `data.${name}_asked.${random.pick(["o0", "o1"])}`;
    const rule = `asked${i}`;
    const under = random.chance(0.15)
      ? ` with ${this.rows} as [{"k": "a", "v": ${random.int(3)}}, {"k": "a", "v": 1}]`
      : "";
    return random.oneOf(
      [3, () => `${rule} := ${object}[${this.key()}]${under === "" ? "" : ` if {\n\ttrue${under}\n}`}`],
      [2, () => `${rule} if ${object}[${this.rows}[0].k]${under}`],
      [2, () => `${rule} := [x | some k in [${this.key()}, ${this.key()}]; x := ${object}[k]${under}]`],
      [
        2,
        () => `${rule} := ${object}[${this.key()}][${this.below()}]${under === "" ? "" : ` if {\n\ttrue${under}\n}`}`,
      ],
      [
        1,
        () => `${rule} := [x | some k in [${this.key()}, ${this.key()}]; x := ${object}[k][${this.below()}]${under}]`,
      ],
      [
        1,
        () =>
          `g${i}(k) := ${object}[k]\n\n${rule} := [g${i}(${this.key()}), [x | some k in [${this.key()}]; x := g${i}(k)]]`,
      ],
      [1, () => `${rule} := [x | x := ${object}[${this.key()}][_]${under}]`],
      [2, () => `${rule} := data.${name}_asked.f0(${random.pick([...KEYS, "1", "0"])})`],
      [1, () => `${rule} := {[k, x] | some k in [${this.key()}, 1, 1]; x := data.${name}_asked.f0(k)${under}}`],
      [4, () => this.grouping(rule)],
    );
  }

  private grouping(rule: string): string {
    const { random } = this;
    const test = random.pick(["q.k == k", "k == q.k", "q.k = k", "q.k == k; q.t == t"]);
    const more = random.pick(["", "; q.v > 0", `; not q.t == "x"`, `; data.${this.name}_asked.f3(q.v)`]);
    const result = random.pick([
      "[q.v | BODY]",
      "{q.v | BODY}",
      "[[q.v, t] | BODY]",
      "{x | BODY; x := q.v}",
      "{q.v: t | BODY}",
      "{q.t: q.v | BODY}",
    ]);
    const found = result.replace("BODY", `some q in ${this.rows}; ${test}${more}`);
    return `${rule} := [[k, found] |\n\tsome r in ${this.rows}\n\tk := ${random.pick(["r.k", "r.v", "r.t"])}\n\tt := r.t\n\tfound := ${found}\n]`;
  }
}

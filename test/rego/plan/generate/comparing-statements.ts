/** Statements and terms of programs that compare parts of the input, for comparing.ts. */

import { Random } from "./random.ts";

export const MEMBERS = ["input.a", "input.b", "input.c", "input.o.a", "input.o.b", "input.o.z.a"];
export const LISTS = ["input.l", "input.m", "input.o.l"];
/** What some rules take for a list, and others for a text or an object. */
const DOUBTFUL = ["input.l[0]", "input.o", "input.o.z", "input.a", "input.l[_].k", "input.o[input.a]"];
const ELEMENT_MEMBERS = ["id", "id", "id", "k", "other"];
export const CONSTANTS = ['"k1"', '"k1"', '"root"', '"a"', '""', "1", "0", "true", "false", "null"];
/** What may be cut off the ends of a text, nothing that one of the input begins with most of the time. */
export const CUTSETS = ['" "', '" "', '" \\t"', '"\\t"', '" \\u00e9"', '" -"', '"k"', "input.c"];
const COMPOSITES = ["[]", '["k1"]', '{"id": "k1"}', "{}"];

export interface Callable {
  readonly name: string;
  readonly arity: number;
}

/** What has a value where a statement stands. */
export type Scope = string[];

export class ComparingStatements extends Random {
  protected readonly functions: Callable[] = [];
  protected readonly rules: string[] = [];
  private nextVar = 0;
  /** How often a text is compared with a constant: where it never is, only whether two texts are the same matters. */
  protected constants = 0;
  /** How often elements of lists, or whole lists, are used for themselves. */
  protected wholes = 0;
  /** How often parts are compared with the host's data. */
  protected hosts = 0;
  /** How often parts are trimmed before anything else happens to them. */
  protected trims = 0;
  /** Those that rules use: where they are few, several rules use the same. */
  protected lists: readonly string[] = LISTS;
  protected members: readonly string[] = MEMBERS;

  protected call({ name, arity }: Callable, argument: () => string): string {
    return `${name}(${this.times(arity, argument).join(", ")})`;
  }

  protected otherwise(params: readonly string[]): string {
    return this.oneOf(
      [4, () => this.pick(['"k1"', '"root"'])],
      [2, () => this.pick(CONSTANTS)],
      [2, () => this.member()],
      [1, () => `data.host.${this.pick(["a", "k1"])}`],
      [1, () => `data.host[${this.member()}]`],
      [1, () => 'concat("o", ["r", "ot"])'],
      [params.length, () => this.pick(params)],
    );
  }

  protected body(scope: Scope, max: number): string {
    const lines = this.times(1 + this.int(max), () => this.statement(scope, 1)).flat();
    return lines.map((l) => `\t${l}\n`).join("");
  }

  private statement(scope: Scope, depth: number): string[] {
    return this.oneOf<string[]>(
      [6, () => [this.comparison(scope)]],
      [5, () => this.elements(scope)],
      [3, () => this.pairs()],
      [10 * this.wholes, () => this.doubtful(scope)],
      [1, () => this.assignment(scope)],
      [1, () => [`is_${this.pick(["string", "array", "object", "boolean"])}(${this.place()})`]],
      [depth, () => [`not ${this.comparison([...scope])}`]],
      [depth, () => this.every(scope)],
      [this.rules.length > 0 ? 1 : 0, () => [`${this.chance(0.4) ? "not " : ""}${this.pick(this.rules)}`]],
      [this.rules.length > 0 ? 0.3 : 0, () => [`${this.pick(this.rules)} with ${this.place()} as ${this.term(scope)}`]],
    );
  }

  protected comparison(scope: Scope): string {
    // Whether it is one of these shows without its text.
    if (this.chance(0.2)) return `${this.member()} ${this.pick(["==", "!="])} ${this.pick(["true", "1", "null"])}`;
    const operator = this.pick(["==", "!=", "!="]);
    const left = this.part(scope);
    // Two constants are a type error more often than not.
    return `${left} ${operator} ${this.term(scope)}`;
  }

  protected elements(scope: Scope): string[] {
    const list = this.pick(this.lists);
    const x = this.fresh();
    const id = `${x}.${this.pick(ELEMENT_MEMBERS)}`;
    const found = this.oneOf<string[]>(
      [4, () => [`some ${x} in ${list}`, `${id} ${this.pick(["==", "!="])} ${this.term(scope)}`]],
      [1, () => [`some ${x} in ${list}`, id]],
      [1, () => [`some i${x}, ${x} in ${list}`, `i${x} ${this.pick([">", "==", "!="])} ${this.int(3)}`]],
      [1, () => [`${x} := ${list}[${this.chance(0.7) ? this.int(3) : "input.c"}]`, `${id} == ${this.term(scope)}`]],
    );
    scope.push(id);
    return found;
  }

  /** Two elements of one list, or of two. */
  protected pairs(): string[] {
    const list = this.pick(this.lists);
    const [x, y] = [this.fresh(), this.fresh()];
    const key = this.pick(ELEMENT_MEMBERS);
    const other = this.chance(0.7) ? key : this.pick(ELEMENT_MEMBERS);
    const end = this.chance(this.wholes) ? `${x} == ${y}` : `${x}.${key} ${this.pick(["==", "=="])} ${y}.${other}`;
    return this.chance(0.6)
      ? [`some i${x}, ${x} in ${list}`, `some i${y}, ${y} in ${list}`, `i${x} < i${y}`, end]
      : [`some ${x} in ${list}`, `some ${y} in ${this.pick(this.lists)}`, end];
  }

  /** Uses of elements, and of what other rules take for something else. */
  protected doubtful(scope: Scope): string[] {
    const list = this.chance(0.8) ? this.pick(this.lists) : this.pick(DOUBTFUL);
    const [x, y] = [this.fresh(), this.fresh()];
    const value = this.chance(0.5) ? this.pick(CONSTANTS) : this.term(scope);
    return this.oneOf<string[]>(
      [3, () => [`some ${x} in ${list}`, `${x} == ${value}`]],
      [2, () => [`some ${x} in ${list}`, `some ${y} in ${x}`, `${y}.id == ${value}`]],
      [1, () => [`some ${x} in ${list}`, `some ${y} in ${x}`, `${y} == ${value}`]],
      [1, () => [`some ${x} in ${list}`, `${x}.id.a == ${value}`]],
      [1, () => [`some ${x} in ${list}`, `${x}.k[_].id == ${value}`]],
      [1, () => [`some ${x} in ${list}`, `count(${x}) == ${this.int(3)}`]],
      [1, () => [`some ${x}, ${y} in ${list}`, `${x} == ${value}`, `${y}.id`]],
      [2, () => [`count(${list}) ${this.pick([">", "==", "<"])} ${this.int(4)}`]],
      [1, () => [`${value} in ${list}`]],
      [1, () => [`is_object(${list}[${this.pick(["0", "_"])}])`]],
      [1, () => [`${list}[${this.int(2)}] == ${value}`]],
      [1, () => [`${list}[${this.int(2)}][0] == ${value}`]],
      [1, () => [`${list}.${this.pick(["id", "a", "z.a", "l[0].id"])} ${this.pick(["==", "!="])} ${value}`]],
      [1, () => [`${list} ${this.pick(["==", "!="])} ${this.pick([this.place(), this.pick(COMPOSITES)])}`]],
      [1, () => [`every ${x} in ${list} { ${x} != ${value} }`]],
      [1, () => [`not ${list}${this.pick(["[0]", ".a", ".id"])}`]],
      [1, () => [`object.get(${list}, "id", 0) == ${value}`]],
      [0.5, () => [`walk(${list}, [_, ${x}])`, `${x} == ${value}`]],
      [0.5, () => [`input == ${this.pick([...COMPOSITES, "input.a"])}`]],
    );
  }

  private assignment(scope: Scope): string[] {
    const v = this.fresh();
    const lines = this.oneOf<string[]>(
      [3, () => [`${v} := ${this.term(scope)}`]],
      [1, () => [`some ${v} in [${this.term(scope)}, ${this.term(scope)}]`]],
      [1, () => [`[${v}, ${this.term(scope)}] = [${this.part(scope)}, ${this.part(scope)}]`]],
      [1, () => [`{"k1": ${v}} = {"k1": ${this.part(scope)}}`]],
      [1, () => [`${v} := {${this.part(scope)}, ${this.part(scope)}}[_]`]],
    );
    scope.push(v);
    return lines;
  }

  protected every(scope: Scope): string[] {
    const x = this.fresh();
    const inner = [...scope, `${x}.${this.pick(ELEMENT_MEMBERS)}`];
    const tests = this.times(1 + this.int(2), () => this.comparison(inner));
    return [
      `every ${x} in ${this.pick(this.lists)} { ${x}.id ${this.pick(["!=", "=="])} ${this.term(scope)}; ${tests.join("; ")} }`,
    ];
  }

  protected term(scope: Scope): string {
    const simple = (): string => {
      if (this.chance(this.hosts)) return `data.host.${this.pick(["a", "k1"])}`;
      return this.chance(this.constants) ? this.pick(CONSTANTS) : this.part(scope);
    };
    return this.oneOf<string>(
      [8, simple],
      [this.functions.length > 0 ? 2 : 0, () => this.call(this.pick(this.functions), simple)],
      [this.rules.length > 0 ? 2 : 0, () => this.pick(this.rules)],
      [this.wholes, () => `[${simple()}, ${simple()}]`],
      [this.wholes, () => `object.get(input.o, "a", ${simple()})`],
      [this.constants, () => `data.host[${simple()}]`],
    );
  }

  /** A part of the input, or what is left of it. */
  protected part(scope: Scope): string {
    const part = this.whole(scope);
    if (!this.chance(this.trims)) return part;
    const cutset = this.chance(0.8) ? this.pick(CUTSETS.slice(0, 3)) : this.pick(CUTSETS);
    return this.oneOf(
      [6, () => `trim(${part}, ${cutset})`],
      [2, () => `trim_space(${part})`],
      [1, () => `trim_left(${part}, ${cutset})`],
      [1, () => `trim_right(${part}, ${cutset})`],
      [0.5, () => `trim(trim_space(${part}), ${cutset})`],
    );
  }

  private whole(scope: Scope): string {
    if (scope.length > 0 && this.chance(0.5)) return this.pick(scope);
    if (this.chance(0.1)) return `${this.pick(this.lists)}[${this.int(2)}].${this.pick(ELEMENT_MEMBERS)}`;
    return this.chance(this.wholes / 4) ? this.pick([...this.lists, ...DOUBTFUL.slice(0, 3)]) : this.member();
  }

  /** Two of them more often: that two statements use the same matters most. */
  protected member(): string {
    return this.chance(0.5) ? this.pick(this.members.slice(0, 2)) : this.pick(this.members);
  }

  private place(): string {
    return this.pick([...this.members, ...this.lists]);
  }

  protected fresh(): string {
    return `w${this.nextVar++}`;
  }
}

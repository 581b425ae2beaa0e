/**
 * Random programs whose rules compare parts of the input with each other and with constants: directly, through functions
 * with several definitions, through rules with `else`, element by element, trimmed; or put them into answers. Several entrypoints use the same paths, each in
 * its own way. Each program has a sequence of requests to be asked of one loaded policy.
 */

import { Random } from "./random.ts";
import { type Question, requests } from "./requests.ts";

export interface Comparing {
  readonly modules: readonly string[];
  readonly package: string;
  /** `pkg/rule`, each asked every question. */
  readonly entrypoints: readonly string[];
  readonly questions: readonly Question[];
}

/** As long as all that a policy remembers, and what it leaves in memory, can be met again. */
const QUESTIONS = 100;

export function generateComparing(seed: number, name = "f"): Comparing {
  const generator = new Generator(seed);
  const { text, rules } = generator.program(name);
  return {
    modules: [text],
    package: name,
    entrypoints: rules.map((rule) => `${name}/${rule}`),
    questions: requests(generator, QUESTIONS),
  };
}

const MEMBERS = ["input.a", "input.b", "input.c", "input.o.a", "input.o.b", "input.o.z.a"];
const LISTS = ["input.l", "input.m", "input.o.l"];
/** What some rules take for a list, and others for a text or an object. */
const DOUBTFUL = ["input.l[0]", "input.o", "input.o.z", "input.a", "input.l[_].k", "input.o[input.a]"];
const ELEMENT_MEMBERS = ["id", "id", "id", "k", "other"];
const CONSTANTS = ['"k1"', '"k1"', '"root"', '"a"', '""', "1", "0", "true", "false", "null"];
/** What may be cut off the ends of a text, nothing that one of the input begins with most of the time. */
const CUTSETS = ['" "', '" "', '" \\t"', '"\\t"', '" \\u00e9"', '" -"', '"k"', "input.c"];
const COMPOSITES = ["[]", '["k1"]', '{"id": "k1"}', "{}"];

interface Callable {
  readonly name: string;
  readonly arity: number;
}

/** What has a value where a statement stands. */
type Scope = string[];

class Generator extends Random {
  private readonly functions: Callable[] = [];
  private readonly rules: string[] = [];
  private nextVar = 0;
  /** How often a text is compared with a constant: where it never is, only whether two texts are the same matters. */
  private constants = 0;
  /** How often elements of lists, or whole lists, are used for themselves. */
  private wholes = 0;
  /** How often parts are compared with the host's data. */
  private hosts = 0;
  /** How often parts are trimmed before anything else happens to them. */
  private trims = 0;
  /** Those that rules use: where they are few, several rules use the same. */
  private lists: readonly string[] = LISTS;
  private members: readonly string[] = MEMBERS;

  program(name: string): { readonly text: string; readonly rules: readonly string[] } {
    this.constants = this.pick([0, 0, 0.05, 0.3]);
    this.wholes = this.pick([0, 0, 0.1, 0.4]);
    this.hosts = this.pick([0, 0, 0, 0.2]);
    this.trims = this.pick([0, 0, 0.2, 0.6]);
    if (this.chance(0.5)) this.members = this.times(3, () => this.pick(MEMBERS));
    if (this.chance(0.5)) this.lists = [this.pick(LISTS)];
    const few = this.times(1 + this.int(3), (i) => `e${i}`);
    const several = [...few, `e${few.length}`];
    const [rules, lines] = this.oneOf<readonly [string[], string[]]>(
      [9, () => [few, this.comparers(few)]],
      [6, () => [several, this.users(several)]],
      [5, () => [few, this.mixers(few)]],
      [7, () => [few, this.answerers(few)]],
    );
    return { text: [`package ${name}`, "", ...lines].join("\n"), rules };
  }

  /** Entrypoints, and what they call. */
  private comparers(rules: readonly string[]): string[] {
    const lines: string[] = [];
    for (let i = this.int(3); i > 0; i--) lines.push(...this.function(`f${i}`), "");
    const isMixed = this.functions.length === 0 ? 1 : 0;
    for (let i = isMixed + this.int(2); i > 0; i--) lines.push(...this.value(`v${i}`), "");
    for (const rule of rules) lines.push(...this.entrypoint(rule), "");
    return lines;
  }

  /** Entrypoints that use one list, each in ways of its own. */
  private users(rules: readonly string[]): string[] {
    this.constants = 0.8;
    this.wholes = 0.3;
    this.lists = [this.pick(LISTS)];
    const body = (): string => {
      const scope: Scope = [];
      const statements = this.oneOf<string[]>(
        [2, () => this.elements(scope)],
        [4, () => this.doubtful(scope)],
        [1, () => this.pairs()],
        [0.5, () => this.every(scope)],
      );
      return statements.map((l) => `\t${l}\n`).join("");
    };
    return rules.flatMap((name) => [
      `default ${name} := false`,
      ...this.times(1 + this.int(3), () => `${name} if {\n${body()}}`),
      "",
    ]);
  }

  /** Entrypoints that compare what is a part of the input or something else. Rules that are called once become part of them. */
  private mixers(rules: readonly string[]): string[] {
    this.constants = 0;
    this.wholes = 0;
    this.hosts = 0;
    return rules.flatMap((name) => {
      const lines = this.chance(0.6) ? this.value(`v_${name}`) : this.function(`f_${name}`);
      const [own] = this.functions;
      const mixed = own === undefined ? this.pick(this.rules) : this.call(own, () => this.member());
      this.functions.length = 0;
      this.rules.length = 0;
      const test = `${mixed} ${this.pick(["==", "!="])} ${this.member()}`;
      const body = [test, ...(this.chance(0.3) ? [this.comparison([])] : [])];
      return [...lines, "", `default ${name} := false`, `${name} if {\n\t${body.join("\n\t")}\n}`, ""];
    });
  }

  /** Entrypoints that put parts of the input into their answers, themselves or by way of rules and functions. */
  private answerers(rules: readonly string[]): string[] {
    this.constants = this.pick([0, 0, 0.1]);
    this.wholes = this.pick([0, 0, 0.1]);
    const lines: string[] = [];
    for (let i = this.int(2); i > 0; i--) lines.push(...this.function(`f${i}`), "");
    for (let i = this.int(3); i > 0; i--) lines.push(...this.maker(`m${i}`), "");
    for (const rule of rules) {
      const test = (): string => `\t${this.comparison([])}\n`;
      lines.push(
        ...this.oneOf<string[]>(
          [3, () => [`default ${rule} := {"allowed": false}`, `${rule} := ${this.answer()} if {\n${test()}}`]],
          [3, () => [`${rule} := ${this.answer()} if {\n${test()}} else := ${this.answer()}`]],
          [1, () => [`${rule} := ${this.answer()}`]],
          [1, () => [`${rule} := ${this.answer()} if {\n${this.body([], 2)}}`]],
          [1, () => [`${rule} contains ${this.answer()} if {\n${test()}}`]],
          [1, () => [`${rule}[${this.part([])}] := ${this.answer()} if {\n${test()}}`]],
        ),
        "",
      );
    }
    return lines;
  }

  /** A rule that makes a value with parts of the input in it. */
  private maker(name: string): string[] {
    const body = this.body([], 2);
    const lines = this.oneOf<string[]>(
      [3, () => [`${name} := ${this.answer()} if {\n${body}}`]],
      [2, () => [`${name} := ${this.answer()} if {\n${body}} else := ${this.answer()}`]],
      [2, () => [`${name} := ${this.part([])} if {\n${body}}`]],
      [1, () => [`default ${name} := {}`, `${name} := ${this.answer()} if {\n${body}}`]],
    );
    this.rules.push(name, `${name}.one`);
    return lines;
  }

  /** A record, mostly. */
  private answer(): string {
    const value = (): string =>
      this.oneOf(
        [5, () => this.part([])],
        [2, () => this.pick(CONSTANTS)],
        [this.rules.length > 0 ? 2 : 0, () => this.pick(this.rules)],
        [this.functions.length > 0 ? 1 : 0, () => this.call(this.pick(this.functions), () => this.part([]))],
        [0.5, () => this.pick(this.lists)],
      );
    return this.oneOf<string>(
      [6, () => `{"one": ${value()}, "two": ${value()}, "three": ${this.pick(CONSTANTS)}}`],
      [2, () => `{"one": ${value()}}`],
      [1, () => `{"one": {"one": ${value()}}, "two": [${value()}]}`],
      [1, () => `[${value()}, ${value()}]`],
      [1, value],
      [0.5, () => `object.union({"one": ${value()}}, {"two": ${value()}})`],
      [0.5, () => `{"one": [y | some x in ${this.pick(this.lists)}; y := x.id]}`],
    );
  }

  private call({ name, arity }: Callable, argument: () => string): string {
    return `${name}(${this.times(arity, argument).join(", ")})`;
  }

  private function(name: string): string[] {
    const params = ["x", "y"].slice(0, 1 + this.int(2));
    const head = `${name}(${params.join(", ")})`;
    const value = (): string => (this.chance(0.7) ? this.pick(params) : this.term([...params]));
    const body = (): string => this.body([...params], 2);
    const lines = this.oneOf<string[]>(
      [3, () => [`${head} := ${value()} if {\n${body()}} else := ${this.otherwise(params)}`]],
      [2, () => [`${head} := ${value()} if {\n${body()}} else := ${this.otherwise(params)} if {\n${body()}}`]],
      [
        2,
        () => [
          `default ${name}(${params.map(() => "_").join(", ")}) := ${this.pick(CONSTANTS)}`,
          `${head} := ${value()} if {\n${body()}}`,
        ],
      ],
      [2, () => [`${head} if {\n${body()}}`, `${head} if {\n${body()}}`]],
      [1, () => [`${head} := ${value()}`]],
    );
    this.functions.push({ name, arity: params.length });
    return lines;
  }

  /** A part of the input, or something else. */
  private value(name: string): string[] {
    const scope: Scope = [];
    const body = this.body(scope, 2);
    const lines = this.oneOf<string[]>(
      [4, () => [`${name} := ${this.member()} if {\n${body}} else := ${this.otherwise([])}`]],
      [1, () => [`${name} := ${this.pick(CONSTANTS)} if {\n${body}} else := ${this.member()}`]],
      [2, () => [`default ${name} := ${this.pick(CONSTANTS)}`, `${name} := ${this.term(scope)} if {\n${body}}`]],
      [1, () => [`${name} := ${this.member()}`]],
      [1, () => [`${name} := ${this.pick(this.lists)}`]],
      [1, () => [`${name} contains ${this.term(scope)} if {\n${body}}`]],
    );
    this.rules.push(name);
    return lines;
  }

  private entrypoint(name: string): string[] {
    const body = (): string => this.body([], 2);
    return this.oneOf<string[]>(
      [3, () => [`default ${name} := false`, `${name} if {\n${body()}}`]],
      [3, () => [`default ${name} := false`, `${name} if {\n${body()}}`, `${name} if {\n${body()}}`]],
      [1, () => [`${name} if {\n${body()}}`]],
      [
        3,
        () => [
          `default ${name} := {"allowed": false, "gate": "none"}`,
          `${name} := {"allowed": true, "gate": "one"} if {\n${body()}} else := {"allowed": true, "gate": ${this.chance(0.2) ? this.term([]) : '"two"'}} if {\n${body()}}`,
        ],
      ],
    );
  }

  private otherwise(params: readonly string[]): string {
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

  private body(scope: Scope, max: number): string {
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

  private comparison(scope: Scope): string {
    // Whether it is one of these shows without its text.
    if (this.chance(0.2)) return `${this.member()} ${this.pick(["==", "!="])} ${this.pick(["true", "1", "null"])}`;
    const operator = this.pick(["==", "!=", "!="]);
    const left = this.part(scope);
    // Two constants are a type error more often than not.
    return `${left} ${operator} ${this.term(scope)}`;
  }

  private elements(scope: Scope): string[] {
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
  private pairs(): string[] {
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
  private doubtful(scope: Scope): string[] {
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

  private every(scope: Scope): string[] {
    const x = this.fresh();
    const inner = [...scope, `${x}.${this.pick(ELEMENT_MEMBERS)}`];
    const tests = this.times(1 + this.int(2), () => this.comparison(inner));
    return [
      `every ${x} in ${this.pick(this.lists)} { ${x}.id ${this.pick(["!=", "=="])} ${this.term(scope)}; ${tests.join("; ")} }`,
    ];
  }

  private term(scope: Scope): string {
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
  private part(scope: Scope): string {
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
  private member(): string {
    return this.chance(0.5) ? this.pick(this.members.slice(0, 2)) : this.pick(this.members);
  }

  private place(): string {
    return this.pick([...this.members, ...this.lists]);
  }

  private fresh(): string {
    return `w${this.nextVar++}`;
  }
}

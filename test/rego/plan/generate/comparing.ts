/**
 * Random programs whose rules compare parts of the input with each other and with constants: directly, through functions
 * with several definitions, through rules with `else`, element by element, trimmed; or put them into answers. Several entrypoints use the same paths, each in
 * its own way. Each program has a sequence of requests to be asked of one loaded policy.
 */

import { CONSTANTS, ComparingStatements, CUTSETS, LISTS, MEMBERS, type Scope } from "./comparing-statements.ts";
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
  const { modules, rules, keys } = generator.program(name);
  return {
    modules,
    package: name,
    entrypoints: rules.map((rule) => `${name}/${rule}`),
    questions: requests(generator, QUESTIONS, keys),
  };
}

class Generator extends ComparingStatements {
  /** `keys`: members that requests have, where they are few. */
  program(name: string): {
    readonly modules: readonly string[];
    readonly rules: readonly string[];
    readonly keys?: readonly string[];
  } {
    this.constants = this.pick([0, 0, 0.05, 0.3]);
    this.wholes = this.pick([0, 0, 0.1, 0.4]);
    this.hosts = this.pick([0, 0, 0, 0.2]);
    this.trims = this.pick([0, 0, 0.2, 0.6]);
    if (this.chance(0.5)) this.members = this.times(3, () => this.pick(MEMBERS));
    if (this.chance(0.5)) this.lists = [this.pick(LISTS)];
    const few = this.times(1 + this.int(3), (i) => `e${i}`);
    const several = [...few, `e${few.length}`];
    if (this.chance(0.15)) {
      const keys = ["a", "b", "c", "d", "e"].slice(0, 1 + this.int(5));
      return { modules: [[`package ${name}`, "", ...this.tables(few, keys)].join("\n")], rules: few, keys };
    }
    if (this.chance(0.15)) {
      const finders = [`package ${name}`, "", ...this.finders(few, `${name}_found`)].join("\n");
      const found = [`package ${name}_found`, "", ...this.found()].join("\n");
      return { modules: [finders, found], rules: few };
    }
    const [rules, lines] = this.oneOf<readonly [string[], string[]]>(
      [9, () => [few, this.comparers(few)]],
      [6, () => [several, this.users(several)]],
      [5, () => [few, this.mixers(few)]],
      [7, () => [few, this.answerers(few)]],
    );
    return { modules: [[`package ${name}`, "", ...lines].join("\n")], rules };
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

  /** Entrypoints that find a rule of another package by a part of the input, and compare what it says. */
  private finders(rules: readonly string[], table: string): string[] {
    this.constants = this.pick([0, 0, 0.2]);
    if (this.chance(0.7)) this.members = ["input.a", "input.b", "input.c"];
    const body = (): string => {
      const v = this.fresh();
      const value = this.chance(this.constants) ? this.pick(CONSTANTS) : this.member();
      const operator = this.pick(["==", "!=", "!="]);
      const part = this.oneOf<string>(
        [3, () => v],
        [4, () => `${v}.a`],
        [1, () => `${v}.id`],
        [1, () => `${v}[0].id`],
        [2, () => `trim_space(${v})`],
        [1, () => `trim(${v}, ${this.pick(CUTSETS)})`],
        [1, () => `trim_space(${v}.a)`],
      );
      const test = this.oneOf<string>(
        [5, () => `${part} ${operator} ${value}`],
        [3, () => `not ${part} == ${value}`],
        [1, () => `${part} ${operator} ""`],
        [2, () => `some e in ${v}; e.id ${operator} ${value}`],
        [1, () => `every e in ${v} { e.id != ${value} }`],
      );
      return `${v} := data.${table}[${this.member()}]; ${test}`;
    };
    return rules.flatMap((rule) => [
      `default ${rule} := false`,
      ...this.times(1 + this.int(2), () => `${rule} if { ${body()} }`),
      "",
    ]);
  }

  /** Rules with names that a request may have for texts: parts of the input, and values of the policy. */
  private found(): string[] {
    const text = (): string => this.pick(['"k1"', '"root"', '"a"', '"new1"']);
    const part = (): string => this.oneOf([3, () => "input.o"], [3, () => this.member()], [1, () => this.pick(LISTS)]);
    // One of them is a part of the input, or has one in it; of the others few are.
    const rules = ["k1", "k2", "root", "a", "new1", "id"];
    const first = this.pick(rules);
    const others = this.pick([0, 0, 0, 1]);
    return rules.flatMap((rule) =>
      this.oneOf<string[]>(
        [rule === first ? 20 : others, () => [`${rule} := ${part()}`]],
        [3, () => [`${rule} := {"a": ${text()}, "id": ${text()}}`]],
        [1, () => [`${rule} := [{"id": ${text()}}]`]],
        [1, () => [`${rule} := ${text()}`]],
        [
          rule === first ? 10 : others * 2,
          () => [`default ${rule} := "none"`, `${rule} := ${part()} if input.${this.pick(["a", "b", "c"])} != 1`],
        ],
        [others, () => [`${rule} := {"a": ${this.member()}} if ${this.member()} == ${this.member()}`]],
        [1, () => []],
      ),
    );
  }

  /** Entrypoints that compare a few members with texts of the policy, or look them up. */
  private tables(rules: readonly string[], keys: readonly string[]): string[] {
    const text = (): string => this.pick(['"k1"', '"k1"', '"k2"', '"root"', '"a"', '"new1"', '""']);
    const test = (): string => {
      const part = `input.${this.pick(keys)}`;
      return this.oneOf(
        [4, () => `${part} ${this.pick(["==", "!="])} ${text()}`],
        [3, () => `${part} in {${text()}, ${text()}}`],
        [3, () => `{"k1": ${text()}, "root": ${text()}}[${part}] == input.${this.pick(keys)}`],
        [1, () => `not ${part} == ${text()}`],
        [1, () => `${part} == input.${this.pick(keys)}`],
        [1, () => `${part} == data.host.k1`],
        [0.5, () => `is_string(${part})`],
      );
    };
    const body = (): string => this.times(1 + this.int(3), () => `\t${test()}\n`).join("");
    const answer = (): string =>
      this.oneOf(
        [3, () => `{"allowed": ${this.pick(["true", "false"])}, "gate": ${text()}}`],
        [1, () => `{"gate": {"k1": "k2"}[input.${this.pick(keys)}]}`],
        [1, () => this.pick(["true", "false", "1"])],
        [0.5, () => `{"by": input.${this.pick(keys)}}`],
      );
    return rules.flatMap((rule) => [
      `default ${rule} := {"allowed": false}`,
      `${rule} := ${answer()} if {\n${body()}} else := ${answer()} if {\n${body()}}`,
      "",
    ]);
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
}

/**
 * Random Rego programs over the whole language, small enough that values meet: what one implementation makes of them can
 * be held against what another does. A seed says which program; most of them compile, and the others must fail everywhere.
 */

export interface Generated {
  /** Modules of packages below `package`; the document to compare is `data.<package>`. */
  readonly modules: readonly string[];
  readonly package: string;
  readonly input: unknown;
  /** Beside the rules: `data.base`, and base documents inside of the package's own. */
  readonly data: Record<string, unknown>;
}

export function generate(seed: number, name = "f"): Generated {
  return new Generator(seed, name).program();
}

interface RuleInfo {
  readonly name: string;
  readonly kind: "value" | "set" | "object" | "function" | "nested";
  readonly arity: number;
}

interface Scope {
  /** Variables with a value. */
  readonly vars: string[];
  /** How much deeper terms and bodies may nest. */
  readonly depth: number;
}

class Generator {
  private state: number;
  private readonly name: string;
  private readonly rules: RuleInfo[] = [];
  private nextVar = 0;
  /** The packages of the library are made first, and refer to nothing but data and input. */
  private inLibrary = true;

  constructor(seed: number, name: string) {
    this.state = seed >>> 0;
    this.name = name;
  }

  /** mulberry32. */
  private random(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  private int(n: number): number {
    return Math.floor(this.random() * n);
  }

  private chance(p: number): boolean {
    return this.random() < p;
  }

  private pick<T>(list: readonly T[]): T {
    return list[this.int(list.length)] as T;
  }

  private oneOf<T>(...choices: readonly (readonly [number, () => T])[]): T {
    let at = this.random() * choices.reduce((n, [w]) => n + w, 0);
    for (const [weight, make] of choices) {
      at -= weight;
      if (at < 0) return make();
    }
    return (choices[0] as readonly [number, () => T])[1]();
  }

  program(): Generated {
    const library = this.library();
    this.inLibrary = false;
    const lines = [`package ${this.name}`, ""];
    const count = 3 + this.int(5);
    for (let i = 0; i < count; i++) lines.push(...this.rule(i), "");
    const modules = [lines.join("\n"), ...library];
    return {
      modules,
      package: this.name,
      input: this.json(3),
      data: {
        lit: { n0: 0, n1: 1, n2: 2, n3: 3, sa: "a", sb: "b", sc: "c", t: true, f: false, n: null },
        base: this.json(3),
        [this.name]: { stored: this.json(2) },
        [`${this.name}_lib`]: { c: this.json(2), e: this.json(2) },
      },
    };
  }

  /** Packages side by side, some of whose names base data has, too. */
  private library(): string[] {
    return ["a", "b.c", "d"].slice(0, this.int(4)).map((path) => {
      const lines = [`package ${this.name}_lib.${path}`, ""];
      for (let i = 0; i <= this.int(2); i++) {
        const scope: Scope = { vars: [], depth: 0 };
        const body = this.body(scope, 1);
        const head = this.oneOf(
          [2, () => `${this.key()} := ${this.simple(scope)}`],
          [1, () => `${this.key()} contains ${this.simple(scope)}`],
          [1, () => `${this.key()}[${this.simple(scope)}] := ${this.scalar()}`],
        );
        lines.push(`${head} if {\n${body}}`, "");
      }
      return lines.join("\n");
    });
  }

  private key(): string {
    return this.pick(["a", "b", "c", "d"]);
  }

  private json(depth: number): unknown {
    if (depth === 0 || this.chance(0.15)) return this.pick<unknown>([0, 1, 2, 3, "a", "b", "c", true, false, null]);
    if (this.chance(0.35)) return Array.from({ length: this.int(4) }, () => this.json(depth - 1));
    return Object.fromEntries(Array.from({ length: 1 + this.int(4) }, () => [this.key(), this.json(depth - 1)]));
  }

  private fresh(): string {
    return `v${this.nextVar++}`;
  }

  private rule(index: number): string[] {
    const name = `r${index}`;
    const scope = (vars: string[] = []): Scope => ({ vars, depth: 2 });
    const made = this.oneOf<{ info: RuleInfo; lines: string[] }>(
      [4, () => ({ info: { name, kind: "value", arity: 0 }, lines: this.completeRule(name, scope) })],
      [3, () => ({ info: { name, kind: "set", arity: 0 }, lines: this.setRule(name, scope) })],
      [3, () => ({ info: { name, kind: "object", arity: 0 }, lines: this.objectRule(name, scope) })],
      [2, () => this.functionRule(name, scope)],
      [2, () => ({ info: { name, kind: "nested", arity: 0 }, lines: this.nestedRule(name, scope) })],
    );
    this.rules.push(made.info);
    return made.lines;
  }

  private completeRule(name: string, scope: () => Scope): string[] {
    const lines: string[] = [];
    if (this.chance(0.3)) lines.push(`default ${name} := ${this.constant()}`);
    const isFlag = this.chance(0.6);
    const value = this.literal(0);
    for (let i = 0; i <= this.int(2); i++) {
      const s = scope();
      const body = this.body(s, 3);
      let text = `${name} := ${isFlag ? value : this.term(s)} if {\n${body}}`;
      for (let j = 0; this.chance(0.25) && j < 3; j++) {
        const t = scope();
        const other = this.body(t, 2);
        text += ` else := ${this.term(t)} if {\n${other}}`;
      }
      lines.push(text);
    }
    return lines;
  }

  private setRule(name: string, scope: () => Scope): string[] {
    return Array.from({ length: 1 + this.int(2) }, () => {
      const s = scope();
      const body = this.body(s, 3);
      return `${name} contains ${this.term(s)} if {\n${body}}`;
    });
  }

  private objectRule(name: string, scope: () => Scope): string[] {
    return Array.from({ length: 1 + this.int(2) }, () => {
      const s = scope();
      const body = this.body(s, 3);
      return `${name}[${this.simple(s)}] := ${this.chance(0.7) ? this.literal(0) : this.term(s)} if {\n${body}}`;
    });
  }

  private nestedRule(name: string, scope: () => Scope): string[] {
    return Array.from({ length: 1 + this.int(3) }, () => {
      const s = scope();
      const body = this.body(s, 2);
      const path = this.oneOf(
        [1, () => `.${this.key()}.${this.key()}`],
        [1, () => `[${this.simple(s)}].${this.key()}`],
        [1, () => `[${this.simple(s)}][${this.simple(s)}]`],
        [1, () => `.${this.key()}[${this.simple(s)}]`],
      );
      return this.chance(0.3)
        ? `${name}${path} contains ${this.simple(s)} if {\n${body}}`
        : `${name}${path} := ${this.literal(0)} if {\n${body}}`;
    });
  }

  private functionRule(name: string, scope: (vars: string[]) => Scope): { info: RuleInfo; lines: string[] } {
    const arity = 1 + this.int(2);
    const lines: string[] = [];
    if (this.chance(0.3)) lines.push(`default ${name}(${Array(arity).fill("_").join(", ")}) := ${this.constant()}`);
    for (let i = 0; i <= this.int(2); i++) {
      const vars: string[] = [];
      const args = Array.from({ length: arity }, () => this.pattern(vars, 1));
      const s = scope(vars);
      const body = this.body(s, 2);
      let text = `${name}(${args.join(", ")}) := ${this.term(s)} if {\n${body}}`;
      if (this.chance(0.3)) {
        const t = scope([...new Set(args.flatMap((a) => a.match(/\bv\d+\b/g) ?? []))]);
        const other = this.body(t, 2);
        text += ` else := ${this.term(t)} if {\n${other}}`;
      }
      lines.push(text);
    }
    return { info: { name, kind: "function", arity }, lines };
  }

  private pattern(vars: string[], depth: number): string {
    const variable = (): string => {
      const v = this.fresh();
      vars.push(v);
      return v;
    };
    return this.oneOf<string>(
      [5, variable],
      [1, () => "_"],
      [2, () => this.constant()],
      [
        depth > 0 ? 1 : 0,
        () => `[${Array.from({ length: 1 + this.int(2) }, () => this.pattern(vars, depth - 1)).join(", ")}]`,
      ],
      [depth > 0 ? 1 : 0, () => `{"${this.key()}": ${this.pattern(vars, depth - 1)}}`],
    );
  }

  private body(scope: Scope, max: number): string {
    return this.statements(scope, max)
      .map((l) => `\t${l}\n`)
      .join("");
  }

  private statements(scope: Scope, max: number): string[] {
    return Array.from({ length: 1 + this.int(max) }, () => this.statement(scope));
  }

  private statement(scope: Scope): string {
    const inner: Scope = { vars: [...scope.vars], depth: scope.depth - 1 };
    const declare = (): string => {
      const v = this.fresh();
      scope.vars.push(v);
      return v;
    };
    return this.oneOf<string>(
      [
        3,
        () => {
          const value = this.term(scope);
          return `${declare()} := ${value}`;
        },
      ],
      [
        4,
        () => {
          const domain = this.term(scope);
          return this.chance(0.5) ? `some ${declare()} in ${domain}` : `some ${declare()}, ${declare()} in ${domain}`;
        },
      ],
      [
        2,
        () => {
          const ref = this.document(scope);
          const k = this.fresh();
          const v = this.fresh();
          scope.vars.push(k, v);
          return `some ${k}; ${v} := ${ref}[${k}]`;
        },
      ],
      [2, () => this.term(scope)],
      [
        3,
        () =>
          `${this.chance(0.2) ? `count(${this.reference(scope)})` : this.reference(scope)} ${this.pick(["==", "!=", "<", ">="])} ${this.simple(scope)}`,
      ],
      [3, () => `not ${this.chance(0.6) ? this.reference(scope) : this.comparison(scope)}`],
      [1, () => `${this.reference(scope)} ${this.pick(["==", "!=", ">"])} ${this.term(scope)}`],
      [1, () => `${this.simple(scope)} in ${this.term(scope)}`],
      [
        2,
        () => {
          const value = this.reference(scope);
          const vars: string[] = [];
          const pattern = this.pattern(vars, 2);
          scope.vars.push(...vars);
          return vars.length > 0 ? `some ${vars.join(", ")}; ${pattern} = ${value}` : `${pattern} = ${value}`;
        },
      ],
      [
        scope.depth > 0 ? 1 : 0,
        () => {
          const domain = this.term(scope);
          const v = this.fresh();
          inner.vars.push(v);
          const test = `${v} ${this.pick(["==", "!=", ">"])} ${this.simple(scope)}`;
          return `every ${v} in ${domain} { ${[test, ...this.statements(inner, 1)].join("; ")} }`;
        },
      ],
      [
        scope.depth > 0 ? 2 : 0,
        () => {
          const override = this.override(scope);
          const value = this.reference(scope);
          return this.chance(0.3) ? `not ${value} ${override}` : `${declare()} := ${value} ${override}`;
        },
      ],
    );
  }

  private comparison(scope: Scope): string {
    return `${this.simple(scope)} == ${this.reference(scope)}`;
  }

  private override(scope: Scope): string {
    const value = this.simple(scope);
    const rule = this.rules.length > 0 ? this.pick(this.rules) : undefined;
    return this.oneOf<string>(
      [2, () => `with input as ${value}`],
      [2, () => `with input.${this.key()} as ${value}`],
      [2, () => `with data.base.${this.key()} as ${value}`],
      [
        2,
        () => (rule === undefined ? `with data.base as ${value}` : `with data.${this.name}.${rule.name} as ${value}`),
      ],
      [1, () => `with count as ${value}`],
      [rule?.kind === "function" ? 2 : 0, () => `with data.${this.name}.${rule?.name} as ${value}`],
      [rule?.kind === "function" && rule.arity === 1 ? 2 : 0, () => `with count as data.${this.name}.${rule?.name}`],
      [1, () => `with data.${this.name}_lib.${this.key()} as ${value}`],
      [1, () => `with data.${this.name}_lib as ${value}`],
      [1, () => `with input as ${value} with data.base as ${this.simple(scope)}`],
    );
  }

  /** Mostly values whose type nobody knows: else most programs would be type errors. */
  private scalar(): string {
    if (this.chance(0.93)) return `data.lit.${this.pick(["n0", "n1", "n2", "n3", "sa", "sb", "sc", "t", "f", "n"])}`;
    return this.constant();
  }

  private constant(): string {
    return this.pick(["0", "1", "2", "3", '"a"', '"b"', '"c"', "true", "false", "null"]);
  }

  private literal(depth: number): string {
    if (depth === 0) return this.scalar();
    return this.oneOf(
      [3, () => this.scalar()],
      [1, () => `{${this.scalar()}: ${this.scalar()}}`],
      [1, () => `[${Array.from({ length: this.int(3) }, () => this.literal(depth - 1)).join(", ")}]`],
      [1, () => `{${this.scalar()}, ${this.scalar()}}`],
      [1, () => `{"${this.key()}": ${this.literal(depth - 1)}}`],
    );
  }

  /** A variable or a scalar. */
  private simple(scope: Scope): string {
    return scope.vars.length > 0 && this.chance(0.75) ? this.pick(scope.vars) : this.scalar();
  }

  /** Something with keys. */
  private document(scope: Scope): string {
    const callable = this.rules.filter((r) => r.kind !== "function");
    return this.oneOf<string>(
      [2, () => "input"],
      [2, () => `input.${this.key()}`],
      [2, () => `data.base.${this.key()}`],
      [this.inLibrary ? 0 : 2, () => `data.${this.name}_lib`],
      [callable.length > 0 ? 5 : 0, () => this.pick(callable).name],
      [callable.length > 0 ? 1 : 0, () => `data.${this.name}.${this.pick(callable).name}`],
      [scope.vars.length > 0 ? 1 : 0, () => this.pick(scope.vars)],
    );
  }

  private reference(scope: Scope): string {
    let text = this.document(scope);
    for (let i = 0; this.chance(0.6) && i < 3; i++)
      text += this.chance(0.4) ? `.${this.key()}` : `[${this.simple(scope)}]`;
    return text;
  }

  private term(scope: Scope): string {
    const deeper = (): Scope => ({ vars: [...scope.vars], depth: scope.depth - 1 });
    const functions = this.rules.filter((r) => r.kind === "function");
    const nests = scope.depth > 0 ? 1 : 0;
    return this.oneOf<string>(
      [5, () => this.simple(scope)],
      [6, () => this.reference(scope)],
      [1, () => this.literal(2)],
      [nests, () => `[${this.term(deeper())}, ${this.term(deeper())}]`],
      [
        nests,
        () =>
          `{"${this.pick(["a", "b"])}": ${this.term(deeper())}, "${this.pick(["c", "d"])}": ${this.term(deeper())}}`,
      ],
      [
        2 * nests,
        () => {
          const s = deeper();
          const body = this.statements(s, 2).join("; ");
          const head = this.term({ ...s, depth: 0 });
          return this.oneOf(
            [2, () => `[${head} | ${body}]`],
            [2, () => `{${head} | ${body}}`],
            [1, () => `{${this.simple(s)}: ${head} | ${body}}`],
          );
        },
      ],
      [functions.length > 0 ? 2 * nests : 0, () => this.call(this.pick(functions), deeper())],
    );
  }

  private call(f: RuleInfo, scope: Scope): string {
    return `${f.name}(${Array.from({ length: f.arity }, () => this.term(scope)).join(", ")})`;
  }
}

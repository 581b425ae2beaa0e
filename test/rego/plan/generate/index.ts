/**
 * Random Rego programs over the whole language, small enough that values meet: what one implementation makes of them can
 * be held against what another does. A seed says which program; most of them compile, and the others must fail everywhere.
 */

import { binary } from "./binary.ts";
import { capturing } from "./captured.ts";
import { repeated } from "./repeated.ts";
import { Statements } from "./statements.ts";
import { LITERALS, type RuleInfo, type Scope } from "./terms.ts";

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

/** How often a rule breaks a promise that keeps programs valid: what is invalid must be refused everywhere, too. */
const CARELESS = 0.03;

/** How often there are rules about strings that are not UTF-8. */
const BINARY = 0.08;
/** How often signs are the package's own. */
const CAPTURING = 0.08;

/** How often rules are asked again and again, or for a part. */
const REPEATED = 0.3;

class Generator extends Statements {
  program(): Generated {
    const library = this.library();
    this.inLibrary = false;
    const lines = [`package ${this.name}`, ""];
    if (this.hiding) lines.push("hide(x) := x", "");
    const count = 3 + this.int(5);
    for (let i = 0; i < count; i++) lines.push(...this.rule(i), "");
    const input = this.json(3);
    const data = {
      lit: LITERALS,
      base: this.json(3),
      [this.name]: { stored: this.json(2) },
      [`${this.name}_lib`]: { c: this.json(2), e: this.json(2) },
    };
    const modules = [lines.join("\n"), ...library];
    if (this.chance(CAPTURING)) modules.push(capturing(this, this.name));
    // Not beside captured signs: by them such a string could be a rule's value, which has no text.
    else if (this.chance(BINARY)) {
      const made = binary(this, this.name);
      modules.push(made.module);
      return { modules, package: this.name, input, data: { ...data, [`${this.name}_bytes`]: made.data } };
    }
    if (this.chance(REPEATED)) {
      const made = repeated(this, this.name);
      return { modules: [...modules, ...made.modules], package: this.name, input, data: { ...data, ...made.data } };
    }
    return { modules, package: this.name, input, data };
  }

  /** Packages side by side, some of whose names base data has, too. */
  private library(): string[] {
    return ["a", "b.c", "d"].slice(0, this.int(4)).map((path) => {
      const lines = [`package ${this.name}_lib.${path}`, ""];
      const shapes = new Map<string, number>();
      for (let i = 0; i <= this.int(3); i++) {
        const scope: Scope = { vars: [], depth: 0 };
        const body = this.body(scope, 1);
        const name = this.key();
        const shape = this.chance(CARELESS) ? this.int(4) : (shapes.get(name) ?? this.int(4));
        shapes.set(name, shape);
        const head = [
          () => `${name} := ${this.simple(scope)}`,
          () => `${name} contains ${this.simple(scope)}`,
          () => `${name}[${this.simple(scope)}] := ${this.scalar()}`,
          () => `${name}.${this.key()}[${this.simple(scope)}] := ${this.scalar()}`,
        ][shape] as () => string;
        lines.push(`${head()} if {\n${body}}`, "");
      }
      return lines.join("\n");
    });
  }

  private json(depth: number): unknown {
    if (depth === 0 || this.chance(0.15))
      return this.chance(0.04)
        ? this.pick<unknown>([-1, 0.5, 1e21, 1e-7, 9007199254740991, ""])
        : this.pick<unknown>([0, 1, 2, 3, "a", "b", "c", true, false, null]);
    if (this.chance(0.35)) return this.times(this.int(4), () => this.json(depth - 1));
    return Object.fromEntries(this.times(1 + this.int(4), () => [this.key(), this.json(depth - 1)]));
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
    const values = (s: Scope): string => this.hidden(this.term(s));
    for (let i = 0; i <= this.int(2); i++) {
      const s = scope();
      const body = this.body(s, 3);
      let text = `${name} := ${isFlag ? value : values(s)} if {\n${body}}`;
      for (let j = 0; this.chance(0.25) && j < 3; j++) {
        const t = scope();
        const other = this.body(t, 2);
        text += this.chance(0.1) ? ` else if {\n${other}}` : ` else := ${values(t)} if {\n${other}}`;
      }
      lines.push(text);
    }
    return lines;
  }

  private setRule(name: string, scope: () => Scope): string[] {
    return this.times(1 + this.int(2), () => {
      const s = scope();
      const body = this.body(s, 3);
      return `${name} contains ${this.hidden(this.term(s))} if {\n${body}}`;
    });
  }

  private objectRule(name: string, scope: () => Scope): string[] {
    return this.times(1 + this.int(2), () => {
      const s = scope();
      const body = this.body(s, 3);
      return `${name}[${this.simple(s)}] := ${this.hidden(this.chance(0.7) ? this.literal(0) : this.term(s))} if {\n${body}}`;
    });
  }

  /** Rules below one name: all of them sets, or none. */
  private nestedRule(name: string, scope: () => Scope): string[] {
    const areSets = this.chance(0.35);
    const isDeep = this.chance(0.3);
    return this.times(1 + this.int(3), () => {
      const s = scope();
      const body = this.body(s, 2);
      let path = this.oneOf(
        [1, () => `.${this.key()}.${this.key()}`],
        [1, () => `[${this.simple(s)}].${this.key()}`],
        [1, () => `[${this.simple(s)}][${this.simple(s)}]`],
        [1, () => `.${this.key()}[${this.simple(s)}]`],
      );
      if (isDeep !== this.chance(CARELESS)) path += this.chance(0.5) ? `.${this.key()}` : `[${this.simple(s)}]`;
      return areSets !== this.chance(CARELESS)
        ? `${name}${path} contains ${this.simple(s)} if {\n${body}}`
        : `${name}${path} := ${this.literal(0)} if {\n${body}}`;
    });
  }

  private functionRule(name: string, scope: (vars: string[]) => Scope): { info: RuleInfo; lines: string[] } {
    const arity = 1 + this.int(2);
    const lines: string[] = [];
    if (this.chance(0.3))
      lines.push(`default ${name}(${this.times(arity, () => "_").join(", ")}) := ${this.constant()}`);
    for (let i = 0; i <= this.int(2); i++) {
      const vars: string[] = [];
      const args = this.times(arity, () => this.pattern(vars, 1));
      const s = scope([...vars]);
      const body = this.body(s, 2);
      let text = `${name}(${args.join(", ")}) := ${this.hidden(this.term(s))} if {\n${body}}`;
      if (this.chance(0.3)) {
        const t = scope([...vars]);
        const other = this.body(t, 2);
        text += ` else := ${this.hidden(this.term(t))} if {\n${other}}`;
      }
      lines.push(text);
    }
    return { info: { name, kind: "function", arity }, lines };
  }
}

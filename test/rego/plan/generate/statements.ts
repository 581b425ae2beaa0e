/** Statements of generated programs. */

import { deeper, type Scope, Terms } from "./terms.ts";

export abstract class Statements extends Terms {
  protected body(scope: Scope, max: number): string {
    return this.statements(scope, max)
      .map((l) => `\t${l}\n`)
      .join("");
  }

  protected override statements(scope: Scope, max: number): string[] {
    return this.times(1 + this.int(max), () => this.statement(scope));
  }

  private statement(scope: Scope): string {
    return this.oneOf<string>(
      [3, () => this.assignment(scope)],
      [4, () => this.iteration(scope)],
      [3, () => this.enumeration(scope)],
      [2, () => this.term(scope)],
      [3, () => `${this.compared(scope)} ${this.pick(["==", "!=", "<", ">="])} ${this.simple(scope)}`],
      [3, () => this.negation(scope)],
      [1, () => `${this.reference(scope)} ${this.pick(["==", "!=", ">"])} ${this.hidden(this.term(scope))}`],
      [1, () => this.membership(scope)],
      [2, () => this.unification(scope)],
      [scope.depth > 0 ? 1 : 0, () => this.every(scope)],
      [scope.depth > 0 ? 2 : 0, () => this.overridden(scope)],
    );
  }

  private assignment(scope: Scope): string {
    if (this.chance(0.1)) {
      const value = this.hidden(this.term(scope));
      return `[${this.declare(scope)}, ${this.declare(scope)}] := ${value}`;
    }
    const value = this.hidden(this.term(scope));
    return `${this.declare(scope)} := ${value}`;
  }

  private iteration(scope: Scope): string {
    const domain = this.chance(0.7) ? this.hidden(this.term(scope)) : this.term(scope);
    return this.oneOf(
      [5, () => `some ${this.declare(scope)} in ${domain}`],
      [5, () => `some ${this.declare(scope)}, ${this.declare(scope)} in ${domain}`],
      [1, () => `some ${this.declaringPattern(scope)} in ${domain}`],
      [1, () => `some ${this.declare(scope)}, ${this.declaringPattern(scope)} in ${domain}`],
      [0.5, () => `walk(${domain}, [${this.declare(scope)}, ${this.declare(scope)}])`],
    );
  }

  private declaringPattern(scope: Scope): string {
    return this.oneOf(
      [1, () => `[${this.declare(scope)}, ${this.chance(0.5) ? this.declare(scope) : this.constant()}]`],
      [1, () => `{"${this.key()}": ${this.declare(scope)}}`],
    );
  }

  /** References with variables that have no value yet. */
  private enumeration(scope: Scope): string {
    const ref = this.document(scope);
    return this.oneOf(
      [
        6,
        () => {
          const [k, v] = [this.fresh(), this.fresh()];
          scope.vars.push(k, v);
          return `some ${k}; ${v} := ${ref}[${k}]`;
        },
      ],
      [
        3,
        () => {
          const [k, l, v] = [this.fresh(), this.fresh(), this.fresh()];
          scope.vars.push(k, l, v);
          return `some ${k}, ${l}; ${v} := ${ref}[${k}]${this.chance(0.2) ? `.${this.key()}` : ""}[${l}]`;
        },
      ],
      [
        1,
        () => {
          const [k, l] = [this.fresh(), this.fresh()];
          scope.vars.push(k, l);
          return `some ${k}, ${l}; ${ref}[[${k}, ${l}]]`;
        },
      ],
      [1, () => `${ref}[_]`],
      [1, () => `${ref}[_][_] == ${this.simple(scope)}`],
    );
  }

  private compared(scope: Scope): string {
    return this.chance(0.2) ? `count(${this.reference(scope)})` : this.reference(scope);
  }

  private negation(scope: Scope): string {
    const functions = this.rules.filter((r) => r.kind === "function");
    return this.oneOf(
      [6, () => `not ${this.reference(scope)}`],
      [4, () => `not ${this.simple(scope)} == ${this.reference(scope)}`],
      [1, () => `not ${this.simple(scope)} in ${this.reference(scope)}`],
      [1, () => `not ${this.reference(scope)} > ${this.reference(scope)}`],
      [functions.length > 0 ? 1 : 0, () => `not ${this.call(this.pick(functions), deeper(scope))}`],
      [this.inLibrary ? 0 : 1, () => `not data.${this.name}_lib[${this.simple(scope)}]${this.tail(scope)}`],
      [1, () => `not count([1 | ${this.statements(deeper({ ...scope, depth: 1 }), 1).join("; ")}]) > 0`],
    );
  }

  /** Keys below a package whose name is only known when it is evaluated. */
  private tail(scope: Scope): string {
    const step = (): string =>
      this.oneOf([3, () => `.${this.key()}`], [2, () => `[input.${this.key()}]`], [1, () => `[${this.simple(scope)}]`]);
    return this.times(1 + this.int(3), step).join("");
  }

  private membership(scope: Scope): string {
    return this.chance(0.8)
      ? `${this.simple(scope)} in ${this.hidden(this.term(scope))}`
      : `${this.simple(scope)}, ${this.simple(scope)} in ${this.hidden(this.term(scope))}`;
  }

  private unification(scope: Scope): string {
    if (this.chance(0.2)) {
      const [a, b] = [this.simple(scope), this.hidden(this.term(scope))];
      const [v, w] = [this.fresh(), this.fresh()];
      scope.vars.push(v, w);
      return this.oneOf(
        [1, () => `some ${v}, ${w}; [${v}, ${b}] = [${a}, ${w}]`],
        [1, () => `some ${v}, ${w}; {"a": ${v}, "b": ${b}} = {"b": ${w}, "a": ${a}}`],
        [1, () => `some ${v}, ${w}; {"${this.key()}": ${v}, ${a}: [${w}, _]} = ${b}`],
      );
    }
    const value = this.hidden(this.reference(scope));
    const vars: string[] = [];
    const pattern = this.pattern(vars, 2);
    scope.vars.push(...vars);
    return vars.length > 0 ? `some ${vars.join(", ")}; ${pattern} = ${value}` : `${pattern} = ${value}`;
  }

  private every(scope: Scope): string {
    const inner = deeper(scope);
    const domain = this.chance(0.7) ? this.hidden(this.term(scope)) : this.term(scope);
    const keyed = this.chance(0.3);
    const names = this.times(keyed ? 2 : 1, () => this.declare(inner));
    const tests = names.map((n) => `${n} ${this.pick(["==", "!=", ">"])} ${this.simple(scope)}`);
    const body = [...tests, ...this.statements(inner, 1)].slice(0, this.chance(0.5) ? names.length : undefined);
    return `every ${names.join(", ")} in ${domain} { ${body.join("; ")} }`;
  }

  private overridden(scope: Scope): string {
    const functions = this.rules.filter((r) => r.kind === "function");
    const override = this.override(scope);
    const value =
      functions.length > 0 && this.chance(0.3)
        ? this.call(this.pick(functions), deeper(scope))
        : this.chance(0.15)
          ? `count(${this.hidden(this.reference(scope))})`
          : this.reference(scope);
    return this.chance(0.3) ? `not ${value} ${override}` : `${this.declare(scope)} := ${value} ${override}`;
  }

  private override(scope: Scope): string {
    const value = this.simple(scope);
    const rule = this.rules.length > 0 ? this.pick(this.rules) : undefined;
    const isFunction = rule?.kind === "function";
    return this.oneOf<string>(
      [2, () => `with input as ${value}`],
      [2, () => `with input.${this.key()} as ${value}`],
      [1, () => `with input.${this.key()}.${this.key()} as ${value}`],
      [2, () => `with data.base.${this.key()} as ${value}`],
      [
        2,
        () => (rule === undefined ? `with data.base as ${value}` : `with data.${this.name}.${rule.name} as ${value}`),
      ],
      [1, () => `with count as ${value}`],
      [isFunction ? 2 : 0, () => `with data.${this.name}.${rule?.name} as ${value}`],
      [isFunction && rule.arity === 1 ? 2 : 0, () => `with count as data.${this.name}.${rule?.name}`],
      [isFunction && rule.arity === 1 ? 1 : 0, () => `with data.${this.name}.${rule?.name} as count`],
      [this.inLibrary ? 0 : 1, () => `with data.${this.name}_lib.${this.key()} as ${value}`],
      [this.inLibrary ? 0 : 1, () => `with data.${this.name}_lib.a.${this.key()} as ${value}`],
      [this.inLibrary ? 0 : 1, () => `with data.${this.name}_lib as ${value}`],
      [1, () => `with input as ${value} with data.base as ${this.simple(scope)}`],
      [1, () => `with input as {"${this.key()}": ${value}} with input.${this.key()} as ${this.simple(scope)}`],
    );
  }

  /** A pattern; its variables are added to `vars`. */
  protected pattern(vars: string[], depth: number): string {
    const variable = (): string => {
      const v = this.fresh();
      vars.push(v);
      return v;
    };
    return this.oneOf<string>(
      [5, variable],
      [1, () => "_"],
      [2, () => this.constant()],
      [depth > 0 ? 1 : 0, () => `[${this.times(1 + this.int(2), () => this.pattern(vars, depth - 1)).join(", ")}]`],
      [depth > 0 ? 1 : 0, () => `{"${this.key()}": ${this.pattern(vars, depth - 1)}}`],
    );
  }
}

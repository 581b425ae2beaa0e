/** Terms of generated programs: scalars, references, composites, comprehensions, calls. */

import { Random } from "./random.ts";

export interface RuleInfo {
  readonly name: string;
  readonly kind: "value" | "set" | "object" | "function" | "nested";
  readonly arity: number;
}

export interface Scope {
  /** Variables with a value. */
  readonly vars: string[];
  /** How much deeper terms and bodies may nest. */
  readonly depth: number;
}

export function deeper(scope: Scope): Scope {
  return { vars: [...scope.vars], depth: scope.depth - 1 };
}

/** Values of `data.lit`: their type is not known when a program is compiled. */
export const LITERALS = {
  n0: 0,
  n1: 1,
  n2: 2,
  n3: 3,
  neg: -1,
  half: 0.5,
  big: 9007199254740991,
  sa: "a",
  sb: "b",
  sc: "c",
  t: true,
  f: false,
  n: null,
};

const USUAL = ["n0", "n1", "n2", "n3", "sa", "sb", "sc", "t", "f", "n"];
const RARE = ["neg", "half", "big"];
const NUMBERS = ["-1", "0.5", "1.0", "10e-1", "1e3", "9007199254740993", "-123456789012345678901234567890", "1e-7"];

/** Builtins that the reference interpreter has, by their number of operands. */
const BUILTINS: readonly (readonly [name: string, arity: number])[] = [
  ["count", 1],
  ["sum", 1],
  ["product", 1],
  ["max", 1],
  ["min", 1],
  ["sort", 1],
  ["abs", 1],
  ["floor", 1],
  ["ceil", 1],
  ["round", 1],
  ["type_name", 1],
  ["is_object", 1],
  ["is_set", 1],
  ["is_number", 1],
  ["is_null", 1],
  ["to_number", 1],
  ["union", 1],
  ["intersection", 1],
  ["object.keys", 1],
  ["object.union", 2],
  ["object.remove", 2],
  ["object.filter", 2],
  ["object.subset", 2],
  ["object.get", 3],
  ["array.concat", 2],
  ["array.reverse", 1],
  ["array.slice", 3],
  ["startswith", 2],
  ["upper", 1],
];

export abstract class Terms extends Random {
  protected readonly rules: RuleInfo[] = [];
  private nextVar = 0;
  /** The packages of the library are made first, and refer to nothing but data and input. */
  protected inLibrary = true;
  /** Values go through a function that hides their type: else most programs would be type errors. */
  protected readonly hiding: boolean;
  protected readonly name: string;

  constructor(seed: number, name: string) {
    super(seed);
    this.name = name;
    this.hiding = this.chance(0.85);
  }

  protected abstract statements(scope: Scope, max: number): string[];

  protected fresh(): string {
    return `v${this.nextVar++}`;
  }

  protected declare(scope: Scope): string {
    const v = this.fresh();
    scope.vars.push(v);
    return v;
  }

  protected key(): string {
    return this.pick(["a", "b", "c", "d"]);
  }

  /** The same value, of unknown type. */
  protected hidden(term: string): string {
    if (!this.hiding || this.inLibrary || /^(v\d+|input\b.*|data\.(base|lit)\b.*)$/.test(term)) return term;
    return `hide(${term})`;
  }

  protected scalar(): string {
    if (!this.chance(this.hiding ? 0.97 : 0.93)) return this.hidden(this.constant());
    return `data.lit.${this.pick(this.chance(0.05) ? RARE : USUAL)}`;
  }

  protected constant(): string {
    return this.oneOf(
      [9, () => this.pick(["0", "1", "2", "3", '"a"', '"b"', '"c"', "true", "false", "null"])],
      [1, () => this.pick(NUMBERS)],
    );
  }

  protected literal(depth: number): string {
    if (depth === 0) return this.scalar();
    return this.oneOf(
      [3, () => this.scalar()],
      [1, () => `{${this.scalar()}: ${this.scalar()}}`],
      [1, () => `[${this.times(this.int(3), () => this.literal(depth - 1)).join(", ")}]`],
      [1, () => `{${different(this.scalar(), this.scalar())}}`],
      [1, () => `{"${this.key()}": ${this.literal(depth - 1)}}`],
    );
  }

  /** A variable or a scalar. */
  protected simple(scope: Scope): string {
    return scope.vars.length > 0 && this.chance(0.75) ? this.pick(scope.vars) : this.scalar();
  }

  /** Something with keys. */
  protected document(scope: Scope): string {
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

  protected reference(scope: Scope): string {
    const document = this.document(scope);
    // What a constant selects from a set is of the constant's type: it seldom has keys.
    const isSet = this.rules.some((r) => r.kind === "set" && document.endsWith(r.name));
    const steps = isSet && !this.chance(0.05) ? 1 : 4;
    let text = document;
    for (let i = 0; this.chance(0.6) && i < steps; i++) text += this.step(scope);
    return text;
  }

  private step(scope: Scope): string {
    return this.oneOf(
      [8, () => `.${this.key()}`],
      [11, () => `[${this.simple(scope)}]`],
      [1, () => `[[${this.simple(scope)}, ${this.simple(scope)}]]`],
      [1, () => `[{"${this.key()}": ${this.simple(scope)}}]`],
    );
  }

  protected term(scope: Scope): string {
    const functions = this.rules.filter((r) => r.kind === "function");
    const nests = scope.depth > 0 ? 1 : 0;
    return this.oneOf<string>(
      [5, () => this.simple(scope)],
      [6, () => this.reference(scope)],
      [1, () => this.literal(2)],
      [nests, () => `[${this.term(deeper(scope))}, ${this.term(deeper(scope))}]`],
      [
        nests,
        () =>
          `{"${this.pick(["a", "b"])}": ${this.term(deeper(scope))}, "${this.pick(["c", "d"])}": ${this.term(deeper(scope))}}`,
      ],
      [2 * nests, () => this.comprehension(deeper(scope))],
      [functions.length > 0 ? 2 * nests : 0, () => this.call(this.pick(functions), deeper(scope))],
      [nests, () => this.builtin(deeper(scope))],
      [0.5 * nests, () => this.arithmetic(deeper(scope))],
      [0.5 * nests, () => this.setOperation(deeper(scope))],
    );
  }

  private comprehension(scope: Scope): string {
    const body = this.statements(scope, 2).join("; ");
    const head = this.term({ ...scope, depth: 0 });
    return this.oneOf(
      [2, () => `[${head} | ${body}]`],
      [2, () => `{${head} | ${body}}`],
      [1, () => `{${this.simple(scope)}: ${head} | ${body}}`],
    );
  }

  protected call(f: RuleInfo, scope: Scope): string {
    return `${f.name}(${this.times(f.arity, () => this.hidden(this.term(scope))).join(", ")})`;
  }

  private builtin(scope: Scope): string {
    const [name, arity] = this.pick(BUILTINS);
    return `${name}(${this.times(arity, () => this.hidden(this.term(scope))).join(", ")})`;
  }

  private arithmetic(scope: Scope): string {
    const operand = (): string => (this.chance(0.7) ? this.simple(scope) : this.hidden(this.constant()));
    return `(${operand()} ${this.pick(["+", "-", "*", "/", "%"])} ${operand()})`;
  }

  private setOperation(scope: Scope): string {
    const sets = this.rules.filter((r) => r.kind === "set");
    const operand = (): string =>
      this.oneOf(
        [sets.length > 0 ? 3 : 0, () => this.pick(sets).name],
        [1, () => `{${this.scalar()}, ${this.simple(scope)}}`],
        [1, () => this.hidden(this.reference(scope))],
        [1, () => `{x | some x in ${this.reference(scope)}}`],
      );
    return `(${operand()} ${this.pick(["|", "&", "-"])} ${operand()})`;
  }
}

/**
 * The two, or one where they have the same value: a loop over `{null, data.lit.n}`, where `data.lit.n` is null, has two turns
 * in `opa eval`, though that set has one element.
 */
function different(a: string, b: string): string {
  return valueOfScalar(a) === valueOfScalar(b) ? a : `${a}, ${b}`;
}

function valueOfScalar(scalar: string): string {
  const [, literal] = /^data\.lit\.(.*)$/.exec(scalar) ?? [];
  if (literal !== undefined) return JSON.stringify(LITERALS[literal as keyof typeof LITERALS]);
  return JSON.stringify(JSON.parse(scalar.replace(/^hide\((.*)\)$/, "$1")));
}

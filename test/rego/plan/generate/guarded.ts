/**
 * Programs of rules that are guarded in every way that the index knows, and in ways that only look like it: behind locals,
 * in functions and `else` chains, with definitions that have no guard or call another rule before it. And requests for them.
 */

import { Random } from "./random.ts";

export interface Guarded {
  readonly module: string;
  readonly inputs: readonly unknown[];
}

const PLACES = ["input.a", "input.b", 'input["a"]', "input.c.d", "input.c.e", "input.c[0]"];
const TEXTS = ["x", "xy", "xyz", "y", "x/y", "é", "éa", ""];
const SCALARS = [...TEXTS.map((t) => JSON.stringify(t)), "1", "1.0", "-0", "2", "true", "false", "null"];
const GLOBS = ["x*", "xy", "*", "x/*", "x?z", "é*", "{x,y}*", "[x]y", "\\\\x"];

/** `globs`: whether to ask `glob.match`, which the interpreter of plans does not have. */
export function generateGuarded(seed: number, globs: boolean): Guarded {
  const random = new Random(seed);
  return { module: new Writer(random, globs).module(), inputs: Array.from({ length: 12 }, () => request(random)) };
}

class Writer {
  private readonly random: Random;
  private readonly globs: boolean;
  private locals = 0;

  constructor(random: Random, globs: boolean) {
    this.random = random;
    this.globs = globs;
  }

  module(): string {
    const kinds = ["complete", "agreeing", "set", "object", "keyed", "function", "chain"] as const;
    const rules = kinds.flatMap((kind) => {
      const count = 2 + this.random.int(9);
      return Array.from({ length: count }, (_, i) => this.rule(kind, i));
    });
    const ask = PLACES.map((p, i) => `asked contains [${i}, f(${p}, input.b)]`).join("\n");
    return `package t\n${rules.join("\n")}\nhelper if input.b == "y"\nhelper := false if input.a == "x"\n${ask}\n`;
  }

  private rule(kind: "complete" | "agreeing" | "set" | "object" | "keyed" | "function" | "chain", i: number): string {
    const value = this.random.int(4);
    switch (kind) {
      case "complete":
        return `p := ${this.random.pick(["1", "1", String(value), "input.b"])} if ${this.body()}`;
      case "agreeing":
        return `q if ${this.body()}`;
      case "set":
        return `s contains ${this.random.pick([`"v${i}"`, "input.b"])} if ${this.body()}`;
      case "object":
        return `o[k] := ${this.random.pick(["1", "1", String(value)])} if { k := "k${value}"; ${this.statements()} }`;
      case "keyed": {
        const others = ["k.s contains 1", "k.d.e := 1"];
        const rule = `k.v${this.random.int(5)} := ${value % 2} if ${this.body()}`;
        return this.random.int(8) === 0 ? `${this.random.pick(others)}\n${rule}` : rule;
      }
      case "function": {
        const first = this.random.pick(["x", this.random.pick(SCALARS), "_"]);
        const about = first === "x" ? `x == ${this.random.pick(SCALARS)}; ` : "";
        return `f(${first}, y) := ${this.random.pick(["1", "1", String(value)])} if { ${about}${this.statements("y")} }`;
      }
      case "chain": {
        const links = Array.from({ length: 1 + this.random.int(8) }, (_, n) => `else := ${n} if ${this.body()}`);
        return `c${i} := "first" if ${this.body()} ${links.join(" ")}${this.random.pick(["", ' else := "last"'])}`;
      }
    }
  }

  private body(): string {
    return `{ ${this.statements()} }`;
  }

  private statements(...places: readonly string[]): string {
    const count = 1 + this.random.int(3);
    return Array.from({ length: count }, () => this.statement(this.random.pick([...PLACES, ...places]))).join("; ");
  }

  private statement(place: string): string {
    const { random } = this;
    const scalar = random.pick(SCALARS);
    const local = `l${this.locals++}`;
    switch (random.int(16)) {
      case 0:
        return `${scalar} == ${place}`;
      case 1:
        return `${place} = ${scalar}`;
      case 2:
        return `${local} := ${place}; ${local} == ${scalar}`;
      case 3:
        return `${local} = ${place}; ${local} in {${random.pick(SCALARS)}, ${scalar}}`;
      case 4:
        return `${place} in [${random.pick(SCALARS)}, ${scalar}, ${random.pick(SCALARS)}]`;
      case 5:
        return `startswith(${place}, ${JSON.stringify(random.pick(TEXTS))})`;
      case 6:
        return this.globs ? `glob.match("${random.pick(GLOBS)}", ["/"], ${place})` : `${place} == ${scalar}`;
      case 7:
        return `${local} := input.c; ${local}.d == ${scalar}`;
      case 8:
        return `some ${local} in [${scalar}, ${random.pick(SCALARS)}]; ${local} == ${place}`;
      case 9:
        return `not ${place} == ${scalar}`;
      case 10:
        return "helper";
      case 11:
        return `${place} != ${scalar}`;
      case 12:
        return `count([1, ${place}]) > 1`;
      default:
        return `${place} == ${scalar}`;
    }
  }
}

function request(random: Random): unknown {
  const value = (): unknown => random.pick([...TEXTS, ...TEXTS, 1, 2, 0, true, false, null, ["x"], { d: "x" }]);
  const some = (key: string, v: unknown): Record<string, unknown> => (random.int(5) === 0 ? {} : { [key]: v });
  const inner = random.int(4) === 0 ? [value(), value()] : { ...some("d", value()), ...some("e", value()) };
  return { ...some("a", value()), ...some("b", value()), ...some("c", inner) };
}

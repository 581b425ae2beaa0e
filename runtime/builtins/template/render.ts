/** Rendering a template over values. Numbers of the policy are texts to a template, as they are in Go's json.Number. */

import { compareStrings, HostNumber, isArray, isObject, type JsonLike, stringKeyed } from "@portcullis/runtime/host";
import { fail, giveUp } from "../family.ts";
import { formatFloat } from "../yaml/decode.ts";
import type { Node, Operand, Pipe } from "./parser.ts";

/** Results of a pipeline: values, and the constants of the template, whose numbers are numbers. */
type Datum = JsonLike | bigint | number;

const maxOutput = 1 << 24;
const maxSteps = 1_000_000;

class Break extends Error {}
class Continue extends Error {}

function isTrue(value: Datum): boolean {
  if (value === null || value === false || value === "") return false;
  if (typeof value === "bigint" || typeof value === "number") return Number(value) !== 0;
  if (value instanceof HostNumber) return value.text !== "";
  if (isArray(value)) return value.length > 0;
  if (isObject(value)) return value.size > 0;
  return true;
}

/** A value as Go prints one by itself. */
function show(value: Datum): string {
  if (typeof value === "number") return formatFloat(value);
  if (typeof value === "bigint") return String(value);
  if (value === null) return "<nil>";
  if (value instanceof HostNumber) return value.text;
  if (isArray(value)) return `[${value.map(show).join(" ")}]`;
  if (isObject(value))
    return `map[${stringKeyed(value)
      .map(([k, v]) => `${k}:${show(v)}`)
      .join(" ")}]`;
  return String(value);
}

type Kind = "bool" | "int" | "float" | "string" | "other";

function kindOf(value: Datum): Kind {
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint") return "int";
  if (typeof value === "number") return "float";
  return typeof value === "string" || value instanceof HostNumber ? "string" : "other";
}

const printedText = (value: Datum): string => (value instanceof HostNumber ? value.text : String(value));

function equal(a: Datum, b: Datum): boolean {
  if (a === null || b === null) return a === b;
  const kind = kindOf(a);
  if (kind === "other" || kind !== kindOf(b)) return fail("incompatible types for comparison");
  return printedText(a) === printedText(b);
}

function less(a: Datum, b: Datum): boolean {
  const kind = kindOf(a);
  if (kind !== kindOf(b) || kind === "bool" || kind === "other") return fail("incompatible types for comparison");
  return kind === "string"
    ? compareStrings(printedText(a), printedText(b)) < 0
    : (a as bigint | number) < (b as bigint | number);
}

function position(value: Datum): number {
  return typeof value === "bigint" ? Number(value) : fail("cannot index by this");
}

function index(value: Datum, keys: readonly Datum[]): Datum {
  if (value === null) return fail("index of untyped nil");
  return keys.reduce((at, key) => {
    if (isArray(at as JsonLike)) return (at as readonly JsonLike[])[position(key)] ?? fail("index out of range");
    if (!isObject(at as JsonLike) || kindOf(key) !== "string" || key instanceof HostNumber)
      return fail("cannot index this");
    return (at as ReadonlyMap<JsonLike, JsonLike>).get(key as string) ?? null;
  }, value);
}

function length(value: Datum): bigint {
  if (typeof value === "string" || value instanceof HostNumber)
    return BigInt(new TextEncoder().encode(printedText(value)).length);
  if (isArray(value as JsonLike)) return BigInt((value as readonly JsonLike[]).length);
  return isObject(value as JsonLike) ? BigInt((value as ReadonlyMap<JsonLike, JsonLike>).size) : fail("len of this");
}

/** Operands beside each other are separated by a space unless one of them is a string. */
function print(values: readonly Datum[]): string {
  return values
    .map((value, i) =>
      i > 0 && kindOf(value) !== "string" && kindOf(values[i - 1] as Datum) !== "string"
        ? ` ${show(value)}`
        : show(value),
    )
    .join("");
}

const need = (args: readonly Datum[], least: number, most = least): readonly Datum[] =>
  args.length >= least && args.length <= most ? args : fail("wrong number of arguments");

const functions: ReadonlyMap<string, (args: readonly Datum[]) => Datum> = new Map<
  string,
  (args: readonly Datum[]) => Datum
>([
  ["not", (args) => !isTrue(need(args, 1)[0] as Datum)],
  [
    "eq",
    (args) =>
      need(args, 2, Infinity)
        .slice(1)
        .some((arg) => equal(args[0] as Datum, arg)),
  ],
  ["ne", (args) => !equal(need(args, 2)[0] as Datum, args[1] as Datum)],
  ["lt", (args) => less(need(args, 2)[0] as Datum, args[1] as Datum)],
  ["gt", (args) => less(need(args, 2)[1] as Datum, args[0] as Datum)],
  ["le", (args) => !less(need(args, 2)[1] as Datum, args[0] as Datum)],
  ["ge", (args) => !less(need(args, 2)[0] as Datum, args[1] as Datum)],
  ["len", (args) => length(need(args, 1)[0] as Datum)],
  ["index", (args) => index(need(args, 1, Infinity)[0] as Datum, args.slice(1))],
  ["print", print],
  ["println", (args) => `${args.map(show).join(" ")}\n`],
]);

class Renderer {
  private out = "";
  private steps = 0;
  private variables: { readonly name: string; value: Datum }[];

  constructor(root: JsonLike) {
    this.variables = [{ name: "$", value: root }];
  }

  run(nodes: readonly Node[], dot: Datum): string {
    this.nodes(nodes, dot);
    return this.out;
  }

  private nodes(nodes: readonly Node[], dot: Datum): void {
    for (const node of nodes) this.node(node, dot);
  }

  private scoped(run: () => void): void {
    const saved = this.variables.length;
    try {
      run();
    } finally {
      this.variables.length = saved;
    }
  }

  private node(node: Node, dot: Datum): void {
    if (++this.steps > maxSteps || this.out.length > maxOutput) giveUp("template takes too long");
    switch (node.kind) {
      case "Text":
        this.out += node.text;
        return;
      case "Output": {
        const value = this.pipe(node.pipe, dot);
        if (node.pipe.variables.length === 0) this.out += value === null ? "<no value>" : show(value);
        return;
      }
      case "If":
      case "With":
        return this.scoped(() => {
          const value = this.pipe(node.pipe, dot);
          const inner = node.kind === "With" ? value : dot;
          this.nodes(isTrue(value) ? node.body : node.otherwise, isTrue(value) ? inner : dot);
        });
      case "Range":
        return this.scoped(() => this.range(node, dot));
      case "Break":
        throw new Break();
      case "Continue":
        throw new Continue();
    }
  }

  private range(node: Node & { readonly kind: "Range" }, dot: Datum): void {
    const { variables, assigns } = node.pipe;
    const value = this.pipe({ ...node.pipe, variables: [] }, dot);
    const entries = this.entries(value);
    if (entries.length === 0) return this.nodes(node.otherwise, dot);
    try {
      for (const [key, item] of entries) {
        this.scoped(() => {
          const values = variables.length === 2 ? [key, item] : [item];
          for (const [i, name] of variables.entries()) this.bind(name, values[i] as Datum, assigns);
          try {
            this.nodes(node.body, item);
          } catch (error) {
            if (!(error instanceof Continue)) throw error;
          }
        });
      }
    } catch (error) {
      if (!(error instanceof Break)) throw error;
    }
  }

  private entries(value: Datum): readonly (readonly [Datum, Datum])[] {
    if (value === null) return [];
    if (typeof value === "bigint") {
      if (value > BigInt(maxSteps)) giveUp("range too long");
      return Array.from({ length: Math.max(0, Number(value)) }, (_, i) => [BigInt(i), BigInt(i)] as const);
    }
    if (isArray(value as JsonLike)) return (value as readonly JsonLike[]).map((item, i) => [BigInt(i), item] as const);
    return isObject(value as JsonLike)
      ? stringKeyed(value as ReadonlyMap<JsonLike, JsonLike>)
      : fail("cannot range over this");
  }

  private bind(name: string, value: Datum, assigns: boolean): void {
    if (!assigns) {
      this.variables.push({ name, value });
      return;
    }
    const variable = this.variables.findLast((candidate) => candidate.name === name) ?? fail("undefined variable");
    variable.value = value;
  }

  private pipe(pipe: Pipe, dot: Datum): Datum {
    let value: Datum | undefined;
    for (const command of pipe.commands) value = this.command(command, dot, value);
    for (const name of pipe.variables) this.bind(name, value as Datum, pipe.assigns);
    return value as Datum;
  }

  private command(operands: readonly Operand[], dot: Datum, piped: Datum | undefined): Datum {
    const [first, ...rest] = operands;
    const last = piped === undefined ? [] : [piped];
    if (first?.kind === "Function") return this.call(first.name, rest, dot, last);
    if (rest.length > 0 || last.length > 0) return fail("arguments given to a value that is not a function");
    return first?.kind === "Nil" ? fail("nil is not a command") : this.operand(first as Operand, dot);
  }

  private call(name: string, operands: readonly Operand[], dot: Datum, last: readonly Datum[]): Datum {
    // `and` and `or` look no further than they must.
    if (name === "and" || name === "or") {
      const all = [
        ...operands.map((operand) => () => this.argument(operand, dot)),
        ...last.map((value) => () => value),
      ];
      for (const [i, next] of all.entries()) {
        const value = next();
        if (i === all.length - 1 || isTrue(value) === (name === "or")) return value;
      }
      return fail("wrong number of arguments");
    }
    const run = functions.get(name) ?? (name === "call" ? fail("not a function") : giveUp("function not supported"));
    return run([...operands.map((operand) => this.argument(operand, dot)), ...last]);
  }

  private argument(operand: Operand, dot: Datum): Datum {
    if (operand.kind === "Function") return this.call(operand.name, [], dot, []);
    return operand.kind === "Nil" ? null : this.operand(operand, dot);
  }

  private operand(operand: Operand, dot: Datum): Datum {
    switch (operand.kind) {
      case "Dot":
        return dot;
      case "Constant":
        return operand.value;
      case "Chain":
        return fieldsOf(this.base(operand, dot), operand.fields);
      case "Function":
      case "Nil":
        return fail("not a value");
    }
  }

  private base({ base, pipe }: Operand & { readonly kind: "Chain" }, dot: Datum): Datum {
    if (base === "dot") return dot;
    if (base === "pipe") return this.pipe(pipe as Pipe, dot);
    return (this.variables.findLast(({ name }) => name === base) ?? fail("undefined variable")).value;
  }
}

/** A field of fields. One that is not there has no value, and so have its own; no value is written as `<undefined>`. */
function fieldsOf(base: Datum, names: readonly string[]): Datum {
  let value = base;
  for (const name of names) {
    if (!isObject(value as JsonLike)) return fail("field of what has no fields");
    const found = (value as ReadonlyMap<JsonLike, JsonLike>).get(name);
    if (found === undefined) return null;
    value = found;
  }
  return value;
}

export function renderTemplate(nodes: readonly Node[], root: JsonLike): string {
  return new Renderer(root).run(nodes, root).replaceAll("<no value>", "<undefined>");
}

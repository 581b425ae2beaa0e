/** Prints what an evaluation answered, in the formats of `opa eval`. Numbers keep every digit. */

import type { ExpressionProfile } from "@portcullis/rego/testing";
import { fromJson, isArray, isObject, type JsonLike, stringKeyed, toJson } from "@portcullis/runtime/host";
import { type Terminal, table } from "../terminal.ts";

export const EVAL_FORMATS = ["human", "json", "pretty", "raw", "values", "bindings"] as const;
export type EvalFormat = (typeof EVAL_FORMATS)[number];

/** By OPA's names: times in nanoseconds, sizes in bytes. */
export type Metrics = { readonly [name: string]: number };

/** How many expressions people are shown. */
const HOTTEST = 10;

interface Solution {
  /** Undefined for a query without variables. */
  readonly bindings: ReadonlyMap<JsonLike, JsonLike> | undefined;
  readonly values: readonly JsonLike[];
  readonly texts: readonly string[];
}

/** The solutions, for people or as one of the formats that scripts read. `text`: as `QueryAnswer` has it. */
export function printSolutions(terminal: Terminal, text: string, format: EvalFormat): void {
  const solutions = solutionsOf(text);
  for (const { bindings, values } of solutions) {
    if (format === "raw") terminal.out(`${values.map(rawText).join(" ")}\n`);
    else if (format === "values") terminal.out(`${indented(values)}\n`);
    else if (format === "bindings") terminal.out(`${indented(bindings ?? new Map())}\n`);
  }
  if (format === "human" || format === "pretty") printForPeople(terminal, solutions);
}

/** `{"result": […]}`, with what else was asked for. A query that is undefined has no `result`, as OPA has it. */
export function printJson(terminal: Terminal, text: string, more: Readonly<Record<string, unknown>>): void {
  const others = Object.entries(more).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, fromJson(JSON.stringify(value)) as JsonLike] as const],
  );
  const result = text === "[]" ? [] : [["result", fromJson(text) as JsonLike] as const];
  terminal.out(`${indented(new Map([...result, ...others]))}\n`);
}

export function printMetrics(terminal: Terminal, metrics: Metrics): void {
  terminal.out(`\n${table([["METRIC", "VALUE"], ...Object.entries(metrics).map(([name, n]) => [name, String(n)])])}\n`);
}

/** The expressions that took longest. */
export function printProfile(terminal: Terminal, profile: readonly ExpressionProfile[]): void {
  const rows = profile.slice(0, HOTTEST).map(({ location, text, num_eval, total_time_ns }) => {
    const [line = "", ...more] = text.split("\n");
    const place = `${location.file}:${location.row}:${location.col}`;
    return [`${(total_time_ns / 1000).toFixed(0)} µs`, String(num_eval), place, more.length === 0 ? line : `${line} …`];
  });
  terminal.out(`\n${table([["TIME", "EVALUATED", "PLACE", "EXPRESSION"], ...rows])}\n`);
  if (profile.length > HOTTEST) terminal.out(`and ${profile.length - HOTTEST} more: --format json has all\n`);
}

function printForPeople(terminal: Terminal, solutions: readonly Solution[]): void {
  const [first] = solutions;
  if (first === undefined) return terminal.out("undefined\n");
  const [only] = first.values;
  if (solutions.length === 1 && first.values.length === 1 && only !== undefined && first.bindings === undefined)
    return terminal.out(`${indented(only)}\n`);
  const names = [...(first.bindings?.keys() ?? [])].map(String);
  // An expression that only holds says nothing beside the variables.
  const told = first.texts.flatMap((text, i) =>
    names.length === 0 || solutions.some(({ values }) => values[i] !== true) ? [{ text, i }] : [],
  );
  const head = [...names, ...told.map(({ text }) => text.replace(/\s+/g, " "))];
  const rows = solutions.map(({ bindings, values }) =>
    [...names.map((name) => bindings?.get(name)), ...told.map(({ i }) => values[i])].map((v) => toJson(v ?? null)),
  );
  const paint = (cell: string, _: number, row: number): string => (row === 0 ? terminal.paint.bold(cell) : cell);
  terminal.out(`${table([head, ...rows], paint)}\n`);
}

function solutionsOf(text: string): Solution[] {
  const all = fromJson(text);
  return (isArray(all) ? all : []).map((solution) => {
    const expressions = memberOf(solution, "expressions");
    const bindings = memberOf(solution, "bindings");
    const each = isArray(expressions) ? expressions : [];
    return {
      bindings: isObject(bindings) ? bindings : undefined,
      values: each.map((e) => memberOf(e, "value") ?? null),
      texts: each.map((e) => String(memberOf(e, "text"))),
    };
  });
}

function memberOf(value: JsonLike, key: string): JsonLike | undefined {
  return isObject(value) ? value.get(key) : undefined;
}

function rawText(value: JsonLike): string {
  return typeof value === "string" ? value : toJson(value);
}

/** JSON with two spaces a level. */
function indented(value: JsonLike, margin = ""): string {
  const inner = `${margin}  `;
  const block = (open: string, items: readonly string[], close: string): string =>
    items.length === 0
      ? `${open}${close}`
      : `${open}\n${items.map((i) => `${inner}${i}`).join(",\n")}\n${margin}${close}`;
  if (isArray(value))
    return block(
      "[",
      value.map((item) => indented(item, inner)),
      "]",
    );
  if (!isObject(value)) return toJson(value);
  const members = stringKeyed(value).map(([key, item]) => `${JSON.stringify(key)}: ${indented(item, inner)}`);
  return block("{", members, "}");
}

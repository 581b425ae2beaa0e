/**
 * Names for functions by what they are: their statements, the functions that they call, and the data that they read. Two of one
 * name give the same for the same arguments, in two policies as in one.
 */

import {
  type Block,
  DATA,
  eachLocalIn,
  eachStmt,
  type Func,
  INPUT,
  type Operand,
  type Policy,
  type Stmt,
} from "@portcullis/rego/plan";
import { elementOf, type Value, valueText } from "@portcullis/rego/value";
import { nameOf as unknownOf } from "./axes.ts";
import type { Given } from "./cases.ts";

/** Texts that were named before, with their names. */
export type Names = Map<string, string>;

/** One step of a path into the data: a key, or what the request says under this name. */
type Step = string | { readonly said: string };

/** What is known of a function before any request is. */
interface Content {
  readonly text: string;
  readonly callees: readonly Func[];
  readonly reads: readonly (readonly Step[])[];
}

/**
 * Functions of one name give the same for requests that are given: a row that none of them can look up is no part of the name.
 *
 * Cost: one walk over the policy; the data under a path is written once for each path that is read, and all of it for each `given`.
 */
export function contentNames(plan: Policy, data: Value, names: Names): (func: Func, given: Given) => string {
  const { funcs, strings, constants } = plan;
  const byName = new Map(funcs.map((func) => [func.name, func]));
  const contents = new Map<string, Content>();
  const found = new WeakMap<Given, Map<string, string>>();
  // Under `with` a function may be asked of another request.
  const isOfOneRequest = !funcs.some(({ blocks }) => changesInput(blocks));
  const nameOf = (func: Func, given: Given): string => {
    const known = found.get(given) ?? new Map<string, string>();
    found.set(given, known);
    const before = known.get(func.name);
    if (before !== undefined) return before;
    const { text, callees, reads } = contentOf(func);
    const read = reads.map((path) => [path, textAt(data, path, isOfOneRequest ? given : NOTHING)]);
    const content = JSON.stringify([text, callees.map((callee) => nameOf(callee, given)), read]);
    const name = names.get(content) ?? `${func.name}#${names.size}`;
    names.set(content, name);
    known.set(func.name, name);
    return name;
  };
  const contentOf = (func: Func): Content => {
    const known = contents.get(func.name);
    if (known !== undefined) return known;
    const { params, result, blocks, path, once } = func;
    const callees: Func[] = [];
    const written = JSON.stringify(blocks, (key, value: unknown) => {
      if (key === "span") return undefined;
      if (typeof value !== "object" || value === null || !("kind" in value)) return value;
      return named(value as Stmt, callees);
    });
    const content: Content = {
      text: JSON.stringify([params, result, once, path.length > 0, written]),
      callees,
      reads: pathsIn(blocks, strings, (name) => byName.has(name)),
    };
    contents.set(func.name, content);
    return content;
  };
  /** A statement or operand with the texts themselves in place of their numbers; functions stand in `callees`, in their order. */
  const named = (of: Stmt, callees: Func[]): unknown => {
    if (of.kind === "CallStmt") {
      const callee = byName.get(of.func);
      if (callee !== undefined) callees.push(callee);
      return { ...of, kind: "call", func: callee === undefined ? of.func : callees.length };
    }
    if (of.kind === "CallDynamicStmt") return { ...of, kind: "call", anyOf: allOf() };
    if (of.kind === "MakeNumberRefStmt") return { ...of, kind: "number", index: strings[of.index] };
    const operand = of as unknown as { readonly kind: string; readonly index: number };
    if (operand.kind === "String") return { text: strings[operand.index] };
    if (operand.kind === "Constant") return { constant: valueText(constants[operand.index] as Value) };
    return of;
  };
  /** Which function is called is known when it is called. */
  let all: string | undefined;
  const allOf = (): string => {
    all ??= JSON.stringify([funcs.map(({ name, blocks }) => [name, blocks]), strings], (key, value: unknown) =>
      key === "span" ? undefined : value,
    );
    return `${all}${valueText(data)}`;
  };
  return nameOf;
}

const NOTHING: Given = new Map();

function changesInput(blocks: readonly Block[]): boolean {
  let isChanged = false;
  eachLocalIn(blocks, (local, kind) => {
    isChanged ||= local === INPUT && (kind === "def" || kind === "own");
  });
  return isChanged;
}

/** What is read at a path: by each key that a request may say, where it says one. */
function textAt(value: Value | undefined, [step, ...rest]: readonly Step[], given: Given): string {
  if (value === undefined) return "";
  // Words for what the host gives are no objects: what is below them is its own.
  if (step === undefined || value.kind !== "object") return valueText(value);
  if (typeof step === "string") return textAt(elementOf(value, { kind: "string", value: step }), rest, given);
  const said = given.get(unknownOf(step.said));
  const mayBe = (key: Value): boolean => {
    if (said === undefined || key.kind !== "string") return true;
    return "oneOf" in said ? said.oneOf.includes(key.value) : !said.noneOf.has(key.value);
  };
  const rows = value.entries.filter(([key]) => mayBe(key));
  return JSON.stringify(rows.map(([key, row]) => [valueText(key), textAt(row, rest, given)]));
}

/** The paths of the data that statements read themselves. */
function pathsIn(
  blocks: readonly Block[],
  strings: readonly string[],
  isFunction: (name: string) => boolean,
): (readonly Step[])[] {
  const assigned = new Map<number, number>();
  const uses = new Map<number, number>();
  eachLocalIn(blocks, (local, kind) => {
    const counts = kind === "def" || kind === "own" ? assigned : uses;
    counts.set(local, (counts.get(local) ?? 0) + 1);
  });
  const said = new Map<number, Step>();
  eachStmt(blocks, (stmt) => {
    if (stmt.kind !== "DotStmt" || stmt.source.kind !== "Local" || stmt.source.local !== INPUT) return;
    if (stmt.key.kind === "String" && assigned.get(stmt.target) === 1)
      said.set(stmt.target, { said: strings[stmt.key.index] as string });
  });
  const stepOf = (key: Operand): Step | undefined => {
    if (key.kind === "Local") return said.get(key.local);
    return key.kind === "String" ? strings[key.index] : undefined;
  };
  const paths = new Map<number, readonly Step[]>([[DATA, []]]);
  const steps = new Map<number, number>();
  eachStmt(blocks, (stmt) => {
    if (stmt.kind !== "DotStmt" || stmt.source.kind !== "Local") return;
    const path = paths.get(stmt.source.local);
    const step = stepOf(stmt.key);
    if (path === undefined || step === undefined || assigned.get(stmt.target) !== 1) return;
    paths.set(stmt.target, [...path, step]);
    steps.set(stmt.source.local, (steps.get(stmt.source.local) ?? 0) + 1);
  });
  // A function that is called gets all data; what it reads of it stands in its own name.
  eachStmt(blocks, (stmt) => {
    if (stmt.kind !== "CallDynamicStmt" && !(stmt.kind === "CallStmt" && isFunction(stmt.func))) return;
    const second = stmt.args[1];
    const local = typeof second === "object" && second.kind === "Local" ? second.local : second;
    if (local === DATA) steps.set(DATA, (steps.get(DATA) ?? 0) + 1);
  });
  return [...paths].flatMap(([local, path]) => ((uses.get(local) ?? 0) > (steps.get(local) ?? 0) ? [path] : []));
}

/**
 * Names for functions by what they are: their statements, the functions that they call, and the data that they read. Two of one
 * name give the same for the same arguments, in two policies as in one.
 */

import { type Block, DATA, eachLocalIn, eachStmt, type Func, type Policy, type Stmt } from "@portcullis/rego/plan";
import { elementOf, type Value, valueText } from "@portcullis/rego/value";

/** Texts that were named before, with their names. */
export type Names = Map<string, string>;

/** Cost: one walk over the policy; the data under a path is written once for each path that is read. */
export function contentNames({ funcs, strings, constants }: Policy, data: Value, names: Names): (func: Func) => string {
  const byName = new Map(funcs.map((func) => [func.name, func]));
  const found = new Map<string, string>();
  const nameOf = (func: Func): string => {
    const known = found.get(func.name);
    if (known !== undefined) return known;
    const content = JSON.stringify([contentOf(func), readsOf(func)]);
    const name = names.get(content) ?? `${func.name}#${names.size}`;
    names.set(content, name);
    found.set(func.name, name);
    return name;
  };
  const contentOf = ({ params, result, blocks, path, once }: Func): unknown => [
    ...[params, result, once, path.length > 0],
    JSON.stringify(blocks, (key, value: unknown) => {
      if (key === "span") return undefined;
      if (typeof value !== "object" || value === null || !("kind" in value)) return value;
      return named(value as Stmt);
    }),
  ];
  /** A statement or operand with the texts and functions themselves in place of their numbers. */
  const named = (of: Stmt): unknown => {
    if (of.kind === "CallStmt") {
      const callee = byName.get(of.func);
      return { ...of, kind: "call", func: callee === undefined ? of.func : nameOf(callee) };
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
  const readsOf = ({ blocks }: Func): [string, string][] =>
    pathsIn(blocks, strings, (name) => byName.has(name)).map((path) => {
      const value = path.reduce<Value | undefined>(
        (of, key) => of && elementOf(of, { kind: "string", value: key }),
        data,
      );
      return [path.join("/"), value === undefined ? "" : valueText(value)];
    });
  return nameOf;
}

/** The paths of the data that statements read themselves. */
function pathsIn(
  blocks: readonly Block[],
  strings: readonly string[],
  isFunction: (name: string) => boolean,
): (readonly string[])[] {
  const assigned = new Map<number, number>();
  const uses = new Map<number, number>();
  eachLocalIn(blocks, (local, kind) => {
    const counts = kind === "def" || kind === "own" ? assigned : uses;
    counts.set(local, (counts.get(local) ?? 0) + 1);
  });
  const paths = new Map<number, readonly string[]>([[DATA, []]]);
  const steps = new Map<number, number>();
  eachStmt(blocks, (stmt) => {
    if (stmt.kind !== "DotStmt" || stmt.source.kind !== "Local" || stmt.key.kind !== "String") return;
    const path = paths.get(stmt.source.local);
    if (path === undefined || assigned.get(stmt.target) !== 1) return;
    paths.set(stmt.target, [...path, strings[stmt.key.index] as string]);
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

/**
 * Requests that the text of changed rules suggests: every path of the input that they read, with every constant that they
 * hold, its neighbours, another type, and nothing at all.
 */

import { children, type Node, type Rule } from "@portcullis/rego/syntax";
import { isJsonObject, type JsonObject } from "@portcullis/rego/value";
import type { Question } from "./templates.ts";

export interface ReadInputs {
  readonly paths: readonly (readonly string[])[];
  readonly constants: readonly unknown[];
}

/** What rules read of the input, and the constants in them. */
export function readInputs(rules: readonly Rule[], data: readonly unknown[]): ReadInputs {
  const paths = new Map<string, string[]>();
  const constants = new Set<unknown>([undefined, null, true, false, 0, 1, -1, "", "x", 1e15]);
  const addNumber = (n: number): void => {
    for (const near of [n, n + 1, n - 1]) constants.add(near);
  };
  const visit = (node: Node): void => {
    if (node.kind === "Ref" && node.head.kind === "Var" && node.head.name === "input") {
      const path: string[] = [];
      for (const arg of node.args) {
        if (arg.kind !== "String") break;
        path.push(arg.value);
      }
      if (path.length > 0) paths.set(path.join("\0"), path);
    }
    if (node.kind === "String") constants.add(node.value);
    if (node.kind === "Number") addNumber(Number(node.text));
    for (const child of children(node)) visit(child);
  };
  for (const rule of rules) visit(rule);
  const leaves = (value: unknown): void => {
    if (typeof value === "string") constants.add(value);
    else if (typeof value === "number") addNumber(value);
    else if (Array.isArray(value)) value.forEach(leaves);
    else if (isJsonObject(value)) for (const [key, inner] of Object.entries(value)) leaves([key, inner]);
  };
  for (const value of data) leaves(value);
  return { paths: [...paths.values()], constants: [...constants] };
}

/** A request with one and with two of the paths set, over each start. Stops after `limit`. */
export function* variedInputs(
  starts: Iterable<Question>,
  { paths, constants }: ReadInputs,
  limit: number,
): Generator<Question> {
  let asked = 0;
  for (const { kind, input } of starts) {
    for (const [i, path] of paths.entries()) {
      for (const value of constants) {
        const one = withValue(input, path, value);
        if (asked++ >= limit) return;
        yield { kind, input: one };
        for (const other of paths.slice(i + 1)) {
          if (paths.length > 4) break;
          for (const second of constants) {
            if (asked++ >= limit) return;
            yield { kind, input: withValue(one, other, second) };
          }
        }
      }
    }
  }
}

/** The input with a value at a path; `undefined` takes the member away. */
export function withValue(input: JsonObject, [key = "", ...rest]: readonly string[], value: unknown): JsonObject {
  const inner = Object.hasOwn(input, key) ? input[key] : undefined;
  const changed = rest.length === 0 ? value : withValue(isJsonObject(inner) ? inner : {}, rest, value);
  const { [key]: _, ...others } = input;
  return changed === undefined ? others : { ...others, [key]: changed };
}

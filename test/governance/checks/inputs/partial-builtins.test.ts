/**
 * The builtins that the runtime has no result of, for arguments of the types that they are declared with, are those that are
 * listed, and for what is listed they have none whatever the other arguments are.
 */

import { describe, expect, it } from "vitest";
import { PARTIAL } from "../../../../compiler/governance/checks/inputs/partial-builtins.ts";
import { SourceFile } from "../../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../../compiler/rego/pipeline/compile-modules.ts";
import { type BuiltinType, builtins as declared } from "../../../../compiler/rego/syntax/index.ts";
import { builtins as supplied } from "../../../../runtime/builtins/index.ts";
import { load } from "../../../../runtime/index.ts";

/** Texts that some builtin reads, or does not; whole numbers alone. */
const SAMPLES: { readonly [kind: string]: readonly unknown[] } = {
  string: ["", "?", "(", "{", "7", "a", "%zz", "1.2.3", "10.0.0.0/8", "2020-01-01T00:00:00Z"],
  number: [0, 1, -1, 2],
  boolean: [true],
  null: [null],
  any: [null, 0, "a", {}, [1]],
};

function samplesOf(type: BuiltinType): readonly unknown[] {
  switch (type.kind) {
    case "array": {
      const items = type.items.map((item) => samplesOf(item)[0]);
      return items.length > 0 ? [items] : [[], ...samplesOf(type.rest as BuiltinType).map((value) => [value])];
    }
    case "set":
      return [[], ...samplesOf(type.of).map((value) => [value])];
    case "object": {
      const fields = Object.fromEntries(type.fields.map(({ name, type: of }) => [name, samplesOf(of)[0]]));
      return [fields, ...(type.rest === undefined ? [] : samplesOf(type.rest.value).map((a) => ({ ...fields, a })))];
    }
    case "union":
      // A request has no set.
      return type.of.filter((one) => !isSet(one)).flatMap(samplesOf);
    case "any":
    case "null":
    case "boolean":
    case "number":
    case "string":
      return SAMPLES[type.kind] as readonly unknown[];
  }
}

const isSet = (type: BuiltinType): boolean => type.kind === "set";

/** Signing, which needs keys; what this host does not do, or does by chance alone; and sets of sets. */
const UNASKED =
  /^(cast_|io\.jwt\.encode|providers\.|opa\.|http\.|net\.lookup|rand\.|uuid\.rfc|rego\.|time\.now|set_diff|internal\.|walk$|union$|intersection$)/;
const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;
/** Builtins that have no result of an empty collection alone. */
const EMPTY = ["max", "min"];

const asked = [...declared().values()].filter(
  ({ name, result, parameters }) =>
    result !== undefined && result.kind !== "boolean" && parameters.length > 0 && !UNASKED.test(name),
);

const rules = asked.map(({ name, parameters }, n) => {
  const args = parameters.map(({ type }, i) => (isSet(type) ? `{x | some x in input[${i}]}` : `input[${i}]`));
  return `p${n} := ${name}(${args.join(", ")})`;
});
const { compiled } = await compileModules({
  modules: [new SourceFile("t.rego", `package t\n\n${rules.join("\n\n")}\n`)],
  entrypoints: rules.map((_, n) => `t/p${n}`),
  allowBuiltins: asked.map(({ name }) => name),
});
const policy = await load(compiled!.wasm, { builtins: supplied });

function* tuples(lists: readonly (readonly unknown[])[]): Iterable<unknown[]> {
  const [first, ...rest] = lists;
  if (first === undefined) return yield [];
  for (const value of first) for (const others of tuples(rest)) yield [value, ...others];
}

describe.each(asked.map(({ name, parameters }, n) => ({ name, parameters, n })))("$name", ({ name, parameters, n }) => {
  const lists = parameters.map(({ type }) => samplesOf(type));
  const hasNone = (args: unknown): boolean => policy.evaluate(`t/p${n}`, args) === undefined;
  const listed = Object.hasOwn(PARTIAL, name) ? (PARTIAL[name] as { readonly [place: string]: string }) : {};

  it("has no result where that is listed, unless there is nothing to be done with it", () => {
    for (const [place, text] of Object.entries(listed)) {
      const value: unknown = JSON.parse(text);
      for (const args of tuples(
        lists.map((list, i) => (i === Number(place) ? [value] : list.filter((other) => !isEmpty(other)))),
      ))
        expect(hasNone(args), JSON.stringify(args)).toBe(true);
    }
  });

  it.skipIf(EMPTY.includes(name))("has one, or it is listed", () => {
    const all = [...tuples(lists)];
    const without = all.filter(hasNone);
    if (without.length === 0) return;
    // Where nothing is right, it is not told which argument is wrong.
    if (without.length === all.length) return expect(Object.keys(listed)).not.toEqual([]);
    const places = lists.flatMap((list, i) =>
      list.some((value) => all.every((args) => args[i] !== value || without.includes(args))) ? [`${i}`] : [],
    );
    expect(Object.keys(listed)).toEqual(expect.arrayContaining(places));
    return expect(Object.keys(listed)).not.toEqual([]);
  });
});

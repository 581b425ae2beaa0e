/**
 * What of the input an entrypoint is handed: programs whose footprints are known. A footprint that names too much costs
 * time; one that names too little would let a rule find nothing where there is something, which the last test looks for.
 */

import { describe, expect, it } from "vitest";
import { decideName } from "../../../compiler/rego/optimize/decide-functions.ts";
import type { Footprint } from "../../../compiler/rego/optimize/footprint.ts";
import { footprintOf } from "../../../compiler/rego/optimize/footprint-of.ts";
import { optimize } from "../../../compiler/rego/optimize/index.ts";
import type { Policy } from "../../../compiler/rego/plan/ir.ts";
import type { Value } from "../../../compiler/rego/value/value.ts";
import { memoisedCalls } from "../../../compiler/rego/wasm/memoised-calls.ts";
import { runs, SEED } from "../../campaign.ts";
import { interpret } from "../../interpreter/interpreter.ts";
import { parseJson } from "../../interpreter/term.ts";
import { print } from "../../interpreter/value.ts";
import { compile } from "../plan/compile.ts";
import { generate } from "../plan/generate/index.ts";
import { parsePolicyText } from "../plan/parse-text.ts";

const EMPTY: Value = { kind: "object", entries: [] };

function optimized(modules: readonly string[], entrypoints: readonly string[]): Policy | undefined {
  const { policy } = compile(modules, { entrypoints });
  return policy === undefined ? undefined : optimize(policy, { data: EMPTY });
}

/** `*` whole, `-` nothing but what kind of value it is, `[x]` x of each element, `{a: x}` these members. */
function show({ whole, each, members }: Footprint): string {
  if (whole) return "*";
  if (each !== undefined) return `[${show(each)}]`;
  if (members.size === 0) return "-";
  const shown = [...members].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, member]) => `${key}: ${show(member)}`);
  return `{${shown.join(", ")}}`;
}

function footprint(rules: string): string {
  return show(footprintOfRules(rules));
}

/** Paths of the members of which something holds. */
function membersThat(holds: (member: Footprint) => boolean, { each, members }: Footprint, path = ""): string[] {
  const below = each === undefined ? [] : membersThat(holds, each, `${path}[]`);
  for (const [key, member] of members) {
    const at = path === "" ? key : `${path}.${key}`;
    below.push(...(holds(member) ? [at] : []), ...membersThat(holds, member, at));
  }
  return below.sort();
}

function footprintOfRules(rules: string): Footprint {
  const policy = optimized([`package t\n\n${rules}`], ["t/p"]);
  if (policy === undefined) throw new Error(`does not compile: ${rules}`);
  return footprintOf(policy, decideName("t/p"), memoisedCalls(policy));
}

describe("members whose strings need not be looked up", () => {
  it.each([
    ["are compared with each other alone", "p if input.a == input.b", ["a", "b"]],
    ["are asked for their type", "p if is_string(input.a)", ["a"]],
    ["are those that may be empty", 'p if { input.a != ""; input.b == "word" }', ["a"]],
    ["are those that meet a character or two", 'p if { input.a != "/"; not input.b in {".", ".."} }', ["a", "b"]],
    [
      "are not those that meet a word besides",
      'p if { input.a in {".", "word"}; input.b == "/"; input.b != "word" }',
      [],
    ],
    [
      "are not those that a builtin reads, and that meet a constant",
      'p if { lower(input.a) == "word"; input.a == "WORD" }',
      [],
    ],
    ["are lists that are sorted", "p if sort(input.a) == sort(input.b)", ["a", "b"]],
    ["are not those that meet one that is looked up", 'p if { input.a == input.b; input.b == "word" }', []],
    [
      "are not those that meet one that meets one that is looked up",
      'p if { input.a == input.b; input.b == input.c; input.c == "word" }',
      [],
    ],
    [
      "are those whose bytes a builtin reads, and that meet what a rule made",
      'p if { input.a == split(input.b, "/")[0]; trim(input.a, "-") == input.a }',
      ["a", "b"],
    ],
    [
      "are not those that are trimmed of white space, and that meet what a rule made",
      'p if { input.a == split(input.b, "/")[0]; trim_space(input.a) == input.a }',
      ["b"],
    ],
    ["are not keys of look-ups", 'p if { x := {"a": 1}; x[input.a]; input.b }', ["b"]],
    ["are those whose bytes a builtin reads", "p if startswith(input.a, input.b)", ["a", "b"]],
    ["are not those that other builtins get", 'p := object.get({"x": 1}, input.a, 0)', []],
    ["are not those of a set's elements", 'p if input.a in {"word", "y"}', []],
    ["are those that become elements of a set", "p if {x.id | some x in input.l} == {input.b}", ["b", "l", "l[].id"]],
    ["are those that are only put into an answer", 'p := {"x": input.a}', ["a"]],
    ["are not compared with what a rule made", "p if input.a == concat(input.b, [])", []],
    ["are not compared with a constant where they are returned", 'q := input.a if input.b\n\np if q == "word"', ["b"]],
    ["may be members of elements", "p if { some x, y in input.l; some z in input.l; y.id == z.id }", ["l", "l[].id"]],
  ])("%s", (_, rules, wanted) => {
    expect(membersThat((member) => !member.lookUp, footprintOfRules(rules))).toEqual(wanted);
  });
});

describe("a footprint", () => {
  it.each([
    ["nothing of an input that is not read", "p := 1", "-"],
    ["a member that is compared to a constant", 'p if input.a == "x"', "{a: -}"],
    ["a member that is compared to a composite", "p if input.a == {}", "{a: *}"],
    ["both members that are compared to each other", "p if input.a == input.b", "{a: *, b: *}"],
    ["a member that is the answer", "p := input.a", "{a: *}"],
    ["a member in an answer", 'p := {"x": [input.a.b]}', "{a: {b: *}}"],
    ["members of members", 'p if { input.a.b.c == "x"; input.a.d == 1 }', "{a: {b: {c: -}, d: -}}"],
    ["a member of what is needed whole besides", 'p := input.a if input.a.b == "x"', "{a: *}"],
    ["a member whose being there is asked for", "p if input.a.b", "{a: {b: -}}"],
    ["a member whose being there is denied", "p if not input.a.b", "{a: {b: -}}"],
    ["a member that is compared to null", "p if input.a != null", "{a: -}"],
    ["elements that rules go through", 'p if { some x in input.xs; x.a == "x" }', "{xs: [{a: -}]}"],
    ["elements of elements", "p contains y if { some x in input.xs; some y in x.ys }", "{xs: [{ys: [*]}]}"],
    ["an element by its number", "p := input.xs[0].a", "{xs: [{a: *}]}"],
    ["an element by a number that the input names", "p := input.xs[input.i].a", "{i: *, xs: [{a: *}]}"],
    ["every element", 'p if { every x in input.xs { x.a == "x" } }', "{xs: [{a: -}]}"],
    ["elements that are only counted", "p if count(input.xs) > 2", "{xs: [-]}"],
    ["the type alone", "p if is_object(input.a)", "{a: -}"],
    ["the name of the type alone", "p := type_name(input.a)", "{a: -}"],
    ["what a builtin gets", "p := upper(input.a.b)", "{a: {b: *}}"],
    ["the whole input of a builtin", "p := object.keys(input)", "*"],
    ["the whole input that is the answer", "p := input", "*"],
    ["the whole input whose keys are not known", "p := data.x[input[_]]", "[*]"],
    ["a part that a function reads", 'f(x) if x.b == "x"\np if f(input.a)', "{a: {b: -}}"],
    [
      "parts that a function reads of each",
      'f(x) if x.b == "x"\np if { f(input.a); f(input.c) }',
      "{a: {b: -}, c: {b: -}}",
    ],
    ["a part that a function returns", "f(x) := x if x.q\nf(x) := x if x.r\np if f(input.a).b == 1", "{a: *}"],
    ["what a function returns of a part", "f(x) := y if { y := x.b; x.c }\np := f(input.a)", "{a: {b: *, c: -}}"],
    ["two arguments of one function", "f(x, y) if x.k == y.l\np if f(input.a, input.b)", "{a: {k: *}, b: {l: *}}"],
    ["what a rule that is called reads", 'q if input.a.b == "x"\np if { q; input.a.c }', "{a: {b: -, c: -}}"],
    ["keys that no identifier is", 'p if input["__proto__"]["a b"] == 1', "{__proto__: {a b: -}}"],
    ["elements and a member of the same value", "p if { some x in input.a; x == 1; input.a.b }", "{a: [-]}"],
  ])("names %s", (_name, rules, expected) => {
    expect(footprint(rules)).toBe(expected);
  });

  it("is whole where `with` gives the input, or a part of it, another value", () => {
    expect(footprint("q := input.x.y\np if { x := q with input as input.a; x == 1 }")).toBe("*");
    expect(footprint("q := input.x.y\np if { x := q with input.x as input.a; x == 1 }")).toBe("*");
  });

  it("is whole for both of the parts that one local may hold", () => {
    const policy = parsePolicyText(`func f(L0, L1) -> L2
  block
    blocks
      block
        L3 = get L0 "a"
      block
        L3 = get L0 "b"
    L4 = get L3 "c"
    equal L4 "x"
    L2 = true
  block
    return L2
`);
    expect(show(footprintOf(policy, "f", new Set()))).toBe("{a: *, b: *}");
  });

  it("knows a part that a loop reads before the statement that assigns it", () => {
    const policy = parsePolicyText(`func f(L0, L1) -> L2
  block
    L3 = get L0 "xs"
    L6 = get L0 "a"
    scan L3 as L4, L5
      L7 = get L8 "c"
      L8 = get L6 "b"
    L2 = true
  block
    return L2
`);
    expect(show(footprintOf(policy, "f", new Set()))).toBe("{a: {b: {c: -}}, xs: [-]}");
  });
});

/** What the runtime hands over: the members that a footprint names, of everything else what kind of value it is. */
function handed(value: unknown, footprint: Footprint): unknown {
  const { whole, each, members } = footprint;
  if (whole || typeof value !== "object" || value === null) return value;
  if (each !== undefined) {
    if (Array.isArray(value)) return value.map((item) => handed(item, each));
    const one = (item: unknown): unknown => (members.size === 0 ? handed(item, each) : item);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, one(item)]));
  }
  if (Array.isArray(value)) return [];
  const entries = Object.entries(value).flatMap(([key, item]) => {
    const member = members.get(key);
    return member === undefined ? [] : [[key, handed(item, member)] as const];
  });
  return Object.fromEntries(entries);
}

const PROGRAMS = runs(150);

describe("generated programs", () => {
  it("answer the same to what their footprints name as to everything", () => {
    const inputs = Array.from({ length: 12 }, (_, i) => generate(SEED + i).input);
    let partly = 0;
    for (let seed = SEED; seed < SEED + PROGRAMS; seed++) {
      const program = generate(seed);
      const names = [...(program.modules[0] as string).matchAll(/^(?:default )?(r\d+)(?: |\[|\.)/gm)];
      const entrypoints = [...new Set(names.map((m) => `${program.package}/${m[1]}`))];
      const policy = optimized(program.modules, entrypoints);
      if (policy === undefined) continue;
      const data = parseJson(JSON.stringify(program.data));
      for (const entrypoint of entrypoints) {
        const read = footprintOf(policy, decideName(entrypoint), memoisedCalls(policy));
        if (read.whole) continue;
        partly++;
        for (const input of [program.input, ...inputs]) {
          const ask = (asked: unknown): string => {
            try {
              return print(
                interpret(policy, entrypoint, {
                  input: parseJson(JSON.stringify(asked)),
                  data,
                  strict: true,
                  budget: 200_000,
                }),
              );
            } catch (error) {
              return (error as Error).constructor.name;
            }
          };
          expect(ask(handed(input, read)), `seed ${seed}: ${entrypoint} of ${JSON.stringify(input)}`).toBe(ask(input));
        }
      }
    }
    expect(partly).toBeGreaterThan(PROGRAMS / 4);
  });
});

import { expect, it } from "vitest";
import { foldConstantSwitches } from "../../../compiler/rego/optimize/constant-switches.ts";
import type { Policy } from "../../../compiler/rego/plan/ir.ts";
import { policyToText } from "../../../compiler/rego/plan/text.ts";
import type { Value } from "../../../compiler/rego/value/value.ts";
import { interpret, PolicyError } from "../../interpreter/interpreter.ts";
import { parseJson } from "../../interpreter/term.ts";
import { print, toJson } from "../../interpreter/value.ts";
import { parsePolicyText } from "../plan/parse-text.ts";
import { verifyPolicy } from "../plan/verify.ts";

const INPUTS = [{}, { x: "a" }, { x: "b" }, { x: "c" }, { x: 1 }, { x: ["a", "b", "a", "c"] }, { x: null }];

const number = (text: string): Value => ({ kind: "number", text });
const text = (value: string): Value => ({ kind: "string", value });
const object = (...entries: (readonly [Value, Value])[]): Value => ({
  kind: "object",
  entries,
});

const CONSTANTS: readonly Value[] = [
  object([text("a"), number("0")], [text("b"), number("1")]),
  number("10"),
  number("11"),
  object([number("1"), number("1")], [text("a"), number("0")]),
  number("1.0"),
  object([text("a"), text("one")]),
  object([text("b"), text("two")]),
  { kind: "set", items: [text("b"), text("c")] },
  { kind: "set", items: [text("c")] },
];

function answer(policy: Policy, input: unknown): string {
  try {
    return print(
      toJson(
        interpret(policy, "p", {
          input: parseJson(JSON.stringify(input)),
          strict: true,
        }),
      ),
    );
  } catch (error) {
    if (error instanceof PolicyError) return "conflict";
    throw error;
  }
}

/** The functions after the pass, which must be valid and answer as before. */
function folded(body: string, others = ""): string {
  const plan = "builtin internal.member_2/2\nplan p\n  block\n    L2 = call f(L0, L1)\n    result L2\n";
  const before = parsePolicyText(`${plan}func f(L0, L1) -> L2\n${body.replace(/^/gm, "  ")}\n${others}`, CONSTANTS);
  const after = foldConstantSwitches(before);
  expect(verifyPolicy(after)).toEqual([]);
  for (const input of INPUTS) expect(answer(after, input), JSON.stringify(input)).toBe(answer(before, input));
  const written = policyToText(after);
  return written.slice(written.indexOf("func f"));
}

const branch = (stmts: string): string =>
  `      block\n        blocks\n          block\n${stmts.replace(/^/gm, "            ")}`;

const choice = (branches: readonly string[], { table = "#0", more = "" } = {}): string => `block
  blocks
    block
      L3 = get L0 "x"
      L4 = get ${table} L3
      switch L4
${branches.map((b) => branch(b).replace(/^/gm, "  ")).join("\n")}
${more}block
  return L2`;

const A = 'equal L3 "a"\nL2 = once #1';
const B = 'equal "b" L3\nL2 = once #2';

const isSwitch = (body: string, others?: string): boolean => folded(body, others).includes("switch");

it("makes a table of values of blocks that compare and assign constants", () => {
  expect(folded(choice([A, B]))).toBe(`func f(L0, L1) -> L2
  block
    blocks
      block
        L3 = get L0 "x"
        L5 = get #0 L3
        L2 = once L5
  block
    return L2
`);
});

const part = (name: string, table: string, place = "x"): string => `func ${name}(L0, L1) -> L2
  block
    blocks
      block
        L3 = get L0 "${place}"
        L4 = get ${table} L3
        L2 = once L4
  block
    return L2
`;

const CALLS = ["L5 = call g(L0, L1)\nL2 = once L5", "L6 = call h(L0, L1)\nL2 = once L6"];

it("joins the tables of functions that the blocks call", () => {
  const joined = folded(choice(CALLS), part("g", "#5") + part("h", "#6"));
  expect(joined).toBe(`func f(L0, L1) -> L2
  block
    blocks
      block
        L3 = get L0 "x"
        L7 = get #0 L3
        L2 = once L7
  block
    return L2
`);
});

it("keeps calls of functions that fail where something else is not there", () => {
  const needy = part("g", "#5").replace("        L3 = get", '        L9 = get L0 "y"\n        L3 = get');
  expect(isSwitch(choice(CALLS), needy + part("h", "#6"))).toBe(true);
});

it("keeps calls where what is looked at has changed since", () => {
  const [g, h] = CALLS.map((call) => call.replace("(L0, L1)", "(L8, L1)"));
  const body = choice([g as string, h as string]).replace(
    'L3 = get L0 "x"',
    'L8 = L0\n      L3 = get L8 "x"\n      L8 = get L0 "y"',
  );
  expect(isSwitch(body, part("g", "#5") + part("h", "#6"))).toBe(true);
  const over = choice(CALLS).replace('L3 = get L0 "x"', 'L3 = get L0 "x"\n      L3 = "a"');
  expect(isSwitch(over, part("g", "#5") + part("h", "#6"))).toBe(true);
});

it("keeps calls of functions that look elsewhere, or have no value for a key", () => {
  expect(isSwitch(choice(CALLS), part("g", "#5", "y") + part("h", "#6"))).toBe(true);
  expect(isSwitch(choice(CALLS), part("g", "#6") + part("h", "#5"))).toBe(true);
});

it("keeps a switch of which a block does anything else", () => {
  expect(isSwitch(choice([A, 'equal L3 "b"\nL2 = once L3']))).toBe(true);
  expect(isSwitch(choice([A, 'equal L3 "b"\nnot-equal L0 L3\nL2 = once #2']))).toBe(true);
  expect(isSwitch(choice([A, 'not-equal L3 "a"\nL2 = once #2']))).toBe(true);
  expect(isSwitch(choice([A, "L2 = once #2"]))).toBe(true);
});

const among = (table: string, { tested = "L9", value = "false" } = {}): string =>
  `L9 = call internal.member_2(L3, ${table})\nnot-equal ${tested} ${value}\nL2 = once #2`;

it("knows a block that looks for the value among its keys", () => {
  expect(isSwitch(choice([A, among("#7")]))).toBe(false);
});

it("keeps a switch of which a block looks among other keys, or for anything else", () => {
  expect(isSwitch(choice([A, among("#8")]))).toBe(true);
  expect(isSwitch(choice([A, among("#7", { value: "true" })]))).toBe(true);
  expect(isSwitch(choice([A, among("#7", { tested: "L3" })]))).toBe(true);
  expect(isSwitch(choice([A, among("#7")], { more: "block\n  is-defined L9\n  L2 = #1\n" }))).toBe(true);
});

it("keeps a switch of which a block compares with another key than its own", () => {
  expect(isSwitch(choice(['equal L3 "b"\nL2 = once #1', B]))).toBe(true);
  expect(isSwitch(choice(['equal L3 "c"\nL2 = once #1', B]))).toBe(true);
});

it("keeps a switch of which a block compares something else", () => {
  expect(isSwitch(choice(['equal L0 "a"\nL2 = once #1', B]))).toBe(true);
});

it("knows keys that are equal numbers", () => {
  expect(isSwitch(choice([A, "equal L3 #4\nL2 = once #2"], { table: "#3" }))).toBe(false);
});

it("keeps a switch where something else assigns the result: a conflict names its place", () => {
  expect(isSwitch(choice([A, B], { more: "block\n  L2 = once #1\n" }))).toBe(true);
});

it("folds where a default follows", () => {
  expect(isSwitch(choice([A, B], { more: "block\n  is-undefined L2\n  L2 = #2\n" }))).toBe(false);
});

it("keeps a switch in a loop, which may choose twice", () => {
  const loop = `block
  blocks
    block
      L5 = get L0 "x"
      scan L5 as L6, L3
        blocks
          block
            L4 = get #0 L3
            switch L4
${branch(A).replace(/^/gm, "        ")}
${branch(B).replace(/^/gm, "        ")}
block
  return L2`;
  expect(isSwitch(loop)).toBe(true);
});

import { expect, it } from "vitest";
import { findFirstElements } from "../../../compiler/rego/optimize/first-elements.ts";
import type { Policy } from "../../../compiler/rego/plan/ir.ts";
import { policyToText } from "../../../compiler/rego/plan/text.ts";
import { interpret, PolicyError } from "../../interpreter/interpreter.ts";
import { parseJson } from "../../interpreter/term.ts";
import { print, toJson } from "../../interpreter/value.ts";
import { parsePolicyText } from "../plan/parse-text.ts";
import { verifyPolicy } from "../plan/verify.ts";

const INPUTS = [
  {},
  { xs: [] },
  { xs: [1] },
  { xs: [5, 6, 7], ys: [7, 6] },
  { xs: ["a", 6, "a"], ys: ["a"] },
  { xs: [[6]] },
];

const INDEXES = ["0", "1"].map((text) => ({ kind: "number", text }) as const);

function answer(policy: Policy, input: unknown): string {
  try {
    return print(toJson(interpret(policy, "p", { input: parseJson(JSON.stringify(input)), strict: true })));
  } catch (error) {
    if (error instanceof PolicyError) return "conflict";
    throw error;
  }
}

/** A function that is a conflict for some arguments. */
const CALLED = "func g(L0, L1, L2) -> L3\n  block\n    L3 = once true\n    L3 = once L2\n  block\n    return L3\n";

/** The function after the pass, which must be valid and answer as before. */
function searched(body: string): string {
  const text = `plan p\n  block\n    L2 = call f(L0, L1)\n    result L2\n${CALLED}func f(L0, L1) -> L2\n${body.replace(/^/gm, "  ")}\n`;
  const before = parsePolicyText(text, INDEXES);
  const after = findFirstElements(before);
  expect(verifyPolicy(after)).toEqual([]);
  for (const input of INPUTS) expect(answer(after, input), JSON.stringify(input)).toBe(answer(before, input));
  const written = policyToText(after);
  return written.slice(written.indexOf("func f"));
}

/** Whether the list is still made. */
const isMade = (body: string): boolean => searched(body).includes("array 0");

const loop = (turn: string, { end = "L2 = L9", index = "#0" } = {}): string => `block
  L3 = array 0
  blocks
    block
      L4 = get L0 "xs"
      scan L4 as L5, L6
${turn.replace(/^/gm, "        ")}
  L9 = get L3 ${index}
  ${end}
block
  return L2`;

it("ends the loop where the first element is found, and makes no list", () => {
  expect(searched(loop('not-equal L6 "a"\nappend L3 L5'))).toBe(`func f(L0, L1) -> L2
  block
    L10 = reset
    blocks
      block
        L4 = get L0 "xs"
        scan L4 as L5, L6
          not-equal L6 "a"
          L10 = L5
          break 1
    is-defined L10
    L9 = L10
    L2 = L9
  block
    return L2
`);
});

it("leaves all loops around the place", () => {
  const turn = `blocks
  block
    L7 = get L0 "ys"
    scan L7 as L8, L11
      equal L11 L6
      append L3 L5`;
  expect(searched(loop(turn))).toContain("break 3");
});

it("finds the first again in each turn of a loop around", () => {
  const body = `block
  L2 = array 0
  L12 = get L0 "xs"
  scan L12 as L13, L14
    L3 = array 0
    blocks
      block
        L4 = get L0 "ys"
        scan L4 as L5, L6
          equal L6 L14
          append L3 L5
    L9 = get L3 #0
    append L2 L9
block
  return L2`;
  expect(searched(body).match(/array 0/g)).toHaveLength(1);
});

it("finds nothing in a list that is read, or made, too soon", () => {
  const body = `block
  L2 = set
  L4 = get L0 "xs"
  scan L4 as L12, L13
    blocks
      block
        L3 = array 0
        L9 = get L3 #0
        add L2 L9
        blocks
          block
            scan L4 as L5, L6
              append L3 L5
block
  return L2`;
  expect(searched(body)).not.toContain("array 0");
});

it("passes over an element that is undefined", () => {
  const turn = `L7 = reset
blocks
  block
    equal L6 "a"
    L7 = L5
append L3 L7`;
  const body = loop(turn);
  // As a plan from elsewhere may have it: in strict mode the interpreter takes it for a mistake of the planner.
  const text = `plan p\n  block\n    L2 = call f(L0, L1)\n    result L2\nfunc f(L0, L1) -> L2\n${body.replace(/^/gm, "  ")}\n`;
  const before = parsePolicyText(text, INDEXES);
  const after = findFirstElements(before);
  expect(policyToText(after)).toContain("is-defined L7");
  for (const xs of [[1, "a", "a"], [1], ["a"]]) {
    const input = parseJson(JSON.stringify({ xs }));
    expect(print(toJson(interpret(after, "p", { input })))).toBe(print(toJson(interpret(before, "p", { input }))));
  }
});

it.each([
  ["another element is read", loop("append L3 L5", { index: "#1" })],
  ["the key is no index", loop("append L3 L5", { index: '"0"' })],
  ["the list is read twice", loop("append L3 L5", { end: "L10 = len L3\n  L2 = L10" })],
  ["the list is appended to in two places", loop("append L3 L5\nappend L3 L6")],
  ["the list is appended to behind a not", loop('not\n  append L3 L5\n  equal L6 "a"')],
  ["a loop assigns what is read behind it", loop("L7 = L6\nappend L3 L5", { end: "L2 = L7" })],
  [
    "a loop assigns what was assigned before it",
    `block\n  L6 = true\n${loop("append L3 L5", { end: "L2 = L6" }).slice(6)}`,
  ],
  ["a later turn may be a conflict", loop("L7 = once L6\nappend L3 L5")],
  [
    "a loop fills another collection",
    `block\n  L12 = set\n${loop("append L3 L5\nadd L12 L6", { end: "L2 = L12" }).slice(6)}`,
  ],
  ["a loop asks a function of the policy", loop("L7 = call g(L0, L1, L6)\nappend L3 L5")],
  [
    "a loop fills a list by another name",
    `block\n  L12 = array 0\n${loop("L7 = L12\nappend L7 L6\nappend L3 L5", { end: "L2 = L12" }).slice(6)}`,
  ],
  [
    "a loop fills a set by another name",
    `block\n  L12 = set\n${loop("L7 = L12\nadd L7 L6\nappend L3 L5", { end: "L2 = L12" }).slice(6)}`,
  ],
  ["a loop leaves more than itself", loop('equal L6 "a"\nappend L3 L5\nbreak 2')],
  [
    "a second block follows the loop",
    loop("append L3 L5").replace("  L9 = get", '    block\n      L13 = get L0 "ys"\n  L9 = get'),
  ],
])("makes the list where %s", (_, body) => {
  expect(isMade(body)).toBe(true);
});

it("makes the list in a with, whose end it must not run past", () => {
  const body = `block
  L3 = array 0
  blocks
    block
      L4 = get L0 "xs"
      scan L4 as L5, L6
        with L1 [] = true
          append L3 L5
  L9 = get L3 #0
  L2 = L9
block
  return L2`;
  expect(isMade(body)).toBe(true);
});

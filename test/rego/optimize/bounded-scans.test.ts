import { expect, it } from "vitest";
import { boundScans } from "../../../compiler/rego/optimize/bounded-scans.ts";
import type { Policy } from "../../../compiler/rego/plan/ir.ts";
import { policyToText } from "../../../compiler/rego/plan/text.ts";
import { checkLimits } from "../../../compiler/rego/wasm/limits.ts";
import { interpret } from "../../interpreter/interpreter.ts";
import { parseJson } from "../../interpreter/term.ts";
import { print, toJson } from "../../interpreter/value.ts";
import { compile } from "../plan/compile.ts";
import { parsePolicyText } from "../plan/parse-text.ts";
import { verifyPolicy } from "../plan/verify.ts";

const LISTS = [undefined, [], ["a"], ["c", "b", "a"], { a: "c", b: "a", c: "x" }, "text"];
const BOUNDS = [undefined, 0, 1, 2, 9, "b", null];

const BUILTINS = ["lt", "lte", "gt", "neq"].map((name) => `builtin ${name}/2\n`).join("");

/** The function after the pass, which must be valid and answer as before. */
function bounded(body: string): string {
  const text = `${BUILTINS}plan p\n  block\n    L2 = call f(L0, L1)\n    result L2\nfunc f(L0, L1) -> L2\n${body.replace(/^/gm, "  ")}\n`;
  const before = parsePolicyText(text);
  const after = boundScans(before);
  expect(verifyPolicy(after)).toEqual([]);
  for (const xs of LISTS)
    for (const to of BOUNDS) {
      const input = parseJson(JSON.stringify({ xs, to }));
      const [found, wanted] = [after, before].map((policy) => print(toJson(interpret(policy, "p", { input }))));
      expect(found, JSON.stringify({ xs, to })).toBe(wanted);
    }
  const written = policyToText(after);
  return written.slice(written.indexOf("func f"));
}

const loop = (turn: string): string => `block
  L2 = set
  blocks
    block
      L3 = get L0 "xs"
      L4 = get L0 "to"
      scan L3 as L5, L6
${turn.replace(/^/gm, "        ")}
block
  return L2`;

const GUARD = "L7 = call lt(L5, L4)\nnot-equal L7 false\n";
const LEFT = /break 2/;

it("leaves the loop when the bound fails", () => {
  expect(bounded(loop(`${GUARD}add L2 L6`))).toBe(`func f(L0, L1) -> L2
  block
    L2 = set
    blocks
      block
        L3 = get L0 "xs"
        L4 = get L0 "to"
        blocks
          block
            scan L3 as L5, L6
              blocks
                block
                  not
                    L7 = call lt(L5, L4)
                    not-equal L7 false
                  break 2
              add L2 L6
  block
    return L2
`);
  expect(bounded(loop('L7 = call lte(L5, "b")\nnot-equal L7 false\nadd L2 L6'))).toMatch(LEFT);
});

it("keeps where breaks of the turn lead", () => {
  const turn = `${GUARD}blocks
  block
    equal L6 "a"
    add L2 L5
    break 2
  block
    equal L6 "b"
    break 1
  block
    equal L6 "c"
    break 0
add L2 L6`;
  const body = `${loop(turn).replace("\nblock\n  return", '\n  add L2 "behind"\nblock\n  return')}`;
  expect(bounded(body)).toMatch(/break 3\n.*\n.*\n *break 1\n.*\n.*\n *break 0/);
});

it("bounds a loop in a loop, by what the one around it has", () => {
  const turn = `scan L3 as L7, L8
  L9 = call lt(L7, L5)
  not-equal L9 false
  equal L8 L6
  add L2 L5`;
  expect(bounded(loop(turn))).toMatch(LEFT);
});

it("makes no function too deep for a module", () => {
  const deep = (loops: number): string => {
    const bodies = Array.from({ length: loops }, (_, i) => `some j${i}, _ in input.xs; j${i} < n`);
    const { policy } = compile([`package t\np if { n := input.n; ${bodies.join("; ")} }`], { entrypoints: ["t/p"] });
    const before = policy as Policy;
    const after = boundScans(before);
    expect(checkLimits(after)).toEqual(checkLimits(before));
    return policyToText(after);
  };
  expect(deep(50)).toMatch(LEFT);
  for (const loops of [100, 200, 390]) deep(loops);
});

it.each([
  ["larger keys may pass", loop("L7 = call gt(L5, L4)\nnot-equal L7 false\nadd L2 L6")],
  ["larger keys may be others", loop("L7 = call neq(L5, L4)\nnot-equal L7 false\nadd L2 L6")],
  ["the key is the bound", loop("L7 = call lt(L4, L5)\nnot-equal L7 false\nadd L2 L6")],
  ["the element is compared", loop("L7 = call lt(L6, L4)\nnot-equal L7 false\nadd L2 L6")],
  ["the element is the bound", loop("L7 = call lt(L5, L6)\nnot-equal L7 false\nadd L2 L6")],
  ["the key is compared with itself", loop("L7 = call lte(L5, L5)\nnot-equal L7 false\nadd L2 L6")],
  ["the comparison must fail", loop("L7 = call lt(L5, L4)\nequal L7 false\nadd L2 L6")],
  ["the comparison is not made with false", loop("L7 = call lt(L5, L4)\nnot-equal L7 true\nadd L2 L6")],
  ["the turn changes the bound", loop(`${GUARD}L4 = L6\nadd L2 L6`)],
  ["the turn changes the key", loop(`${GUARD}L5 = L6\nadd L2 L6`)],
  ["something is done first", loop(`add L2 L5\n${GUARD}add L2 L6`)],
  ["the comparison is read again", loop(`${GUARD}add L2 L7`)],
  ["a function that is undefined leaves this many blocks", loop(`${GUARD}L8 = dynamic ["g", L6](L0, L1)\nadd L2 L8`)],
  ["another value is tested", loop("L7 = call lt(L5, L4)\nnot-equal L6 false\nadd L2 L7")],
])("has all turns where %s", (_, body) => {
  expect(bounded(body)).not.toMatch(LEFT);
});

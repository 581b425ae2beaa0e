import { expect, it } from "vitest";
import { eliminateCommonSubexpressions } from "../../../compiler/rego/optimize/common-subexpressions.ts";
import { policyToText } from "../../../compiler/rego/plan/text.ts";
import { parsePolicyText } from "../plan/parse-text.ts";

/** A rule, a part of a rule, and a function. */
const CALLED =
  "func rule(L0, L1) -> L2 path rule\n  block\n    return L2\nfunc part(L0, L1) -> L2\n  block\n    return L2\nfunc of(L0, L1, L2) -> L3\n  block\n    return L3\n";

/** The body of a function after the pass, its lines trimmed. */
function eliminated(body: string): string[] {
  const text = `plan p\n  block\n    L2 = call f(L0, L1)\n    result L2\n${CALLED}func f(L0, L1) -> L2\n${body.replace(/^/gm, "  ")}\n`;
  const lines = policyToText(eliminateCommonSubexpressions(parsePolicyText(text))).split("\n");
  return lines
    .slice(lines.findIndex((l) => l.startsWith("func f")) + 1)
    .flatMap((l) => (l.trim() === "" ? [] : [l.trim()]));
}

it("makes a look-up once in a block and those inside", () => {
  const body = `block\n  L3 = get L0 "a"\n  not\n    L4 = get L0 "a"\n    equal L4 true\n  L5 = get L0 "a"\n  L2 = L5`;
  expect(eliminated(body)).toEqual([
    "block",
    'L3 = get L0 "a"',
    "not",
    "L4 = L3",
    "equal L3 true",
    "L5 = L3",
    "L2 = L3",
  ]);
});

it("knows nothing of blocks before, which may have been left", () => {
  const body = `block\n  L3 = get L0 "a"\n  L3 = true\nblock\n  L4 = get L0 "a"\n  L2 = L4`;
  expect(eliminated(body)).toContain('L4 = get L0 "a"');
});

it("looks again when the source, the key or the result was assigned since", () => {
  expect(
    eliminated(`block\n  L3 = get L0 "a"\n  L4 = get L3 "b"\n  L3 = get L0 "c"\n  L5 = get L3 "b"\n  L2 = L5`),
  ).toContain('L5 = get L3 "b"');
  expect(
    eliminated(`block\n  L3 = get L0 "a"\n  L4 = get L0 L3\n  L3 = get L0 "b"\n  L5 = get L0 L3\n  L2 = L5`),
  ).toContain("L5 = get L0 L3");
  expect(eliminated(`block\n  L3 = get L0 "a"\n  L3 = true\n  L4 = get L0 "a"\n  L2 = L4`)).toContain(
    'L4 = get L0 "a"',
  );
  expect(eliminated(`block\n  L3 = get L0 "a"\n  L3 = get L3 "a"\n  L4 = get L0 "a"\n  L2 = L4`)).toContain(
    'L4 = get L0 "a"',
  );
});

it("looks again in what a look-up put in its own source", () => {
  expect(eliminated(`block\n  L3 = get L0 "a"\n  L3 = get L3 "a"\n  L4 = get L3 "a"\n  L2 = L4`)).toContain(
    'L4 = get L3 "a"',
  );
});

it("takes nothing from one turn of a loop to the next", () => {
  const body = `block\n  L3 = get L0 "list"\n  scan L3 as L4, L5\n    L6 = get L5 "x"\n    L7 = get L5 "x"\n    L2 = L7`;
  expect(eliminated(body)).toEqual([
    "block",
    'L3 = get L0 "list"',
    "scan L3 as L4, L5",
    'L6 = get L5 "x"',
    "L7 = L6",
    "L2 = L6",
  ]);
  const changed = `block\n  L3 = get L0 "a"\n  L4 = get L3 "x"\n  scan L3 as L5, L6\n    L7 = get L3 "x"\n    L3 = L6\n    L2 = L7`;
  expect(eliminated(changed)).toContain('L7 = get L3 "x"');
});

it("looks again in an input that is another one", () => {
  const body = `block\n  L3 = get L0 "a"\n  with L0 [] = true\n    L4 = get L0 "a"\n    L2 = L4`;
  expect(eliminated(body)).toContain('L4 = get L0 "a"');
});

it("sees through copies, of whatever they were made", () => {
  const body = `block\n  L3 = get L0 "a"\n  L4 = get L3 "x"\n  L5 = L3\n  L6 = L5\n  L7 = get L6 "x"\n  L8 = get L7 "y"\n  scan L6 as L9, L10\n    equal L8 L10\n    L2 = L10`;
  expect(eliminated(body)).toEqual([
    "block",
    'L3 = get L0 "a"',
    'L4 = get L3 "x"',
    "L5 = L3",
    "L6 = L3",
    "L7 = L4",
    'L8 = get L4 "y"',
    "scan L3 as L9, L10",
    "equal L8 L10",
    "L2 = L10",
  ]);
});

it("reads a copy itself when it, or what it is a copy of, was assigned since", () => {
  expect(eliminated(`block\n  L3 = L0\n  L4 = L3\n  L3 = true\n  L5 = get L4 "a"\n  L2 = L5`)).toContain(
    'L5 = get L0 "a"',
  );
  expect(eliminated(`block\n  L3 = get L0 "a"\n  L4 = L3\n  L3 = get L0 "b"\n  L5 = get L4 "x"\n  L2 = L5`)).toContain(
    'L5 = get L4 "x"',
  );
  expect(eliminated(`block\n  L3 = get L0 "a"\n  L4 = L3\n  L4 = get L0 "b"\n  L5 = get L4 "x"\n  L2 = L5`)).toContain(
    'L5 = get L4 "x"',
  );
});

it("forgets at the beginning of a loop what its body assigns", () => {
  const body = `block\n  L3 = get L0 "a"\n  L4 = L3\n  scan L0 as L5, L6\n    L7 = get L4 "x"\n    L3 = L6\n    L2 = L7`;
  expect(eliminated(body)).toContain('L7 = get L4 "x"');
});

it("calls a rule once in a block and those inside", () => {
  const body = `block\n  L3 = call rule(L0, L1)\n  not\n    L4 = call rule(L0, L1)\n    equal L4 true\n  L2 = L3\nblock\n  L5 = call rule(L0, L1)\n  L2 = L5`;
  expect(eliminated(body)).toEqual([
    "block",
    "L3 = call rule(L0, L1)",
    "not",
    "L4 = L3",
    "equal L3 true",
    "L2 = L3",
    "block",
    "L5 = call rule(L0, L1)",
    "L2 = L5",
  ]);
});

it("calls a rule again for another input, and a call that is not of a rule each time", () => {
  const body = `block\n  L3 = call rule(L0, L1)\n  with L0 [] = true\n    L4 = call rule(L0, L1)\n    L2 = L4\n  L5 = call rule(L0, L1)`;
  expect(eliminated(body).filter((line) => line.includes("call rule"))).toHaveLength(3);
  const calls = `block\n  L3 = call of(L0, L1, true)\n  L4 = call of(L0, L1, true)\n  L2 = L4`;
  expect(eliminated(calls).filter((line) => line.includes("call of"))).toHaveLength(2);
  const parts = `block\n  L3 = call part(L0, L1)\n  L4 = call part(L0, L1)\n  L2 = L4`;
  expect(eliminated(parts).filter((line) => line.includes("call part"))).toHaveLength(2);
});

it("knows in a block what it knew around it until the block changes it, and not behind that", () => {
  const body = `block\n  L3 = get L0 "a"\n  blocks\n    block\n      L4 = get L0 "a"\n      L3 = true\n      L5 = get L0 "a"\n    block\n      L6 = get L0 "a"\n  L7 = get L0 "a"\n  L2 = L7`;
  const lines = eliminated(body);
  expect(lines).toContain("L4 = L3");
  expect(lines.filter((line) => line.includes('get L0 "a"'))).toEqual([3, 5, 6, 7].map((l) => `L${l} = get L0 "a"`));
});

it("reads a copy itself behind a block that may have changed what it is a copy of", () => {
  const body = `block\n  L3 = get L0 "a"\n  L4 = L3\n  blocks\n    block\n      L5 = get L4 "x"\n      L3 = get L0 "b"\n  L6 = get L4 "y"\n  L2 = L6`;
  const lines = eliminated(body);
  expect(lines).toContain('L5 = get L3 "x"');
  expect(lines).toContain('L6 = get L4 "y"');
});

it("looks again where a turn of a loop comes back, however deep the change is", () => {
  const body = `block\n  L3 = get L0 "a"\n  scan L0 as L4, L5\n    blocks\n      block\n        L6 = get L0 "a"\n        L2 = L6\n      block\n        L3 = L5`;
  expect(eliminated(body)).toContain('L6 = get L0 "a"');
});

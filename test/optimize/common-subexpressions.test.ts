import { expect, it } from "vitest";
import { eliminateCommonSubexpressions } from "../../compiler/optimize/common-subexpressions.ts";
import { policyToText } from "../../compiler/plan/text.ts";
import { parsePolicyText } from "../plan/parse-text.ts";

/** The body of a function after the pass, its lines trimmed. */
function eliminated(body: string): string[] {
  const text = `plan p\n  block\n    L2 = call f(L0, L1)\n    result L2\nfunc f(L0, L1) -> L2\n${body.replace(/^/gm, "  ")}\n`;
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
    "equal L4 true",
    "L5 = L3",
    "L2 = L5",
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

it("takes nothing from one turn of a loop to the next", () => {
  const body = `block\n  L3 = get L0 "list"\n  scan L3 as L4, L5\n    L6 = get L5 "x"\n    L7 = get L5 "x"\n    L2 = L7`;
  expect(eliminated(body)).toEqual([
    "block",
    'L3 = get L0 "list"',
    "scan L3 as L4, L5",
    'L6 = get L5 "x"',
    "L7 = L6",
    "L2 = L7",
  ]);
  const changed = `block\n  L3 = get L0 "a"\n  L4 = get L3 "x"\n  scan L3 as L5, L6\n    L7 = get L3 "x"\n    L3 = L6\n    L2 = L7`;
  expect(eliminated(changed)).toContain('L7 = get L3 "x"');
});

it("looks again in an input that is another one", () => {
  const body = `block\n  L3 = get L0 "a"\n  with L0 [] = true\n    L4 = get L0 "a"\n    L2 = L4`;
  expect(eliminated(body)).toContain('L4 = get L0 "a"');
});

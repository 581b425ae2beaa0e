import { expect, it } from "vitest";
import { textAfter } from "./before-after.ts";

const program = (body: string): string => `plan p
  block
    L2 = call f(L0, L1)
    result L2
func f(L0, L1) -> L2
${body}  block
    return L2
`;
const INPUTS = ["{}", '{"a": 3}', '{"a": "x", "b": [1]}'];

it("makes collections of constants one constant, and what is looked up in them a constant", () => {
  const text = program(`  block
    L3 = "a"
    L4 = object
    insert L4 "a" L3
    L5 = get L4 "a"
    equal L5 "a"
    L6 = get L0 L5
    L2 = L6
`);
  expect(textAfter("fold-constants", text, { inputs: INPUTS })).toBe(`constant #0 {"a": "a"}
constant #1 "a"
${program(`  block
    L3 = "a"
    L4 = #0
    L5 = #1
    L6 = get L0 #1
    L2 = L6
`)}`);
});

it("leaves a block in which a comparison of constants fails", () => {
  const text = program(`  block
    L7 = "a"
    not-equal L7 "a"
    L2 = true
`);
  expect(textAfter("fold-constants", text, { inputs: INPUTS })).toContain(`    L7 = "a"\n    break 0\n  block`);
});

it("knows nothing of a local that a block inside may have assigned", () => {
  const text = program(`  block
    L3 = "a"
    blocks
      block
        L4 = get L0 "b"
        L3 = "b"
    L5 = get L0 L3
    L2 = L5
`);
  expect(textAfter("fold-constants", text, { inputs: INPUTS })).toContain("L5 = get L0 L3\n");
});

it("knows nothing in a loop of a local that an earlier turn may have assigned", () => {
  const text = program(`  block
    L3 = "a"
    L4 = get L0 "b"
    scan L4 as L5, L6
      L2 = L3
      L3 = "b"
`);
  expect(textAfter("fold-constants", text, { inputs: INPUTS })).toContain("L2 = L3\n");
});

it("does not fold a collection that is changed outside of the block that makes it", () => {
  const text = program(`  block
    L3 = set
    add L3 "a"
    L4 = get L0 "b"
    scan L4 as L5, L6
      add L3 L6
    L2 = L3
`);
  expect(textAfter("fold-constants", text, { inputs: INPUTS })).toBe(text);
});

import { expect, it } from "vitest";
import { textAfter } from "./before-after.ts";

const plan = (answer: string): string => `plan p
  block
    L2 = call f(L0, L1)
${answer}func f(L0, L1) -> L2
  block
    L2 = get L0 "x"
  block
    return L2
`;
const INPUTS = ["{}", '{"x": 3}'];

it("adds a function that gives the one value of a plan, and keeps the plan", () => {
  const text = plan('    L3 = object\n    insert L3 "result" L2\n    result L3\n');
  expect(textAfter("decide-functions", text, { inputs: INPUTS })).toBe(`${text}func "decide p"(L0, L1) -> L3
  block
    L2 = call f(L0, L1)
    L3 = L2
    return L3
`);
});

it.each([
  ["of another name", '    L3 = object\n    insert L3 "x" L2\n    result L3\n'],
  ["with two members", '    L3 = object\n    insert L3 "result" L2\n    insert L3 "y" L2\n    result L3\n'],
  ["in two places", '    result L2\n    L3 = object\n    insert L3 "result" L2\n    result L3\n'],
  ["that is not an object", "    result L2\n"],
])("adds none to a plan with a result %s", (_, answer) => {
  expect(textAfter("decide-functions", plan(answer), { inputs: INPUTS })).toBe(plan(answer));
});

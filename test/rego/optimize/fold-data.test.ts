import { expect, it } from "vitest";
import { valueOfJson } from "../../../compiler/rego/value/index.ts";
import { textAfter } from "./before-after.ts";

const own = { own: { limit: "low", deep: { a: "x" } } };
const given = {
  data: valueOfJson(own),
  dataText: JSON.stringify({ ...own, host: 5 }),
  inputs: ["{}", '{"x": "limit"}', '{"x": "no"}'],
};

const program = (body: string): string => `plan p
  block
    L2 = call f(L0, L1)
    result L2
func f(L0, L1) -> L2
  block
${body}  block
    return L2
`;

/** The function, without the constants before it. */
const folded = (body: string): string => {
  const text = textAfter("fold-data", program(body), given);
  return text.slice(text.indexOf("func f"));
};

it("makes a path of the bundle's data a constant, and leaves the host's", () => {
  const text = folded(`    L3 = get L1 "own"
    L4 = get L3 "limit"
    L5 = get L1 "host"
    L2 = array 2
    append L2 L4
    append L2 L5
`);
  expect(text).toMatch(/L3 = #\d\n {4}L4 = #\d\n {4}L5 = get L1 "host"\n/);
});

it("leaves the block at a member that the bundle's data lacks", () => {
  expect(folded(`    L3 = get L1 "own"\n    L4 = get L3 "none"\n    L2 = L4\n`)).toMatch(/L3 = #\d\n {4}break 0\n/);
});

it("asks for a member whose key only the request knows", () => {
  expect(folded(`    L3 = get L1 "own"\n    L4 = get L0 "x"\n    L5 = get L3 L4\n    L2 = L5\n`)).toMatch(
    /L5 = get #\d L4\n/,
  );
});

it("reads what a `with` puts in the place of the bundle's data", () => {
  const text = folded(`    with L1 ["own"] = "mocked"
      L3 = get L1 "own"
      L2 = L3
`);
  expect(text).toContain('L3 = get L1 "own"\n');
});

it("knows nothing of a local with two assignments", () => {
  const text = folded(`    L3 = get L1 "own"
    L4 = get L0 "x"
    blocks
      block
        equal L4 "limit"
        L3 = L0
    L5 = get L3 "limit"
    L2 = L5
`);
  expect(text).toContain('L5 = get L3 "limit"\n');
});

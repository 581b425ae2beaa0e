import { expect, it } from "vitest";
import { textAfter } from "./before-after.ts";

/** A function of this many look-ups, one after the other, each in a member of the same name; the last one is its value. */
const program = (steps: number, end = ""): string => {
  const lines = Array.from({ length: steps }, (_, i) => `    L${i + 10} = get L0 "x"\n    equal L${i + 10} "a"`);
  return `plan p
  block
    L2 = call f(L0, L1)
    result L2
func f(L0, L1) -> L2
  block
${lines.join("\n")}
    L2 = L${steps + 9}
${end}  block
    return L2
`;
};
const INPUTS = ["{}", '{"x": "a"}', '{"x": "b"}'];
const functions = (text: string): readonly string[] => text.split(/^func /m).slice(1);

it("leaves a function of 1,500 statements whole", () => {
  const text = program(748);
  expect(textAfter("outline", text, { inputs: INPUTS })).toBe(text);
});

it("splits a larger one into runs of at most 400 statements, which fail where it would have failed", () => {
  const text = textAfter("outline", program(1000), { inputs: INPUTS });
  const [whole, ...runs] = functions(text);
  expect(runs.length).toBeGreaterThan(4);
  for (const run of runs) expect(run.split("\n").length).toBeLessThan(410);
  expect(whole?.match(/call "f run \d+"\(L0, L1\)/g)).toHaveLength(runs.length);
  // What the function gives is the result of the run that assigns it.
  expect(whole).toMatch(/L2 = L\d+|L2 = call "f run \d+"/);
});

it("passes on a local that a run reads, and takes back one that others read", () => {
  const text = program(1000).replace(
    "func f(L0, L1) -> L2\n  block\n",
    'func f(L0, L1) -> L2\n  block\n    L3 = get L0 "y"\n',
  );
  const reading = text.replace(/^( {4}L2 = L1009)$/m, "    equal L3 L10\n$1");
  const split = textAfter("outline", reading, { inputs: ['{"x": "a", "y": "a"}', '{"x": "a", "y": "b"}', ...INPUTS] });
  expect(functions(split).length).toBeGreaterThan(4);
});

it("keeps statements together that leave blocks further out", () => {
  const leaving = program(1000)
    .replaceAll(/^ {4}equal (L\d+) "a"$/gm, '    equal $1 "a"')
    .replace(/^ {4}L2 = L1009$/m, "    blocks\n      block\n        break 1\n    L2 = L1009");
  const split = textAfter("outline", leaving, { inputs: INPUTS });
  expect(functions(split)[0]).toContain("break 1");
});

import { describe, expect, it } from "vitest";
import { parsePolicyText } from "../rego/plan/parse-text.ts";
import { verifyPolicy } from "../rego/plan/verify.ts";
import { BudgetExceeded, interpret, type Options, PlanFault } from "./interpreter.ts";
import { parseTerm } from "./term.ts";
import { print } from "./value.ts";

/** Runs a plan of one block with these statements, and functions after it; the results as text. */
function run(stmts: string, functions = "", options: Options = {}): string {
  const indented = stmts
    .split("\n")
    .map((l) => `    ${l}`)
    .join("\n");
  const policy = parsePolicyText(`plan p\n  block\n${indented}\n${functions}`);
  expect(verifyPolicy(policy)).toEqual([]);
  return print(interpret(policy, "p", options), " ");
}

describe("statements", () => {
  it("a failing statement ends its block, and no other", () => {
    expect(
      run(
        `L2 = set\nblocks\n  block\n    add L2 "a"\n    equal true false\n    add L2 "b"\n  block\n    add L2 "c"\nresult L2`,
      ),
    ).toBe('{{"a", "c"}}');
  });

  it("breaks leave as many blocks as they say", () => {
    const plan = (n: number): string =>
      run(
        `L2 = set\nblocks\n  block\n    blocks\n      block\n        break ${n}\n      block\n        add L2 "second"\n    add L2 "after"\nadd L2 "end"\nresult L2`,
      );
    expect(plan(0)).toBe('{{"after", "end", "second"}}');
    expect(plan(1)).toBe('{{"end"}}');
    expect(plan(2)).toBe("set()");
  });

  it("scans what has elements, in order, and breaks to the next one", () => {
    const scan = (input: string): string =>
      run(`L2 = array 0\nscan L0 as L3, L4\n  append L2 L3\n  not-equal L4 true\n  append L2 L4\nresult L2`, "", {
        input: parseTerm(input),
      });
    expect(scan('["x", true, "y"]')).toBe('{[0, "x", 1, 2, "y"]}');
    expect(scan('{"b": 1, "a": true}')).toBe('{["a", "b", 1]}');
    expect(scan("{2, 1}")).toBe("{[1, 1, 2, 2]}");
    expect(scan("7")).toBe("{[]}");
    expect(run("L2 = array 0\nscan L0 as L3, L4\n  append L2 L3\nresult L2")).toBe("{[]}");
  });

  it("not holds when its block fails", () => {
    expect(run('not\n  L2 = get L0 "a"\nL3 = set\nresult L3')).toBe("{set()}");
    expect(run('not\n  L2 = get L0 "a"\nL3 = set\nresult L3', "", { input: parseTerm('{"a": false}') })).toBe("set()");
  });

  it("with overrides for its block only, and fails with it", () => {
    const input = parseTerm('{"a": {"b": 1, "c": 2}, "d": 3}');
    expect(
      run('with L0 ["a", "b"] = true\n  L2 = L0\nL3 = array 2\nappend L3 L2\nappend L3 L0\nresult L3', "", { input }),
    ).toBe('{[{"a": {"b": true, "c": 2}, "d": 3}, {"a": {"b": 1, "c": 2}, "d": 3}]}');
    expect(run('with L0 ["d", "x"] = true\n  L2 = L0\nresult L2', "", { input })).toBe(
      '{{"a": {"b": 1, "c": 2}, "d": {"x": true}}}',
    );
    expect(run('with L0 [] = "new"\n  L2 = get L0 "a"\nresult L2', "", { input })).toBe("set()");
  });

  it("assigning or inserting once conflicts with another value only", () => {
    expect(
      run("L2 = once true\nL2 = once true\nL3 = object\ninsert-once L3 true L2\ninsert-once L3 true L2\nresult L3"),
    ).toBe("{{true: true}}");
    expect(() => run("L2 = once true\nL2 = once false")).toThrow("var assignment conflict");
    expect(() => run("L3 = object\ninsert-once L3 true true\ninsert-once L3 true false")).toThrow(
      "object insert conflict",
    );
  });

  it("merges objects at every depth, the first wins", () => {
    const data = parseTerm('{"a": {"x": 1, "y": {"k": 1}}, "b": {"x": 2, "y": {"l": 2}, "z": 3}}');
    expect(run('L2 = get L1 "a"\nL3 = get L1 "b"\nL4 = merge L2 L3\nresult L4', "", { data })).toBe(
      '{{"x": 1, "y": {"k": 1, "l": 2}, "z": 3}}',
    );
  });

  it("a dynamic call without a function fails, with an undefined answer it leaves four blocks", () => {
    const functions = `func f(L0, L1) -> L2 path g0/f
  block
    L2 = get L0 "v"
  block
    return L2
`;
    const plan = (path: string, input: string): string =>
      run(
        `L2 = set\nblocks\n  block\n    blocks\n      block\n        blocks\n          block\n            L3 = dynamic ["g0", "${path}"](L0, L1)\n            add L2 L3\n          block\n            add L2 "not found"\n    add L2 "near"\nadd L2 "end"\nresult L2`,
        functions,
        { input: parseTerm(input) },
      );
    expect(plan("f", '{"v": 1}')).toBe('{{1, "end", "near", "not found"}}');
    expect(plan("g", '{"v": 1}')).toBe('{{"end", "near", "not found"}}');
    expect(plan("f", "{}")).toBe("set()");
  });

  it("an undefined local fails its statement, and is the planner's fault in strict mode", () => {
    const stmts = "blocks\n  block\n    equal true false\n    L2 = true\nL3 = set\nadd L3 L2\nresult L3";
    expect(run(stmts)).toBe("set()");
    expect(() => run(stmts, "", { strict: true })).toThrow(PlanFault);
  });

  it("stops at its budget", () => {
    const functions = "func f(L0, L1) -> L2\n  block\n    L2 = call f(L0, L1)\n  block\n    return L2\n";
    expect(() => run("L2 = call f(L0, L1)", functions, { budget: 100 })).toThrow(BudgetExceeded);
  });
});

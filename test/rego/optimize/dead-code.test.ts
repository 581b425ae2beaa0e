import { describe, expect, it } from "vitest";
import { textAfter } from "./before-after.ts";

const INPUTS = ["{}", '{"x": 1}', '{"x": 1, "y": 2}'];

describe("dead code", () => {
  it("goes: assignments that nothing reads, statements behind a break, functions and builtins that nothing calls", () => {
    const text = `builtin plus/2
builtin minus/2
plan p
  block
    L2 = call f(L0, L1)
    result L2
func f(L0, L1) -> L2
  block
    L3 = get L0 "x"
    L5 = "seven"
    L6 = call plus(L3, L3)
    blocks
      block
        L2 = L3
        break 0
        L2 = L5
  block
    return L2
func unused(L0, L1) -> L2
  block
    L2 = call minus(L0, L0)
  block
    return L2
`;
    expect(textAfter("dead-code", text, { inputs: INPUTS })).toBe(`builtin plus/2
plan p
  block
    L2 = call f(L0, L1)
    result L2
func f(L0, L1) -> L2
  block
    L3 = get L0 "x"
    L6 = call plus(L3, L3)
    blocks
      block
        L2 = L3
  block
    return L2
`);
  });

  it("goes: blocks with nothing in them but how to leave them", () => {
    const text = (body: string): string => `plan p
  block
    L2 = call f(L0, L1)
    result L2
func f(L0, L1) -> L2
  block
${body}    L2 = true
  block
    return L2
`;
    const empty = `    nop
    blocks
      block
        blocks
          block
            break 1
        break 1
      block
        break 0
`;
    expect(textAfter("dead-code", text(empty), { inputs: ["{}"] })).toBe(text(""));
  });

  it("keeps a function that a computed path may name", () => {
    const text = `plan p
  block
    L3 = get L0 "x"
    L2 = dynamic ["g0", L3](L0, L1)
    result L2
func f(L0, L1) -> L2 path g0/f
  block
    L2 = true
  block
    return L2
`;
    expect(textAfter("dead-code", text, { inputs: INPUTS })).toBe(text);
  });

  it("stays where it may fail: a look-up whose value nothing reads decides what follows", () => {
    const text = `plan p
  block
    L2 = call f(L0, L1)
    result L2
func f(L0, L1) -> L2
  block
    L3 = get L0 "y"
    L2 = true
  block
    return L2
`;
    expect(textAfter("dead-code", text, { inputs: INPUTS })).toBe(text);
  });

  it("drops a test at the end of a block, and keeps one before an assignment", () => {
    const body = (last: string): string => `plan p
  block
    L2 = call f(L0, L1)
    result L2
func f(L0, L1) -> L2
  block
    L3 = get L0 "x"
    L2 = L3${last}
  block
    return L2
`;
    const test = '\n    L4 = get L0 "y"\n    is-array L4';
    expect(textAfter("dead-code", body(test), { inputs: INPUTS })).toBe(body(""));
    const kept = body('\n    L4 = get L0 "y"\n    L2 = L4');
    expect(textAfter("dead-code", kept, { inputs: INPUTS })).toBe(kept);
  });

  it("keeps the constants that are named, with new numbers", () => {
    const text = (used: string): string => `plan p
  block
    L2 = call f(L0, L1)
    result L2
func f(L0, L1) -> L2
  block
    L2 = ${used}
  block
    return L2
`;
    const constants = [
      { kind: "number", text: "7" },
      { kind: "number", text: "8" },
    ] as const;
    expect(textAfter("dead-code", text("#1"), { constants, inputs: ["{}"] })).toBe(`constant #0 8\n${text("#0")}`);
  });
});

describe("functions that nothing calls", () => {
  const called = `plan p
  block
    L2 = call f(L0, L1)
    result L2
func f(L0, L1) -> L2
  block
    L2 = call g(L0, L1)
  block
    return L2
func g(L0, L1) -> L2
  block
    L2 = "one"
  block
    return L2
`;
  const uncalled = `func h(L0, L1) -> L2
  block
    L2 = call k(L0, L1)
  block
    return L2
func k(L0, L1) -> L2
  block
    L2 = "two"
  block
    return L2
func itself(L0, L1) -> L2
  block
    L2 = call itself(L0, L1)
  block
    return L2
`;

  it("go, with those that they alone call, themselves among them", () => {
    expect(textAfter("dead-code", called + uncalled, { inputs: ["{}"] })).toBe(called);
  });

  it("stay where a dynamic call may reach them", () => {
    const dynamic = called.replace("L2 = call g(L0, L1)", 'L2 = dynamic ["g0", "h"](L0, L1)');
    const withPath = uncalled.replace("func h(L0, L1) -> L2", "func h(L0, L1) -> L2 path g0/h");
    const text = textAfter("dead-code", dynamic + withPath, { inputs: ["{}"] });
    expect(text).toContain("func h(");
    expect(text).toContain("func k(");
    expect(text).not.toContain("func g(");
  });
});

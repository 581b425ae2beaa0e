import { describe, expect, it } from "vitest";
import { policyToText } from "../../../compiler/rego/plan/text.ts";
import { parsePolicyText } from "./parse-text.ts";
import { assertVerified, verifyPolicy } from "./verify.ts";

/** A plan of one block with these statements. */
function plan(...stmts: string[]): string {
  return ["plan p", "  block", ...stmts.map((s) => `    ${s}`), ""].join("\n");
}

function func(...stmts: string[]): string {
  return ["func f(L0, L1) -> L2 path g0/f", "  block", ...stmts.map((s) => `    ${s}`), ""].join("\n");
}

const messages = (text: string): string[] => verifyPolicy(parsePolicyText(text)).map((f) => `${f.where}: ${f.message}`);

describe("verifyPolicy", () => {
  it("accepts a policy that keeps the rules", () => {
    const text = `builtin plus/2
plan eval
  block
    L2 = call f(L0, L1)
    L3 = object
    insert L3 "result" L2
    result L3
func f(L0, L1) -> L2 path g0/f
  block
    L3 = array 2
    scan L0 as L4, L5
      L6 = call plus(L4, L5)
      append L3 L6
      blocks
        block
          equal L6 "x"
          break 2
        block
          not
            is-array L5
            break 0
    with L0 ["a", "b"] = L3
      L7 = get L0 "a"
  block
    is-undefined L2
    L2 = false
  block
    return L2
`;
    expect(messages(text)).toEqual([]);
    expect(policyToText(parsePolicyText(text))).toBe(text);
  });

  const bad: readonly (readonly [string, string, string])[] = [
    [
      "a local read before it is assigned",
      plan("L3 = get L2 true"),
      "plan p: blocks[0].stmts[0]: L2 is read before it is assigned",
    ],
    [
      "an operand that is its own target",
      plan("L2 = L2"),
      "plan p: blocks[0].stmts[0]: L2 is read before it is assigned",
    ],
    [
      "a break that leaves too much",
      plan("break 1"),
      "plan p: blocks[0].stmts[0]: break 1 leaves more blocks than there are",
    ],
    [
      "a break out of a with",
      plan("with L0 [] = true", "  break 1"),
      "plan p: blocks[0].stmts[0].block.stmts[0]: a break leaves a with",
    ],
    [
      "a return out of a with",
      func("with L0 [] = true", "  return L0"),
      "func f: blocks[0].stmts[0].block.stmts[0]: a return leaves a with",
    ],
    ["a return in a plan", plan("return L0"), "plan p: blocks[0].stmts[0]: a plan cannot return"],
    [
      "a result in a function",
      func("result L0"),
      "func f: blocks[0].stmts[0]: a function cannot add to the result set",
    ],
    ["an unknown callee", plan("L2 = call g(L0)"), "plan p: blocks[0].stmts[0]: no function g"],
    [
      "a wrong arity",
      `builtin count/1\n${plan("L2 = call count(L0, L1)")}`,
      "plan p: blocks[0].stmts[0]: count takes 1 arguments, not 2",
    ],
    [
      "a changed parameter",
      func('insert L0 "a" true'),
      "func f: blocks[0].stmts[0]: L0 is a parameter and cannot be changed",
    ],
    ["an assigned parameter", func("L1 = true"), "func f: blocks[0].stmts[0]: L1 is a parameter and is assigned"],
    [
      "a with on another local",
      plan("L2 = object", "with L2 [] = true"),
      "plan p: blocks[0].stmts[1]: with overrides input or data only",
    ],
    ["a scan into one local", plan("scan L0 as L2, L2"), "plan p: blocks[0].stmts[0]: key and value are one local"],
    ["two plans of one name", plan() + plan(), "plan p: name is taken"],
  ];
  it.each(bad)("finds %s", (_, text, message) => {
    expect(messages(text)).toEqual([message]);
  });

  it("finds indexes out of range", () => {
    const policy = parsePolicyText(plan("L2 = true"));
    const broken = {
      ...policy,
      plans: [
        {
          name: "p",
          blocks: [
            {
              stmts: [
                { kind: "MakeNumberRefStmt", index: 7, target: 2 },
                { kind: "AssignVarStmt", source: { kind: "Constant", index: 1 }, target: 3 },
                { kind: "AssignVarStmt", source: { kind: "String", index: -1 }, target: 3 },
              ],
            },
          ],
        },
      ],
    } as const;
    expect(verifyPolicy(broken).map((f) => f.message)).toEqual(["no string 7", "no constant 1", "no string -1"]);
    expect(() => assertVerified(broken)).toThrow("malformed IR: plan p: blocks[0].stmts[0]: no string 7");
    expect(() => assertVerified(policy)).not.toThrow();
  });

  it("walks deep nesting", () => {
    let block: { stmts: readonly unknown[] } = { stmts: [] };
    for (let i = 0; i < 100_000; i++) block = { stmts: [{ kind: "BlockStmt", blocks: [block] }] };
    const policy = { ...parsePolicyText(""), plans: [{ name: "p", blocks: [block] }] };
    expect(verifyPolicy(policy as never)).toEqual([]);
  });
});

import { expect, it } from "vitest";
import { unrollScans } from "../../../compiler/rego/optimize/unroll-scans.ts";
import { policyToText } from "../../../compiler/rego/plan/text.ts";
import type { Value } from "../../../compiler/rego/value/value.ts";
import { interpret } from "../../interpreter/interpreter.ts";
import { Obj } from "../../interpreter/value.ts";
import { parsePolicyText } from "../plan/parse-text.ts";

const list = (...items: string[]): Value => ({
  kind: "array",
  items: items.map((value) => ({ kind: "string", value })),
});

function policyOf(body: string, constant: Value): ReturnType<typeof parsePolicyText> {
  const text = `plan p\n  block\n    L2 = call f(L0, L1)\n    result L2\nfunc f(L0, L1) -> L2\n${body.replace(/^/gm, "  ")}\n`;
  return parsePolicyText(text, [constant]);
}

/** The function after the pass, and whether it answers as before. */
function unrolled(body: string, constant: Value): string {
  const before = policyOf(body, constant);
  const after = unrollScans(before);
  const input = Obj.of([["b", true]]);
  expect(JSON.stringify(interpret(after, "p", { input }))).toBe(JSON.stringify(interpret(before, "p", { input })));
  const text = policyToText(after);
  return text.slice(text.indexOf("func f"));
}

const MEMBERS = `block
  L2 = set
block
  L3 = #0
  scan L3 as L4, L5
    L6 = get L0 L5
    add L2 L4
block
  return L2`;

it("makes each turn a block with locals of its own", () => {
  const text = unrolled(MEMBERS, list("a", "b"));
  expect(text).not.toContain("scan");
  expect(text).toContain('L8 = "a"');
  expect(text).toContain('L11 = "b"');
});

it("keeps locals that others mention, and where a break leads", () => {
  const body = `block
  L3 = #0
  scan L3 as L4, L5
    L6 = get L0 L5
    L2 = L5
    break 1
  L2 = "none"
block
  return L2`;
  expect(unrolled(body, list("a", "b", "c"))).not.toContain("scan");
});

it("unrolls loops in loops", () => {
  const body = `block
  L2 = array 0
block
  L3 = #0
  scan L3 as L4, L5
    L6 = #0
    scan L6 as L7, L8
      not-equal L5 L8
      append L2 L8
block
  return L2`;
  expect(unrolled(body, list("a", "b", "c"))).not.toContain("scan");
});

it("leaves loops over long arrays, over a value other than an array of texts, and over what is not constant there", () => {
  expect(unrolled(MEMBERS, list(..."abcdefghijklmnopq"))).toContain("scan");
  expect(unrolled(MEMBERS, { kind: "array", items: [{ kind: "number", text: "1" }] })).toContain("scan");
  expect(unrolled(MEMBERS, { kind: "set", items: [] })).toContain("scan");
  expect(unrolled(MEMBERS.replace("  scan", "  L3 = L0\n  scan"), list("a", "b"))).toContain("scan");
});

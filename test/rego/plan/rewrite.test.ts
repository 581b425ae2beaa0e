import { expect, it } from "vitest";
import { withBlocks } from "../../../compiler/rego/plan/fields.ts";
import type { Block, Stmt } from "../../../compiler/rego/plan/ir.ts";
import { mapSame, mapStmts, withBodies, withBody, withStmts } from "../../../compiler/rego/plan/rewrite.ts";
import { parsePolicyText } from "./parse-text.ts";

const nop: Stmt = { kind: "NopStmt" };
const leave: Stmt = { kind: "BreakStmt", index: 0 };
const block: Block = { stmts: [nop, leave, nop] };

it("gives the same list where each item is mapped to itself, and calls for each once", () => {
  const list = [1, 2, 3];
  const seen: (readonly [number, number])[] = [];
  const same = mapSame(list, (item, i) => {
    seen.push([item, i]);
    return item;
  });
  expect(same).toBe(list);
  expect(seen).toEqual([
    [1, 0],
    [2, 1],
    [3, 2],
  ]);
  expect(mapSame(list, (item) => (item === 2 ? 5 : item))).toEqual([1, 5, 3]);
  expect(list).toEqual([1, 2, 3]);
});

it("puts in place of a statement another, several, or none", () => {
  expect(mapStmts(block, (stmt) => stmt)).toBe(block);
  expect(mapStmts(block, (stmt) => (stmt === leave ? nop : stmt))).toEqual({ stmts: [nop, nop, nop] });
  expect(mapStmts(block, (stmt) => (stmt === nop ? [leave, leave] : stmt)).stmts).toHaveLength(5);
  expect(mapStmts(block, (stmt) => (stmt === nop ? [] : stmt))).toEqual({ stmts: [leave] });
});

it("keeps a block whose statements stay", () => {
  expect(withStmts(block, [...block.stmts])).toBe(block);
  expect(withStmts(block, [nop, leave])).toEqual({ stmts: [nop, leave] });
  expect(withStmts(block, [nop, nop, nop])).not.toBe(block);
});

it("keeps a statement whose blocks stay, of each kind that has blocks", () => {
  const around: readonly Stmt[] = [
    { kind: "BlockStmt", blocks: [block, block] },
    { kind: "SwitchStmt", index: { kind: "Local", local: 2 }, blocks: [block] },
    { kind: "NotStmt", block },
    { kind: "ScanStmt", source: 2, key: 3, value: 4, block },
    { kind: "WithStmt", local: 0, path: [], value: { kind: "Boolean", value: true }, block },
  ];
  for (const stmt of around) {
    expect(withBlocks(stmt, (b) => b)).toBe(stmt);
    const emptied = withBlocks(stmt, () => ({ stmts: [] }));
    expect(emptied).not.toBe(stmt);
    expect(JSON.stringify(emptied)).not.toContain("NopStmt");
    expect(JSON.stringify(stmt)).toContain("NopStmt");
  }
  expect(withBlocks(nop, () => ({ stmts: [] }))).toBe(nop);
});

it("keeps plans and functions whose blocks stay", () => {
  const policy = parsePolicyText(
    "plan p\n  block\n    L2 = call f(L0, L1)\n    result L2\nfunc f(L0, L1) -> L2\n  block\n    L2 = true\n  block\n    return L2\n",
  );
  const [plan] = policy.plans;
  const [func] = policy.funcs;
  const same = withBodies(policy, (blocks) => blocks);
  expect(same.plans[0]).toBe(plan);
  expect(same.funcs[0]).toBe(func);
  const shorter = withBodies(policy, (blocks) => blocks.slice(1));
  expect([shorter.plans[0]?.blocks.length, shorter.funcs[0]?.blocks.length]).toEqual([0, 1]);
  expect(func && withBody(func, () => [])).toEqual({ ...func, blocks: [] });
});

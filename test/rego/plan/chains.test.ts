/** Chains of `and` and `or`: what they give, how long they may be, and that braces and `with` stay where they were. */

import { load } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { compile, format } from "../../../compiler/rego/index.ts";

const HEADER = "package t\n\nimport future.keywords.and\nimport future.keywords.not\nimport future.keywords.or\n\n";
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** The value of `p` for each input. */
async function ask(rule: string, inputs: readonly unknown[]): Promise<unknown[]> {
  const { compiled, diagnostics } = await compile({ modules: { "t.rego": HEADER + rule }, entrypoints: ["t/p"] });
  expect(diagnostics).toEqual([]);
  const policy = await load(compiled?.wasm as Uint8Array);
  return inputs.map((input) => {
    const value = policy.evaluate("t/p", input);
    expect(policy.lastFault).toBeUndefined();
    return value;
  });
}

describe("a chain of a thousand operators", () => {
  const x = (n: number): { x: number } => ({ x: n });

  it("`or` holds where any operand does", async () => {
    const rule = `p if ${numbers(1_000)
      .map((i) => `input.x == ${i}`)
      .join(" or ")}`;
    expect(await ask(rule, [x(0), x(500), x(999), x(1_000)])).toEqual([true, true, true, undefined]);
  });

  it("`and` holds where every operand does", async () => {
    const rule = `p if ${numbers(1_000)
      .map((i) => `input.x != ${i}`)
      .join(" and ")}`;
    expect(await ask(rule, [x(0), x(500), x(999), x(1_000)])).toEqual([undefined, undefined, undefined, true]);
  });

  it("is laid out as it was written", () => {
    const text = `${HEADER}p if ${numbers(1_000)
      .map((i) => `input.x == ${i}`)
      .join(" or ")}\n`;
    expect(format(text).text).toBe(text);
  });
});

describe("a long chain", () => {
  /** Each operand is a scope of its own: the same name everywhere, a `with` in one, a chain of the other operator in braces. */
  const operand = (i: number): string =>
    [
      `input.xs[${i}] == 1`,
      `{ y := input.xs[${i}]; y == 1 }`,
      `{ input.on; input.xs[${i}] == 1 and input.on }`,
      `not { input.on; input.xs[${i}] != 1 or not input.on }`,
      `{ input.on; input.xs[0] == 1 with input.xs as [input.xs[${i}]] }`,
    ][i % 5] as string;
  const rows = [numbers(40).map(() => 0), ...numbers(40).map((i) => numbers(40).map((j) => (i === j ? 1 : 0)))];
  const all = numbers(40).map(() => 1);
  const inputs = [...rows, all].map((xs) => ({ xs, on: true }));

  it("keeps the scopes of its operands, under `or`", async () => {
    const rule = `p if ${numbers(40).map(operand).join(" or ")}`;
    expect(await ask(rule, inputs)).toEqual([undefined, ...numbers(40).map(() => true), true]);
  });

  it("keeps the scopes of its operands, under `and`", async () => {
    const rule = `p if ${numbers(40).map(operand).join(" and ")}`;
    expect(await ask(rule, inputs)).toEqual([undefined, ...numbers(40).map(() => undefined), true]);
  });

  it("evaluates no operand behind the one that decides", async () => {
    const rest = numbers(30).map((i) => `input.x == ${i}`);
    const rule = `two := 1\n\ntwo := 2 if input.x\n\np if ${[...rest, "two == 1"].join(" or ")}`;
    expect(await ask(rule, [{ x: 29 }])).toEqual([true]);
  });
});

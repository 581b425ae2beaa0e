/** What is kept of a request is small, plain, and nobody else's. */

import { describe, expect, it } from "vitest";
import type { FootprintNode } from "../../../runtime/abi/section.ts";
import { plainCopy } from "../../../runtime/encode/plain-copy.ts";
import { shapeOf } from "../../../runtime/encode/shape.ts";

describe("plainCopy", () => {
  const node: FootprintNode = { members: { role: true, whole: true, list: { each: { members: { x: true } } } } };
  const shape = shapeOf(node, new Map(["role", "whole", "list", "x"].map((text, i) => [text, 8 + i * 8])));

  it("has what is wanted of a request, and shares nothing with it", () => {
    const list: unknown[] = [1, { b: "x" }];
    const request = { other: 1, whole: { a: list, c: undefined }, list: [{ x: 1, y: 2 }], role: "r" };
    const copy = plainCopy(request, shape);
    expect(copy).toEqual({ whole: { a: [1, { b: "x" }] }, list: [{ x: 1 }], role: "r" });
    expect(Object.keys(copy as object)).toEqual(["whole", "list", "role"]);
    list.push("later");
    expect(copy).toMatchObject({ whole: { a: [1, { b: "x" }] } });
  });

  it("reads each member once", () => {
    let reads = 0;
    const request = {
      get role() {
        return `read ${++reads}`;
      },
    };
    expect(plainCopy(request, shape)).toEqual({ role: "read 1" });
    expect(reads).toBe(1);
  });

  it.each<[string, unknown]>([
    ["too many values", { whole: new Array(200).fill(1) }],
    ["too many values in all", { whole: new Array(100).fill([1]) }],
    ["too long texts", { whole: ["x".repeat(5000)] }],
    ["too long keys", { whole: { ["x".repeat(5000)]: 1 } }],
    ["half a character", { role: `${"x".repeat(20)}\ud800` }],
    ["a cycle", { whole: cycle() }],
    ["a member that would be a prototype", { whole: JSON.parse('{"__proto__": 1}') }],
    ["no number", { whole: Number.POSITIVE_INFINITY }],
    ["a list that has holes", { whole: new Array(3) }],
    ["a list where members are wanted", []],
    ["an instance of a class", { whole: new (class {})() }],
  ])("is not made of %s", (_, request) => {
    expect(plainCopy(request, shape)).toBeUndefined();
  });
});

function cycle(): unknown {
  const list: unknown[] = [];
  list.push(list);
  return list;
}

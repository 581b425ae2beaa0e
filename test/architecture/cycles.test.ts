/** No file needs itself: values are imported in one direction. Types may be imported in both, and recursion has its reasons. */

import { describe, expect, it } from "vitest";
import { filesBelow, importsOf } from "./import-graph.ts";

/** Circles that are recursion, by the files that are in them. An entry that is not needed any more fails. */
const RECURSION: readonly { readonly files: RegExp; readonly why: string }[] = [
  {
    files: /^compiler\/rego\/plan\/plan-\w+\.ts$/,
    why: "a term holds bodies, and a body terms: the planner follows the grammar",
  },
  {
    files: /^compiler\/rego\/wasm\/rtlib\/(compare|object|set|sort|table)\.ts$/,
    why: "a set holds sets: to compare, sort and find values is one recursion over them",
  },
  { files: /^runtime\/builtins\/graphql\//, why: "fields are merged by validating what is below them" },
];

/** Sets of files that reach each other by imports of values: Tarjan's strongly connected components. */
function circles(files: readonly string[]): string[][] {
  const next = new Map(files.map((f) => [f, importsOf(f).flatMap((i) => (i.typesOnly ? [] : [i.target]))]));
  const index = new Map<string, number>();
  const open: string[] = [];
  const found: string[][] = [];
  const visit = (file: string): number => {
    let lowest = index.size;
    index.set(file, lowest);
    open.push(file);
    for (const target of next.get(file) ?? []) {
      if (!next.has(target)) continue;
      const reached = index.has(target)
        ? open.includes(target)
          ? (index.get(target) as number)
          : lowest
        : visit(target);
      lowest = Math.min(lowest, reached);
    }
    if (lowest === index.get(file)) {
      const circle = open.splice(open.indexOf(file));
      if (circle.length > 1) found.push(circle.sort());
    }
    return lowest;
  };
  for (const file of files) if (!index.has(file)) visit(file);
  return found;
}

describe("circles of imports", () => {
  const found = circles([...filesBelow("compiler"), ...filesBelow("runtime")]);
  const isKnown = (circle: readonly string[], { files }: (typeof RECURSION)[number]): boolean =>
    circle.every((file) => files.test(file));

  it("are recursion that has a reason", () => {
    expect(found.filter((circle) => !RECURSION.some((known) => isKnown(circle, known)))).toEqual([]);
  });

  it("are all still there where a reason is given", () => {
    expect(RECURSION.filter((known) => !found.some((circle) => isKnown(circle, known)))).toEqual([]);
  });
});

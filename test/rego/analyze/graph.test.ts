/** Which rule refers to which. */

import { describe, expect, it } from "vitest";
import { analyze } from "../../../compiler/rego/analyze/index.ts";
import { checked, group, parse, query } from "./helpers.ts";

const text = `package t
a := b
b := c if input.x else := d
c := 1
d := 2
e := f(1)
f(x) := g[x]
g[x] := 1 if x := input.y
h if data.t.sub.x with data.t.c as 1 with count as f
i := data.t[input.name]
default j := 3
j := a if input.z
k.l := 1
k.m := k.l
`;

const policy = checked({
  "a.rego": text.replace("i := data.t[input.name]\n", ""),
  "b.rego": "package t.sub\nx := 1\ny := data.t.k",
});
const name = (rule: { head: { ref: { head: unknown; args: readonly unknown[] } } }): string => {
  const { head, args } = rule.head.ref as { head: { name: string }; args: readonly { value?: string }[] };
  return [head.name, ...args.flatMap((a) => a.value ?? [])].join(".");
};

function references(path: string): string[] {
  const rules = group(policy, path).definitions.flatMap((d) => [...policy.graph.references(d.rule)]);
  return rules.map(name).sort();
}

const reachable = (...paths: string[]): string[] =>
  [...policy.graph.reachableFrom(paths.map((p) => p.split(".")))].map(name).sort();

describe("references", () => {
  it("are those of heads, bodies and else", () => {
    expect(references("t.a")).toEqual(["b"]);
    expect(references("t.b")).toEqual(["c", "d"]);
    expect(references("t.c")).toEqual([]);
  });

  it("are those of calls and of with", () => {
    expect(references("t.e")).toEqual(["f"]);
    expect(references("t.f")).toEqual(["g"]);
    expect(references("t.h")).toEqual(["c", "f", "x"]);
  });

  it("reach into packages", () => {
    expect(references("t.sub.y")).toEqual(["k.l", "k.m"]);
  });
});

describe("what can be reached", () => {
  it("follows references", () => {
    expect(reachable("t.a")).toEqual(["a", "b", "c", "d"]);
    expect(reachable("t.e")).toEqual(["e", "f", "g"]);
    expect(reachable("t.c")).toEqual(["c"]);
    expect(reachable("t.sub")).toEqual(["k.l", "k.m", "x", "y"]);
    expect(reachable("nowhere")).toEqual([]);
    expect(reachable("t.c", "t.k.l")).toEqual(["c", "k.l"]);
  });

  it("takes defaults along", () => {
    expect(reachable("t.j")).toEqual(["a", "b", "c", "d", "j", "j"]);
  });

  it("starts from queries, too", () => {
    const { policy: asked } = analyze([parse("package t\np := q\nq := 1\nr := 2")], {
      queries: [query("data.t.p = x")],
    });
    expect([...(asked?.graph.reachableFrom([], asked.queries) ?? [])].map(name).sort()).toEqual(["p", "q"]);
  });

  it("takes everything that an unknown name may mean", () => {
    const open = checked("package t\np := data.u[input.x].a\n");
    expect([...open.graph.reachableFrom([["t", "p"]])].length).toBe(1);
    const wide = checked({
      "a.rego": "package t\np := data.u[input.x].a\n",
      "b.rego": "package u.v\na := 1\nb := 2",
      "c.rego": "package u.w\na := 3",
    });
    expect([...wide.graph.reachableFrom([["t", "p"]])].length).toBe(3);
  });
});

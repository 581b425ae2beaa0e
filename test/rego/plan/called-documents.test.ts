/** `g()` of a rule that is not a function: OPA takes it where the rule may be anything, and it is the rule's value. */

import { load } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";

const text = `package t

g := out if {
	not input.a
	out = "x"
}

g := out if out = input.a

h := input.b

r if { x := g(); x == "x" }

s contains {"m": m} if m := g()

q if g()

w := g() if true

v := [g(), 1]

u if not h()

z if g("x")

wi := y if y := g() with input as {"a": 7}

c := [y | y := g()]
`;

describe("a document that is called", () => {
  it("is its value, as OPA 1.22.2 has it", async () => {
    const modules = [new SourceFile("t.rego", text)];
    const { compiled, diagnostics } = await compileModules({ modules, entrypoints: ["t"] });
    expect(diagnostics.filter((d) => d.severity === "error")).toEqual([]);
    const policy = await load(compiled?.wasm as Uint8Array);
    expect(policy.evaluate("t", {})).toEqual({
      c: ["x"],
      g: "x",
      q: true,
      r: true,
      s: [{ m: "x" }],
      u: true,
      v: ["x", 1],
      w: "x",
      wi: 7,
      z: true,
    });
  });

  it.each([
    ["f := 1\n\np := f()", "undefined function data.t.f"],
    ["f contains 1\n\np if f()", "undefined function data.t.f"],
    ['f := "a" if input.x\n\np if f("a")', "undefined function data.t.f"],
    ["f := input.x\n\np := f(2)", "function data.t.f has arity 0, got 1 argument"],
  ])("is refused in %s", async (rules, message) => {
    const { diagnostics } = await compileModules({ modules: [new SourceFile("t.rego", `package t\n\n${rules}\n`)] });
    expect(diagnostics.map((d) => d.message)).toContain(message);
  });
});

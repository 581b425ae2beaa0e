import { describe, expect, it } from "vitest";
import { policyToText } from "../../../compiler/rego/plan/text.ts";
import { interpret } from "../../interpreter/interpreter.ts";
import { Obj, print } from "../../interpreter/value.ts";
import { compile } from "./compile.ts";

function plan(text: string, entrypoint = "t/p"): string {
  const { policy, diagnostics } = compile([`package t\n\n${text}`], { entrypoints: [entrypoint] });
  expect(diagnostics).toEqual([]);
  return policy === undefined ? "" : policyToText(policy);
}

/** The text of one function's blocks. */
function body(text: string, name: string): string {
  const lines = plan(text).split("\n");
  const from = lines.findIndex((l) => l.startsWith(`func ${name}(`));
  const to = lines.findIndex((l, i) => i > from && /^\S/.test(l));
  return lines.slice(from + 1, to < 0 ? -1 : to).join("\n");
}

const codes = (modules: readonly string[], entrypoints: readonly string[]): string[] =>
  compile(modules, { entrypoints }).diagnostics.map((d) => `${d.code}: ${d.message}`);

describe("shapes of plans", () => {
  it("an entrypoint adds its result", () => {
    expect(plan("p := 1")).toBe(`plan t/p
  block
    L2 = call g0.data.t.p(L0, L1)
    L3 = object
    insert L3 "result" L2
    result L3
func g0.data.t.p(L0, L1) -> L2 path g0/t/p
  block
    L3 = number "1"
    L2 = L3
  block
    return L2
`);
  });

  it("definitions that can only agree end with the first that holds, loops included", () => {
    expect(body("p if input.a == 1\np if input.xs[_] == 2", "g0.data.t.p")).toBe(`  block
    blocks
      block
        L3 = get L0 "a"
        L4 = number "1"
        equal L3 L4
        L2 = true
        break 1
    blocks
      block
        L5 = get L0 "xs"
        scan L5 as L6, L7
          L8 = number "2"
          equal L7 L8
          L2 = true
          break 2
  block
    return L2`);
  });

  it("definitions that may differ are all asked", () => {
    expect(body("p := input.a\np := input.b", "g0.data.t.p")).toBe(`  block
    L3 = get L0 "a"
    L2 = once L3
  block
    L4 = get L0 "b"
    L2 = once L4
  block
    return L2`);
  });

  it("a negation of a test is the test in a block, and of an iteration a flag", () => {
    expect(body("p if not input.a", "g0.data.t.p")).toContain(`    not
      L4 = get L0 "a"
      not-equal L4 false
`);
    expect(
      body("p if { every x in input.xs { some y in x; y > 1 } }", "g0.data.t.p"),
    ).toContain(`        scan L3 as L5, L6
          not
            L7 = reset
            blocks
              block
                scan L6 as L8, L9
                  L10 = number "1"
                  L11 = call gt(L9, L10)
                  not-equal L11 false
                  L7 = true
                  break 1
            is-defined L7
          L4 = true
          break 1
    is-undefined L4
`);
  });

  it("what follows a `with` is outside of it", () => {
    expect(body("p := [x, input] if { x := input.a with input as input.b }", "g0.data.t.p")).toBe(`  block
    L3 = get L0 "b"
    with L0 [] = L3
      L5 = get L0 "a"
    is-defined L0
    L6 = L0
    L7 = array 2
    append L7 L5
    append L7 L6
    L2 = once L7
  block
    return L2`);
  });

  it("documents with a key that is not known are alternatives, joined before the rest", () => {
    const { policy } = compile(
      ["package t\n\np if data.u[input.k].v == 1", "package u.a\n\nv := 1", "package u.b\n\nv := 2"],
      {
        entrypoints: ["t/p"],
      },
    );
    const text = policy === undefined ? "" : policyToText(policy);
    expect(text.match(/equal L4 L\d+/g)?.length ?? 0).toBeLessThanOrEqual(1);
    expect(text).toContain("call g0.data.u.a.v");
    expect(text).toContain("call g0.data.u.b.v");
  });

  it("functions that an override does not concern are planned once", () => {
    const text = plan(`p := [x, y, q] if { x := q with data.t.a as 3; y := q with input as 1 }
q := [a, b]
a := 1
b := deep
deep := 2`);
    expect(text.match(/^func \S+\(/gm)).toEqual([
      "func g0.data.t.p(",
      "func g1.data.t.q(",
      "func g0.data.t.q(",
      "func g0.data.t.b(",
      "func g0.data.t.a(",
      "func g0.data.t.deep(",
    ]);
  });

  it("what refers to a group that an override concerns is planned again, whichever of them is asked for first", () => {
    const rules = "top := mid\nmid := low(1)\nlow(x) := [x, a, same]\na := 1\nsame := 2";
    const asked = ["mid", "top", "same"];
    for (const names of [asked, [...asked].reverse()]) {
      const text = plan(`p if { ${names.map((n) => `${n} != 0 with data.t.a as 3`).join("; ")} }\n${rules}`);
      const planned = [...text.matchAll(/^func (g\d)\.data\.t\.(\w+)\(/gm)].map(
        ([, context, name]) => `${context} ${name}`,
      );
      expect(planned.sort()).toEqual(["g0 p", "g0 same", "g1 low", "g1 mid", "g1 top"]);
    }
  });
});

describe("what planning refuses", () => {
  it("entrypoints that name nothing, or a function", () => {
    const modules = ["package t\n\nf(x) := x\n\np := f(1)"];
    expect(codes(modules, ["t/q"])).toEqual(["plan/unknown-entrypoint: entrypoint `t/q` names no rule or package"]);
    expect(codes(modules, ["t/f"])).toEqual(["plan/function-entrypoint: entrypoint `t/f` is a function"]);
    expect(codes(modules, ["t/p", "t", "t/p"])).toEqual([]);
  });

  it("iterations nested too deep", () => {
    const loops = Array.from({ length: 401 }, (_, i) => `  some x${i} in input.a${i}`).join("\n");
    const found = compile([`package t\n\np if {\n${loops}\n}\n\nq := 1`], { entrypoints: ["t/p", "t/q"] }).diagnostics;
    expect(found.map((d) => `${d.code}: ${d.message}`)).toEqual([
      "plan/too-deep: more than 400 iterations are nested in one rule",
    ]);
    expect(found[0]?.span?.file.positionAt(found[0].span.start).line).toBe(404);
  });
});

describe("sizes", () => {
  const evaluate = (text: string): string => {
    const { policy } = compile([text], { entrypoints: ["t/p0"] });
    const [result] = policy === undefined ? [] : interpret(policy, "t/p0", { strict: true }).items();
    return result instanceof Obj ? print(result) : "undefined";
  };

  it("long bodies", () => {
    const lines = Array.from({ length: 2_000 }, (_, i) => `  x${i} := ${i}`).join("\n");
    expect(evaluate(`package t\n\np0 := x1999 if {\n${lines}\n}`)).toBe('{"result":1999}');
  });

  it("long chains of rules", () => {
    const chain = (n: number): string => {
      const rules = Array.from({ length: n }, (_, i) => `p${i} := p${i + 1}`).join("\n");
      return `package t\n\n${rules}\np${n} := "end"`;
    };
    expect(evaluate(chain(200))).toBe('{"result":"end"}');
    expect(compile([chain(3_000)], { entrypoints: ["t/p0"] }).policy?.funcs.length).toBe(3_001);
  });

  it("many overrides", () => {
    const rules = Array.from(
      { length: 100 },
      (_, i) => `f${i} := ${i}\nq${i} := x if { x := sum with data.t.f${i} as 1000 }`,
    );
    const text = `package t\n\n${rules.join("\n")}\nsum := ${rules.map((_, i) => `f${i}`).join(" + ")}\np0 := max([${rules.map((_, i) => `q${i}`).join(", ")}])`;
    expect(evaluate(text)).toBe(`{"result":${4950 + 1000}}`);
  });
});

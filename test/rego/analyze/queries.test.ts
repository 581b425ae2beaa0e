/** Queries beside the modules. */

import { describe, expect, it } from "vitest";
import { analyze } from "../../../compiler/rego/analyze/index.ts";
import { parse, query, showBody, where } from "./helpers.ts";

const modules = [parse("package t\np := 1\nf(x) := x\nq contains 1\n")];

function ask(text: string): { body: string; names: string[] } {
  const { policy, diagnostics } = analyze(modules, { queries: [query(text)] });
  const [found] = policy?.queries ?? [];
  if (!found) throw new Error(diagnostics.map(where).join("\n"));
  return { body: showBody(found.body), names: found.bindings.map((b) => `${b.name}=${b.local}`) };
}

const faults = (text: string): string[] => analyze(modules, { queries: [query(text)] }).diagnostics.map(where);

describe("queries", () => {
  it("bind variables in the order of their appearance", () => {
    expect(ask("y = w; x := data.t.p; w = x; input.a[_] = z")).toEqual({
      body: "eq(x#2, data.t.p); eq(w, x#2); eq(input.a[_#1], z); eq(y, w)",
      names: ["y=y", "w=w", "x=x#2", "z=z"],
    });
  });

  it("keep == as a question", () => {
    expect(ask("data.t.p == 1").body).toBe("eq(#2, data.t.p); equal(#2, 1)");
  });

  it("do not report variables of closures", () => {
    expect(ask("x := [y | some y in [1]]").names).toEqual(["x=x#3"]);
  });

  it.each([
    ["data.t.f(1)", "data.t.f(1)"],
    ["1 / 0", "div(1, 0)"],
    ["data = x", "eq(data, x)"],
    ["input", "input"],
    ["true", "true"],
    ['x = $"{data.t.p}"', 'eq(x, $"{{#1 | eq(#1, data.t.p)}}")'],
    ["print(1)", ""],
  ])("%s", (text, body) => {
    expect(ask(text).body).toBe(body);
  });

  it("are checked", () => {
    expect(faults("x > 1")).toEqual(["rego_unsafe_var_error query:1:1 var x is unsafe"]);
    expect(faults("nope(1)")).toEqual(["rego_type_error query:1:1 undefined function nope"]);
    expect(faults('data.t.p + "a"')).toEqual([
      "rego_type_error query:1:1 plus: invalid argument(s): have (number, string), want (number, number)",
    ]);
    expect(faults("x := 1; x := 2")).toEqual(["rego_compile_error query:1:9 var x assigned above"]);
    expect(faults("some x")).toEqual(["rego_compile_error query:1:1 declared var x unused"]);
    expect(faults("data.t.q[0]")).toEqual([]);
    expect(faults('data.t.q["a"]')).toEqual([
      'rego_type_error query:1:1 undefined ref: data.t.q.a: have "a", want number',
    ]);
    expect(faults("p")).toEqual(["rego_unsafe_var_error query:1:1 var p is unsafe"]);
  });

  it("cannot be empty", () => {
    const { span } = modules[0]!;
    const { diagnostics } = analyze(modules, { queries: [{ name: "q", body: [], span }] });
    expect(diagnostics.map((d) => d.code)).toEqual(["analyze/empty-query"]);
  });
});

/** Capabilities files: what `opa capabilities` writes is read as the catalogue, and any other is refused with its place. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { analyzeModules } from "../../../compiler/rego/pipeline/analyze-modules.ts";
import { builtins } from "../../../compiler/rego/syntax/builtins.ts";
import { readCapabilities, withDeclared } from "../../../compiler/rego/syntax/capabilities.ts";
import { opa, opaText, runOpa } from "./oracle.ts";

const any = { type: "any" };
const string = { type: "string" };
const declare = (name: string, decl: object, more: object = {}) => ({
  builtins: [{ name, decl: { type: "function", ...decl }, ...more }],
});

const own = {
  builtins: [
    {
      name: "acme.score",
      decl: { type: "function", args: [{ ...string, name: "who" }, { type: "number" }], result: { type: "number" } },
    },
    {
      name: "acme.find",
      decl: {
        type: "function",
        args: [{ type: "any", of: [string, { type: "set", of: string }] }],
        result: {
          type: "object",
          static: [{ key: "id", value: string }],
          dynamic: { key: string, value: { type: "array", dynamic: any } },
        },
      },
    },
    { name: "acme.dice", decl: { type: "function", result: { type: "number" } }, nondeterministic: true },
    // The name of an export of the runtime library, and not its builtin.
    { name: "array_concat", decl: { type: "function", args: [any, any], result: any } },
    { name: "count", decl: { type: "function", args: [any], result: { type: "number" } } },
  ],
};

/** Known by name: what they take is OPA's to say. */
const operators = [{ name: "equal" }, { name: "gt" }];

/** A body, and the code that OPA gives it; undefined where it has nothing to say. */
const bodies: readonly [string, string | undefined][] = [
  ['acme.score("ann", 1) > 2', undefined],
  ["acme.score(1, 1) > 2", "rego_type_error"],
  ['acme.score("ann") > 2', "rego_type_error"],
  ['acme.score("ann", 1) == "high"', "rego_type_error"],
  ['acme.find({"a"}).id == "x"', undefined],
  ["acme.find({1}).id == 1", "rego_type_error"],
  ['acme.find("a").id == 1', "rego_type_error"],
  ['acme.find("a").other[0] == 1', undefined],
  ["acme.dice() == 6", undefined],
  ["array_concat([1], [2]) == 7", undefined],
  ["count([1]) == 1", undefined],
  ["acme.unknown(1)", "rego_type_error"],
  // What the file does not list is not there.
  ['upper("a") == "A"', "rego_type_error"],
  ["1 + 1 == 2", "rego_type_error"],
  ['acme.score("ann", 1) == 3 with acme.score as 3', undefined],
  ['acme.score("ann", 1) == 3 with acme.nothing as 3', "rego_type_error"],
];

const module = (body: string): string => `package t\n\np if {\n\t${body}\n}\n`;

function ours(body: string): string | undefined {
  const { diagnostics } = analyzeModules({
    modules: [new SourceFile("t.rego", module(body))],
    builtins: readCapabilities({ builtins: [...operators, ...own.builtins] }),
  });
  return diagnostics.find((d) => d.severity === "error")?.opa;
}

describe("a capabilities file", () => {
  it.skipIf(!opa)("of OPA's own is OPA's catalogue", () => {
    const read = readCapabilities(JSON.parse(opaText(["capabilities", "--current"])));
    const absent = [...builtins().keys()].filter((name) => !read.has(name));
    expect(absent).toEqual(["array.flatten", "internal.template_string"].filter((name) => absent.includes(name)));
    expect([...read.keys()].filter((name) => !builtins().has(name))).toEqual([]);
  });

  it("declares builtins, and leaves out those that it does not list", () => {
    const read = readCapabilities(own);
    expect(read.get("count")).toBe(builtins().get("count"));
    expect(read.has("upper")).toBe(false);
    expect(read.has("internal.member_2")).toBe(true);
    expect(withDeclared(builtins(), own).has("upper")).toBe(true);
  });

  it.each<[string, unknown, string]>([
    ["no object", [], "it has no list `builtins`"],
    ["no list", { builtins: {} }, "it has no list `builtins`"],
    ["no name", { builtins: [{}] }, "`builtins[0]` has no name that a policy could call"],
    ["a name with a space", declare("a b", { result: any }), "`builtins[0]` has no name that a policy could call"],
    ["no function", { builtins: [{ name: "f", decl: any }] }, "`f` has no `decl` of type `function`"],
    ["no result", declare("f", { args: [] }), "`f` has no `result`"],
    ["operands that are not a list", declare("f", { args: any, result: any }), "the `args` of `f` are no list"],
    [
      "a type of ours alone",
      declare("f", { result: { type: "text" } }),
      '`f` is declared with a malformed type: {"type":"text"}',
    ],
    ["an empty union", declare("f", { result: { type: "any", of: [] } }), "`f` is declared with a malformed type"],
    [
      "a field without a key",
      declare("f", { result: { type: "object", static: [string] } }),
      "`f` is declared with a malformed type",
    ],
    ["a relation", declare("f", { result: any }, { relation: true }), "a host supplies none of these"],
    ["any number of operands", declare("f", { variadic: any, result: any }), "a host supplies none of these"],
  ])("is refused with %s", (_, json, message) => {
    expect(() => readCapabilities(json)).toThrow(message);
  });

  it.each(bodies)("decides that %s is %s", (body, code) => {
    expect(ours(body)).toBe(code);
  });

  it.skipIf(!opa)("decides as OPA does", () => {
    const dir = mkdtempSync(join(tmpdir(), "capabilities-"));
    const language = JSON.parse(opaText(["capabilities", "--current"])) as {
      features: string[];
      builtins: { name: string }[];
    };
    // The language's own are listed for OPA as well.
    const needed = language.builtins.filter(
      ({ name }) =>
        name.startsWith("internal.") || name === "eq" || name === "assign" || name === "gt" || name === "equal",
    );
    const full = { ...language, builtins: [...needed, ...own.builtins] };
    const file = join(dir, "capabilities.json");
    writeFileSync(file, JSON.stringify(full));
    const differing = bodies.filter(([body, code]) => {
      const path = join(dir, "t.rego");
      writeFileSync(path, module(body));
      const { ok, stderr } = runOpa(["check", "--format", "json", "--capabilities", file, path]);
      const theirs = ok ? undefined : (JSON.parse(stderr) as { errors: { code: string }[] }).errors[0]?.code;
      return theirs !== code;
    });
    rmSync(dir, { recursive: true });
    expect(differing).toEqual([]);
  });
});

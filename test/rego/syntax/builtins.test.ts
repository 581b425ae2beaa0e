import { describe, expect, it } from "vitest";
import { parseDeclaration, printBuiltinType } from "../../../compiler/rego/syntax/builtin-types.ts";
import { builtin, builtins } from "../../../compiler/rego/syntax/builtins.ts";
import { opa, opaText } from "./oracle.ts";

/** OPA's own notation of a type, as `opa capabilities` gives it. */
interface OpaType {
  readonly type: string;
  readonly of?: OpaType | readonly OpaType[];
  readonly dynamic?: OpaType | { readonly key: OpaType; readonly value: OpaType };
  readonly static?: readonly (OpaType | { readonly key: string; readonly value: OpaType })[];
  readonly name?: string;
}

interface OpaBuiltin {
  readonly name: string;
  readonly decl: { readonly args?: readonly OpaType[]; readonly result?: OpaType; readonly variadic?: OpaType };
  readonly infix?: string;
  readonly relation?: boolean;
  readonly nondeterministic?: boolean;
}

function notation(type: OpaType): string {
  switch (type.type) {
    case "any":
      return Array.isArray(type.of) ? type.of.map(notation).join(" | ") : "any";
    case "array":
      if (type.static) return `array<${(type.static as OpaType[]).map(notation).join(", ")}>`;
      return `array[${notation(type.dynamic as OpaType)}]`;
    case "set":
      return `set[${notation(type.of as OpaType)}]`;
    case "object": {
      const dynamic = type.dynamic as { key: OpaType; value: OpaType } | undefined;
      const rest = dynamic && `${notation(dynamic.key)}: ${notation(dynamic.value)}`;
      if (!type.static) return `object[${rest}]`;
      const fields = (type.static as { key: string; value: OpaType }[]).map((f) => `${f.key}: ${notation(f.value)}`);
      return `object<${[...fields, ...(rest ? [rest] : [])].join(", ")}>`;
    }
    default:
      return type.type;
  }
}

describe("the catalogue of builtins", () => {
  it("knows what the language itself calls", () => {
    for (const name of [
      "eq",
      "assign",
      "equal",
      "internal.member_2",
      "internal.member_3",
      "internal.template_string",
    ]) {
      expect(builtin(name), name).toBeDefined();
    }
  });

  it("keeps names in order and types readable in both directions", () => {
    const names = [...builtins().keys()];
    expect(names).toEqual([...names].sort());
    for (const { name, parameters, result } of builtins().values()) {
      for (const type of [...parameters.map((parameter) => parameter.type), ...(result ? [result] : [])]) {
        expect(parseDeclaration(`f() -> ${printBuiltinType(type)}`).result, name).toEqual(type);
      }
    }
  });

  it("reads its own notation", () => {
    expect(
      parseDeclaration("a.b(x: number | set[any], ...string) -> array<any, object<k: null, string: any>>; relation"),
    ).toEqual({
      name: "a.b",
      parameters: [
        { name: "x", type: { kind: "union", of: [{ kind: "number" }, { kind: "set", of: { kind: "any" } }] } },
      ],
      variadic: { kind: "string" },
      result: {
        kind: "array",
        items: [
          { kind: "any" },
          {
            kind: "object",
            fields: [{ name: "k", type: { kind: "null" } }],
            rest: { key: { kind: "string" }, value: { kind: "any" } },
          },
        ],
        rest: undefined,
      },
      flags: ["relation"],
    });
    expect(() => parseDeclaration("f(number -> any")).toThrow(/declaration of a builtin/);
    expect(() => parseDeclaration("f(x: text) -> any")).toThrow(/unknown type text/);
  });

  it.skipIf(!opa)("says of each builtin what `opa capabilities` says", () => {
    const theirs = (JSON.parse(opaText(["capabilities", "--current"])) as { builtins: OpaBuiltin[] }).builtins;
    expect(theirs.length).toBeGreaterThan(190);
    for (const { name, decl, infix, relation = false, nondeterministic = false } of theirs) {
      const ours = builtin(name);
      expect(ours, name).toBeDefined();
      expect({
        args: ours?.parameters.map((parameter) => [parameter.name, printBuiltinType(parameter.type)]),
        variadic: ours?.variadic && printBuiltinType(ours.variadic),
        result: ours?.result && printBuiltinType(ours.result),
        infix: ours?.infix,
        relation: ours?.relation,
        nondeterministic: ours?.nondeterministic,
      }).toEqual({
        args: (decl.args ?? []).map((arg) => [arg.name, notation(arg)]),
        variadic: decl.variadic && notation(decl.variadic),
        result: decl.result && notation(decl.result),
        infix,
        relation,
        // OPA may fetch what a schema refers to; here nothing is ever fetched.
        nondeterministic: nondeterministic && !["json.match_schema", "json.verify_schema"].includes(name),
      });
    }
    const known = new Set(theirs.map(({ name }) => name));
    const more = [...builtins().keys()].filter((name) => !known.has(name));
    expect(more.filter((name) => !["array.flatten", "internal.template_string"].includes(name))).toEqual([]);
  });
});

/** Literals that are JSON: who notes them, what walks make of them, and which value they have. */

import { describe, expect, it } from "vitest";
import { analyze } from "../../../compiler/rego/analyze/index.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import type { ArrayTerm, Module, ObjectTerm, Term } from "../../../compiler/rego/syntax/ast.ts";
import { isJson, jsonValue } from "../../../compiler/rego/syntax/json-terms.ts";
import { parseModule } from "../../../compiler/rego/syntax/parser.ts";
import { isConstant } from "../../../compiler/rego/syntax/term-kinds.ts";
import { eachTerm, mapChildren, terms } from "../../../compiler/rego/syntax/visit.ts";
import { treeCopy } from "./tree-copy.ts";

function literal(text: string): ArrayTerm | ObjectTerm {
  return valueIn(parseModule(fileOf(text)).module as Module);
}

const fileOf = (text: string): SourceFile => new SourceFile("a.rego", `package a\n\nq := 1\n\np := ${text}\n`);
const valueIn = (module: Module): ArrayTerm | ObjectTerm => module.rules[1]?.head.value as ArrayTerm | ObjectTerm;

const partsOf = (term: Term): number => {
  let count = 0;
  eachTerm(term, () => count++);
  return count;
};

describe("arrays and objects with nothing but JSON in them", () => {
  it.each(['{"a": [1, {"b": null}], "c": true}', "[]", "{}", '["x", -1, 1e3, `raw`]'])("are noted: %s", (text) => {
    const term = literal(text);
    expect(isJson(term)).toBe(true);
    expect(isConstant(term)).toBe(true);
  });

  it.each(["[q]", '{"a": q}', "[input.x]", "[{1, 2}]", '{1: "a"}', "[count([1])]", "[x | x := 1]", '[$"{q}"]'])(
    "are not those with anything else: %s",
    (text) => expect(isJson(literal(text))).toBe(false),
  );

  it("are noted by the analysis in a tree that no parser has made", () => {
    const file = fileOf('[{"a": []}, 1]');
    const module = treeCopy(parseModule(file).module as Module);
    const term = valueIn(module);
    expect([isJson(term), partsOf(term), terms(term).length]).toEqual([false, 2, 2]);
    analyze([module]);
    expect([isJson(term), partsOf(term), terms(term).length]).toEqual([true, 0, 2]);
  });

  it("are gone past by walks, whose parts stay to be had", () => {
    const term = literal('{"a": 1, "b": 2}');
    expect([partsOf(term), terms(term).length]).toEqual([0, 4]);
    expect(mapChildren(term, { term: () => term, body: (body) => body })).toBe(term);
  });

  it("have their value, of one key the last", () => {
    expect(jsonValue(literal('{"a": [1.50, true], "b": null, "a": "x"}'))).toEqual({
      kind: "object",
      entries: [
        [
          { kind: "string", value: "a" },
          { kind: "string", value: "x" },
        ],
        [{ kind: "string", value: "b" }, { kind: "null" }],
      ],
    });
  });
});

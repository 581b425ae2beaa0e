/** `features` and `future_keywords` of a capabilities file: what OPA refuses with it is refused, with its message and place. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { analyze } from "../../../compiler/rego/analyze/index.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { parseModule } from "../../../compiler/rego/syntax/index.ts";
import { checkAbi, readLanguage } from "../../../compiler/rego/syntax/language.ts";
import { parse, where } from "../analyze/helpers.ts";
import { opa, opaText, runOpa } from "./oracle.ts";

interface Said {
  readonly features: readonly string[];
  readonly future_keywords: readonly string[];
}

/** As of OPA 1.22. */
const all: Said = {
  features: ["keywords_in_refs", "rego_v1", "rego_v2", "rego_v2_import", "template_strings"],
  future_keywords: ["and", "not", "or"],
};
const without = (pattern: RegExp): Said => ({ ...all, features: all.features.filter((name) => !pattern.test(name)) });
const keywords = (...names: string[]): Said => ({ ...all, future_keywords: names });

const template = 'package t\n\np := $"x {input.y}"\n';
const v2 = "package t\n\nimport rego.v2\n\np if { input.x or input.y }\n";
const one = "package t\n\nimport future.keywords.or\n\np if { input.x or input.y }\n";
const some = "package t\n\nimport future.keywords\n\np if input.x in {1}\n";
const inRef = "package t\n\np := input.if\n";
const quoted = 'package t\n\np := input["if"]\n';

const invalidV2 = "rego_parse_error t.rego:3:8 invalid import, `rego.v2` is not supported by current capabilities";
const unexpected = "rego_parse_error t.rego:3:8 unexpected keyword, must be one of [contains every if in]";

const cases: readonly (readonly [title: string, said: Said, text: string, findings: readonly string[]])[] = [
  ["template strings", all, template, []],
  [
    "template strings",
    without(/template/),
    template,
    ["rego_parse_error t.rego:3:6 template strings are not supported by current capabilities"],
  ],
  ["v2", all, v2, []],
  ["v2 by the language", without(/import/), v2, []],
  ["v2 by the import", without(/^rego_v2$/), v2, []],
  ["v2", without(/v2/), v2, [invalidV2]],
  ["v2 without keywords", keywords(), v2, []],
  ["a keyword", without(/v2/), one, []],
  ["a keyword", keywords("in", "if"), one, [unexpected]],
  ["all keywords, none of v2 used", keywords("in", "if"), some, []],
  ["a keyword in a reference", all, inRef, []],
  [
    "a keyword in a reference",
    without(/refs/),
    inRef,
    ["rego_parse_error t.rego:3:12 unexpected if keyword: expected identifier"],
  ],
  ["a key that is a keyword", without(/refs/), quoted, []],
];

const ours = (said: Said, text: string): string[] =>
  analyze([parse(text, "t.rego")], { language: readLanguage(said) }).diagnostics.map(where);

describe("the language of a capabilities file", () => {
  it.each(cases)("%s %#", (_, said, text, findings) => {
    expect(ours(said, text)).toEqual(findings);
  });

  it("keeps `not` what it was where its keyword is not allowed, or refuses it", () => {
    const text = "package t\n\nimport future.keywords\n\np if not input.x\n";
    expect(ours(all, text)).toEqual([]);
    expect(ours(keywords(), text)).toEqual([
      "rego_parse_error t.rego:5:6 keyword `not` is not supported by current capabilities",
    ]);
  });

  it.each<[string, unknown, string]>([
    ["no features", { builtins: [] }, "illegal capabilities: rego_v1 feature required for parsing v1 Rego"],
    ["an unknown keyword", keywords("xor"), "illegal capabilities: unknown keyword: xor"],
    ["features that are not a list", { features: {} }, "`features` is no list of names"],
  ])("is refused with %s", (_, json, message) => {
    expect(() => readLanguage(json)).toThrow(message);
  });

  it.each<[unknown, string | undefined]>([
    [{}, undefined],
    [{ wasm_abi_versions: [{ version: 1, minor_version: 1 }] }, undefined],
    [{ wasm_abi_versions: [] }, "compiler ABI version not in capabilities (have [], want {1 3})"],
    [{ wasm_abi_versions: [{ version: 1, minor_version: 4 }] }, "(have [{1 4}], want {1 3})"],
    [{ wasm_abi_versions: 1 }, "`wasm_abi_versions` is no list"],
  ])("with %j as the interface", (json, message) => {
    if (message === undefined) expect(() => checkAbi(json)).not.toThrow();
    else expect(() => checkAbi(json)).toThrow(message);
  });
});

describe("a module of v2 by its bundle", () => {
  const found = (said: Said, text: string): string[] => {
    const { module } = parseModule(new SourceFile("t.rego", text, 2));
    return module === undefined
      ? ["no module"]
      : analyze([module], { language: readLanguage(said) }).diagnostics.map(where);
  };

  it("needs the feature, and no keyword beside it", () => {
    const text = "package t\n\np if { not input.x or input.y }\n";
    expect(found(keywords(), text)).toEqual([]);
    expect(found(keywords(), one)).toEqual([]);
    expect(found(without(/^rego_v2$/), text)).toEqual([
      "rego_parse_error t.rego:1:1 illegal capabilities: rego_v2 feature required for parsing v2 Rego",
    ]);
    // As OPA has it, v2 brings these.
    expect(found(without(/refs|template/), inRef)).toEqual([]);
    expect(found(without(/refs|template/), template)).toEqual([]);
  });
});

describe.skipIf(!opa)("a real opa", () => {
  it("refuses the same, at the same place", () => {
    const dir = mkdtempSync(join(tmpdir(), "language-"));
    const full = JSON.parse(opaText(["capabilities", "--current"])) as object;
    const [file, module] = [join(dir, "capabilities.json"), join(dir, "t.rego")];
    try {
      for (const [title, said, text, findings] of cases) {
        writeFileSync(file, JSON.stringify({ ...full, ...said }));
        writeFileSync(module, text);
        const { stderr } = runOpa(["check", "--format", "json", "--capabilities", file, module]);
        const { errors = [] } = (stderr.trim() === "" ? {} : JSON.parse(stderr)) as {
          errors?: { code: string; message: string; location: { row: number; col: number } }[];
        };
        const said1 = errors.map((e) => `${e.code} t.rego:${e.location.row}:${e.location.col} ${e.message}`);
        // What comes after the first follows from it.
        expect(said1.slice(0, 1), title).toEqual(findings);
      }
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});

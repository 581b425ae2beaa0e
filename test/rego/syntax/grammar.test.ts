/** The grammar as chevrotain sees it: production skips the look that this suite takes. */

import { describe, expect, it } from "vitest";
import { RegoParser } from "../../../compiler/rego/syntax/parse-module.ts";
import { regoLexer, vocabulary } from "../../../compiler/rego/syntax/token.ts";

describe("the grammar", () => {
  it("has no ambiguity, left recursion or unreachable alternative that it does not name", () => {
    expect(() => new RegoParser(false)).not.toThrow();
  });

  it("knows every token that the lexer cuts", () => {
    const names = new Set(vocabulary.map(({ name }) => name));
    const { tokens, errors } = regoLexer().tokenize('package a\np := $"{x}" + `r` if { not every k in 1 { k } }');
    expect(errors).toEqual([]);
    expect(tokens.filter(({ tokenType }) => !names.has(tokenType.name))).toEqual([]);
  });
});

/** A tree of the library is what the parser makes of the library's text. */

import { expect, it } from "vitest";
import { adapterModules, libraryModules } from "../../../compiler/governance/library/library.embedded.ts";
import { moduleTree } from "../../../compiler/parsed-modules.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import type { Module } from "../../../compiler/rego/syntax/ast.ts";
import { packTree, parseModule, unpackTree } from "../../../compiler/rego/syntax/index.ts";

it.each([...libraryModules, ...adapterModules])("$name is embedded as the tree of its text", ({ text }) => {
  const file = new SourceFile("any/name.rego", text);
  const { module, diagnostics } = moduleTree(file);
  const parsed = parseModule(file);
  expect(diagnostics).toEqual(parsed.diagnostics);
  // Strictly: a member that is absent is no member that is undefined.
  expect(module).toStrictEqual(parsed.module);
  expect(module?.span.file).toBe(file);
  expect(unpackTree(packTree(parsed.module as Module), file)).toStrictEqual(parsed.module);
});

it("parses a text that is not the library's, by a character", () => {
  const [first] = libraryModules;
  const text = `${first?.text} # more`;
  const { module } = moduleTree(new SourceFile("portcullis/agents.rego", text));
  expect(module?.comments.at(-1)?.text).toBe(" more");
});

it("reports what is wrong with a module that was the library's", () => {
  const [first] = libraryModules;
  expect(moduleTree(new SourceFile("portcullis/agents.rego", `${first?.text}\n}`)).diagnostics).not.toEqual([]);
});

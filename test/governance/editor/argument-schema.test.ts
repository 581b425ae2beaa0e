/** What an editor knows of the members of a tool's arguments: names are the author's, and members are offered below them. */

import { expect, it } from "vitest";
import { schemaAt } from "../../../compiler/governance/editor/language-server/schema-at.ts";

const TOOL = ["tools", "*", "arguments"];
const keysAt = (...path: string[]): string[] =>
  Object.keys(schemaAt("tool_registry", [...TOOL, ...path])?.properties ?? {});

it("has members below any name, in elements and in approvals", () => {
  const members = ["one_of", "pattern", "max_length", "min", "max", "paths", "hosts", "schemes", "commands"];
  expect(keysAt("file_path")).toEqual(["type", "each", "required", ...members, "approval"]);
  expect(keysAt("file_path", "each")).toEqual(["type", ...members, "approval"]);
  expect(keysAt("file_path", "approval")).toEqual(["bound", ...members]);
  expect(keysAt("constructor", "paths")).toEqual(["below", "except", "resolve"]);
  expect(schemaAt("tool_registry", [...TOOL, "a", "type"])?.enum).toContain("integer");
  expect(schemaAt("tool_registry", ["tools", "*", "other_arguments"])?.enum).toEqual(["deny", "allow"]);
});

it("knows no names where the file has its own", () => {
  expect(schemaAt("tool_registry", ["tools", "*", "argument"])).toBeUndefined();
  expect(keysAt("a", "command")).toEqual([]);
});

/** What is said of decisions and gates is what the library's Rego says: `make` writes it, and nothing else does. */

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { answerTypes, gateTable } from "../../compiler/build/answers.ts";
import { enforcementPage } from "../../compiler/build/reference/enforcement.ts";

it.each([
  ["answers.ts", answerTypes],
  ["gates.ts", gateTable],
])("runtime/governance/%s is what the library says", (name, text) => {
  const file = new URL(`../../runtime/governance/${name}`, import.meta.url);
  expect(readFileSync(file, "utf8"), "run `make build`").toBe(text());
});

it("compiler/ENFORCEMENT.md has the library's gates", () => {
  const page = readFileSync(new URL("../../compiler/ENFORCEMENT.md", import.meta.url), "utf8");
  expect(page, "run `make generate`").toBe(enforcementPage(page));
  expect(() => enforcementPage(page.replace("<!-- gates of lane -->", ""))).toThrow("lane");
});

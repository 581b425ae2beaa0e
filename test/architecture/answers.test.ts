/** The types of decisions are those of the library's Rego: `make build` writes them, and nothing else does. */

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { answerTypes } from "../../compiler/build/answers.ts";

it("runtime/governance/answers.ts is what the library can answer", () => {
  const file = new URL("../../runtime/governance/answers.ts", import.meta.url);
  expect(readFileSync(file, "utf8"), "run `make generate`").toBe(answerTypes());
});

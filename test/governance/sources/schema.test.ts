/** What schemas list, and code lists as well. */

import { readFileSync } from "node:fs";
import { DECISION_KINDS } from "@portcullis/runtime/abi";
import { expect, it } from "vitest";

it("knows the decisions that tests ask for", () => {
  const text = readFileSync(new URL("../../../compiler/governance/sources/schema/tests.json", import.meta.url), "utf8");
  const { $defs } = JSON.parse(text) as { $defs: { decision: { enum: string[] } } };
  expect($defs.decision.enum).toEqual(DECISION_KINDS);
});

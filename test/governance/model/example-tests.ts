/** The decision tests of the example organisation, as `portcullis test policies` asks them. */

import { fileURLToPath } from "node:url";
import { nodeHost } from "../../../compiler/documents/node.ts";
import { boundApprovals } from "../../../compiler/governance/lower/index.ts";
import { buildTests, type DecisionTest } from "../../../compiler/governance/model/index.ts";
import { readPolicySet } from "../../../compiler/governance/policy-set.ts";

export function exampleTests(): readonly DecisionTest[] {
  const { set, model, lowered } = readPolicySet(nodeHost, [
    fileURLToPath(new URL("../../../policies", import.meta.url)),
  ]);
  return buildTests(set.tests, model, { revision: boundApprovals(model, lowered.data)?.revision }).tests;
}

/** Questions to every decision: the example's test cases, and inputs that nobody means. */

import { DECISION_KINDS, type DecisionKind } from "@portcullis/runtime";
import { jsonText } from "../../compiler/lower/index.ts";
import { buildModel, buildTests } from "../../compiler/model/index.ts";
import { nodeHost } from "../../compiler/node.ts";
import { loadSources } from "../../compiler/sources/index.ts";

export interface Question {
  readonly kind: DecisionKind;
  readonly entrypoint: string;
  readonly input: unknown;
}

const STRANGE: readonly unknown[] = [null, true, 0, "x", [], {}, { role: 1, lane: [], tool: {} }, { lineage: [{}] }];

export function questions(): Question[] {
  const { set } = loadSources(nodeHost, ["policies"]);
  const { tests } = buildTests(set.tests, buildModel(set).model);
  return DECISION_KINDS.flatMap((kind) => {
    const cases = tests
      .filter((test) => test.decision === kind)
      .map((test) => JSON.parse(jsonText(test.input)) as unknown);
    return [...cases, ...STRANGE].map((input) => ({ kind, entrypoint: `portcullis/${kind}/decision`, input }));
  });
}

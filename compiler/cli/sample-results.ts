/** The records of `handoff-samples` as tests. */

import { join } from "node:path";
import { checkSamples } from "@portcullis/enforcement/execution";
import { type HandoffSample, sampleName, type TestResult } from "@portcullis/governance/testing";
import type { Policy } from "@portcullis/runtime";

export function sampleResults(policy: Policy, samples: readonly HandoffSample[]): TestResult[] {
  return checkSamples(policy, samples).map((checked, i): TestResult => {
    const sample = samples[i] as HandoffSample;
    const file = join(sample.dir, sample.path);
    const { milliseconds, gate, failure } = checked;
    const result = {
      suite: file,
      name: sampleName(sample),
      location: `${file}:1`,
      milliseconds,
      decision: "handoff",
      gate,
    };
    return failure === undefined ? { ...result, outcome: "pass" } : { ...result, outcome: "fail", failure };
  });
}

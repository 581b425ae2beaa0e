/** Samples of handoffs as findings: before there is a module, so that `check` tells what `test` would. */

import { checkSamples } from "@portcullis/enforcement/execution";
import { pipelineDiagnostic } from "@portcullis/governance/checks";
import { entryOf, type SampleSource, type SourceNode } from "@portcullis/governance/sources";
import type { CheckedPolicy } from "@portcullis/rego/analyze";
import type { Diagnostic, Span } from "@portcullis/rego/diagnostics";
import { BUILTIN_LIMITS, NotKnown, PlannedAnswers } from "@portcullis/rego/optimize";
import { planPolicy } from "@portcullis/rego/plan";
import { type Value, valueOfJson } from "@portcullis/rego/value";
import { builtinCaller } from "@portcullis/rego/wasm";
import type { HandoffDecision } from "@portcullis/runtime";

const DECISION = "portcullis/handoff/decision";

export interface SampledSet {
  readonly checked: CheckedPolicy;
  readonly data: Value;
  readonly samples: readonly SampleSource[];
}

/**
 * One finding for each sample that contradicts its folder or name, at the first violation's place. Nothing about a sample whose
 * decision needs a host (`test` has one), or where no handoff is decided. Reads the artifacts of the samples.
 */
export function sampleFindings({ checked, data, samples }: SampledSet): Diagnostic[] {
  const planned = planPolicy(checked, [DECISION], { indexFrom: Number.POSITIVE_INFINITY });
  const answers = new PlannedAnswers(planned.policy, builtinCaller(...BUILTIN_LIMITS));
  const handoff = (request: unknown): HandoffDecision =>
    answers.under(valueOfJson(request), data)(DECISION) as HandoffDecision;
  return samples.flatMap((sample) => {
    try {
      const { dir, path, file, positive, root } = sample;
      const [found] = checkSamples({ handoff }, [{ dir, path, text: file.text, positive }]);
      if (found?.failure === undefined) return [];
      const at = spanAtPointer(root, found.violations[0]?.path ?? "");
      return [pipelineDiagnostic("pipeline/handoff-sample", { problem: found.failure }, at)];
    } catch (error) {
      if (error instanceof NotKnown) return [];
      throw error;
    }
  });
}

/** As far as the record has what the pointer names. */
function spanAtPointer(root: SourceNode, pointer: string): Span {
  let at: SourceNode = root;
  for (const key of pointer.split("/").slice(1)) {
    const inner: SourceNode | undefined = at.kind === "Sequence" ? at.items[Number(key)] : entryOf(at, key)?.value;
    if (inner === undefined) break;
    at = inner;
  }
  return at.span;
}

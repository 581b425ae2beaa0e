/** Why a decision came out as it did. */

import type { Policy } from "@portcullis/runtime";
import { isJsonEqual, type JsonObject } from "../base/json-object.ts";
import { failure, type Result, success } from "../base/result.ts";
import { merge } from "./bundle-data.ts";
import { Explainer, planProbes, type Told } from "./explain/explainer.ts";
import { Probes } from "./explain/probes.ts";
import { RegoIndex } from "./explain/rego-index.ts";
import { hostDataPolicy, type RegoProblem, regoOf } from "./host-data-policy.ts";
import type { OpenedPolicy } from "./opened-policy.ts";

export interface ExplainRequest {
  /** `pkg/rule`, one of the policy's. */
  readonly entrypoint: string;
  /** The input as JSON; without it there is none. */
  readonly inputJson?: string | undefined;
  /** Host data, outside the bundle's roots; the policy is set to it. */
  readonly hostData?: JsonObject | undefined;
}

export interface Explanation extends Told {
  /** The entrypoint's answer; `undefined` when it has no value. */
  readonly decision: unknown;
}

/** Explains answers of one entrypoint. Throws SyntaxError for text that is not JSON. */
export type ExplainInput = (inputJson?: string) => Result<Explanation, "evaluation-failed" | "module-differs">;

export type ExplainProblem = RegoProblem | "no-entrypoint" | "evaluation-failed" | "module-differs";

/**
 * Asks the Rego of a bundle condition by condition which branch of which rule gave an answer, and why those before it did not.
 * That the Rego answers as the bundle's module does is checked first.
 *
 * Cost: compiles the bundle's Rego once more, with a few rules for every condition; some hundred milliseconds. To explain
 * many inputs, prepare once. Throws SyntaxError for an `inputJson` that is no JSON.
 */
export async function explain(
  opened: OpenedPolicy,
  { entrypoint, inputJson, hostData }: ExplainRequest,
): Promise<Result<Explanation, ExplainProblem>> {
  const prepared = await prepareExplain(opened, entrypoint, hostData);
  return prepared.ok ? prepared.value(inputJson) : prepared;
}

/** Compiles the probes of one entrypoint, to explain any number of its answers. */
export async function prepareExplain(
  opened: OpenedPolicy,
  entrypoint: string,
  hostData?: JsonObject,
): Promise<Result<ExplainInput, RegoProblem | "no-entrypoint">> {
  const { policy } = opened;
  if (!policy.entrypoints.includes(entrypoint)) {
    const known = policy.entrypoints.map((e) => `\`${e}\``).join(", ");
    return failure("no-entrypoint", `no entrypoint \`${entrypoint}\` in \`${opened.name}\``, `it has ${known}`);
  }
  if (hostData !== undefined) policy.setData(hostData);
  const sources = regoOf(opened);
  if (!sources.ok) return sources;
  const index = new RegoIndex(sources.value);
  const probes = new Probes(sources.value);
  const plan = planProbes(index, entrypoint, probes);
  // The bundle's data wins over the host's.
  const data = merge(hostData ?? {}, opened.data);
  const ensure = [...probes.files.map((f) => f.name), ...plan.rules];
  const asking = await hostDataPolicy(opened, { extra: probes.files, ensure, data });
  if (!asking.ok) return asking;
  const known = new Set(asking.value.entrypoints);
  const isAsked = (name: string): boolean => known.has(name);
  return success((inputJson) => {
    const input: unknown = inputJson === undefined ? undefined : JSON.parse(inputJson);
    const decision = evaluate(policy, entrypoint, inputJson);
    if (policy.lastFault !== undefined) {
      const why = policy.lastFault.message;
      return failure("evaluation-failed", `the evaluation failed, which no rule decided: ${why}`);
    }
    const answer = (name: string): unknown => (isAsked(name) ? evaluate(asking.value, name, inputJson) : undefined);
    if (!isJsonEqual(answer(entrypoint), decision)) {
      return failure(
        "module-differs",
        `the module in \`${opened.name}\` does not answer as the Rego beside it, so that explains nothing`,
        "build the bundle again; `portcullis verify` tells whether a signed one was changed",
      );
    }
    const explainer = new Explainer(index, { ...plan, isAsked }, answer, { input, data });
    return success({ decision, ...explainer.explain(entrypoint) });
  });
}

function evaluate(policy: Policy, entrypoint: string, inputJson: string | undefined): unknown {
  return inputJson === undefined ? policy.evaluate(entrypoint, undefined) : policy.evaluateJson(entrypoint, inputJson);
}

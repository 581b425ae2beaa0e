/** Compares two policies by questions that are not combinations of ids. */

import type { JsonObject } from "@portcullis/rego/value";
import { type DecisionKind, entrypointOf, type Policy } from "@portcullis/runtime";
import { type Answer, answerOf } from "../decision-space.ts";
import { underOwnRevision } from "../search/approval-questions.ts";
import type { Question } from "../search/templates.ts";
import { type ChangeKind, changeOf } from "./decisions.ts";

/** A request that two policies answer differently. */
export interface FoundChange {
  readonly kind: ChangeKind;
  readonly decision: DecisionKind;
  readonly input: JsonObject;
  readonly before: Answer;
  readonly after: Answer;
}

/** A policy with its tables, under which the approvals that it is asked about were given. */
export interface Asked {
  readonly policy: Policy;
  readonly tables: JsonObject | undefined;
}

/** Keeps one example, the first, for every kind, decision and pair of gates. */
export function compareQuestions(questions: Iterable<Question>, before: Asked, after: Asked): FoundChange[] {
  const found = new Map<string, FoundChange>();
  for (const { kind: decision, input } of questions) {
    const [a, b] = [answer(before, { kind: decision, input }), answer(after, { kind: decision, input })];
    const kind = changeOf(a, b);
    if (kind === undefined) continue;
    const key = [kind, decision, a.gate, a.reason, b.gate, b.reason, input["lane"], input["tool"]].join("\0");
    if (!found.has(key)) found.set(key, { kind, decision, input, before: a, after: b });
  }
  return [...found.values()];
}

export function answer({ policy, tables }: Asked, { kind, input }: Question): Answer {
  return answerOf(policy.evaluate(entrypointOf(kind), underOwnRevision(input, tables)));
}
